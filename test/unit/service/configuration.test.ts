import { describe, expect, test } from "vitest";
import { Secrets } from "../../../provider/base/runtime/messages/secrets.ts";
import {
  type ConfigurationSource,
  resolveApiKey,
  resolveBaseUrl,
  serviceSettings,
} from "../../../provider/service/configuration.ts";

const source = (
  environment: Record<string, string> = {},
  stackConfig: Record<string, string> = {},
): ConfigurationSource => ({
  environment: (name) => environment[name],
  stackConfig: (name) => stackConfig[name],
});

test("the base URL comes from the resource, then the environment, then the stack configuration", () => {
  const environment = { DOCS_HOSTING_BASE_URL: "https://environment.example" };
  const config = { "docs-hosting:baseUrl": "https://config.example" };
  expect(resolveBaseUrl(source(environment, config), "https://input.example")).toBe("https://input.example");
  expect(resolveBaseUrl(source(environment, config))).toBe("https://environment.example");
  expect(resolveBaseUrl(source({}, config))).toBe("https://config.example");
});

/** The message about unusable settings. */
function refusal(read: () => unknown): unknown {
  try {
    return { accepted: read() };
  } catch (error) {
    const { name, message, remedy } = error as Error & { remedy: string };
    return { name, says: `${message}. ${remedy}` };
  }
}
const refused = (says: string): unknown => ({ name: "ConfigurationError", says });

const OTHER_PROCESS =
  "A variable that the program sets, such as from a .env file, does not reach the provider, which is another process.";

describe("a base URL", () => {
  test("that is missing is an error that names both ways to set it; white space counts as missing", () => {
    const missing = refused(
      "the base URL of the service is not set. " +
        `Set DOCS_HOSTING_BASE_URL, or run \`pulumi config set docs-hosting:baseUrl https://…\`. ${OTHER_PROCESS}`,
    );
    expect(refusal(() => resolveBaseUrl(source()))).toEqual(missing);
    const blank = source({ DOCS_HOSTING_BASE_URL: " " }, { "docs-hosting:baseUrl": "\n" });
    expect(refusal(() => resolveBaseUrl(blank, " "))).toEqual(missing);
    expect(resolveBaseUrl(source({ DOCS_HOSTING_BASE_URL: "https://x.example" }), " ")).toBe(
      "https://x.example",
    );
  });

  test.each([
    "https://api.example.com/v1/admin",
    "https://api.example.com/v3",
    "https://api.example.com/v12",
  ])("%s has no part of an endpoint's own path at its end", (given) => {
    expect(resolveBaseUrl(source(), given)).toBe(given);
  });

  const HTTP = "is not an http(s) URL. Write it like https://api.example.com";
  const LOGIN = "contains a user name or password. Remove it: only the API key is sent.";
  const QUERY = "contains a query or a fragment. Remove the part that begins with «?» or «#».";
  test.each([
    ["api.example.com", HTTP],
    ["ftp://api.example.com", HTTP],
    ["https://me@api.example.com", LOGIN],
    ["https://:c4n4ry@api.example.com", LOGIN],
    ["https://api.example.com?a=1", QUERY],
    ["https://api.example.com#a", QUERY],
    ["https://api.example.com/?", QUERY],
    ["https://api.example.com#", QUERY],
    [
      "https://api.example.com/admin//V1/",
      "ends in //V1, which is part of each endpoint's own path. Write https://api.example.com/admin",
    ],
    [
      "https://api.example.com/v2",
      "ends in /v2, which is part of each endpoint's own path. Write https://api.example.com",
    ],
    [
      "http://api.example.com:8080/x",
      "uses http: to api.example.com:8080, which would send the API key without encryption. " +
        "Use https:, or permit it with `pulumi config set docs-hosting:allowInsecure true`.",
    ],
  ])("%s is refused by the name of its source", (url, problem) => {
    const [variable, config] = ["DOCS_HOSTING_BASE_URL", "docs-hosting:baseUrl"];
    expect(refusal(() => resolveBaseUrl(source(), url))).toEqual(refused(`baseUrl ${problem}`));
    expect(refusal(() => resolveBaseUrl(source({ [variable]: url })))).toEqual(
      refused(`${variable} ${problem}`),
    );
    expect(refusal(() => resolveBaseUrl(source({}, { [config]: url })))).toEqual(
      refused(`${config} ${problem}`),
    );
  });

  test.each([
    ["true", true],
    [" TRUE\n", true],
    [" False\n", false],
  ])("may be of http: where the configuration permits it with %j: %s", (allowInsecure, permitted) => {
    const configured = source({}, { "docs-hosting:allowInsecure": allowInsecure });
    const settings = refusal(() => serviceSettings(configured, { baseUrl: "http://api.example.com" }));
    if (permitted) {
      expect(settings).toMatchObject({
        accepted: { baseUrl: "http://api.example.com", allowInsecure: true },
      });
    } else {
      expect(settings).toMatchObject({ name: "ConfigurationError" });
      const safe = serviceSettings(configured, { baseUrl: "https://api.example.com" });
      expect(safe.allowInsecure).toBe(false);
    }
  });
});

describe.each(["docs-hosting:allowInsecure", "docs-hosting:publicStorageOnly"])("the switch %s", (name) => {
  test.each(["1", "yes", "on", "", "truee"])("is refused where it is %j, before any request", (value) => {
    const error = refused(
      `the configuration ${name} is neither true nor false. Run \`pulumi config set ${name} true\` or \`false\`.`,
    );
    const configured = source({}, { [name]: value });
    expect(refusal(() => serviceSettings(configured, { baseUrl: "https://api.example.com" }))).toEqual(error);
    expect(refusal(() => resolveBaseUrl(configured, "https://api.example.com"))).toEqual(error);
  });

  test("is on where it is true", () => {
    const settings = serviceSettings(source({}, { [name]: "True" }), { baseUrl: "https://api.example.com" });
    const on = name.replace("docs-hosting:", "");
    expect(settings).toMatchObject({ allowInsecure: false, publicStorageOnly: false, [on]: true });
  });
});

describe("the settings of a service", () => {
  const baseUrl = "https://api.example.com";

  test("name the source of the key, and read it again for each request", () => {
    const environment: Record<string, string> = {};
    const settings = serviceSettings(source(environment), { baseUrl });
    expect(settings).toEqual({
      baseUrl,
      apiKey: expect.any(Function) as unknown,
      apiKeyName: "DOCS_HOSTING_ADMIN_API_KEY (or the config docs-hosting:adminApiKey)",
      allowInsecure: false,
      publicStorageOnly: false,
    });
    expect(() => settings.apiKey()).toThrow("not set");
    environment["DOCS_HOSTING_ADMIN_API_KEY"] = "svc_rotated";
    expect(settings.apiKey()).toBe("svc_rotated");
  });

  test("of a second account name only its variable", () => {
    const settings = serviceSettings(source({ SECOND_KEY: "svc_second" }), {
      baseUrl,
      apiKeyEnv: "SECOND_KEY",
    });
    expect(settings.apiKeyName).toBe("SECOND_KEY");
    expect(settings.apiKey()).toBe("svc_second");
  });

  test("have the proxy for its requests", () => {
    const behind = source({ HTTPS_PROXY: "http://proxy.example.net:3128" });
    expect(serviceSettings(behind, { baseUrl }).proxy?.host).toBe("proxy.example.net:3128");
  });
});

test("the key comes from the environment, then the secret configuration", () => {
  const config = { "docs-hosting:adminApiKey": "svc_config" };
  expect(resolveApiKey(source({ DOCS_HOSTING_ADMIN_API_KEY: "svc_environment" }, config))).toBe(
    "svc_environment",
  );
  expect(resolveApiKey(source({ DOCS_HOSTING_ADMIN_API_KEY: "" }, config))).toBe("svc_config");
});

test("a second account's key never falls back to the first account's", () => {
  const config = { "docs-hosting:adminApiKey": "svc_first" };
  expect(() => resolveApiKey(source({}, config), "SECOND_KEY")).toThrow("not set");
});

test("a missing key is an error that says where to set it", () => {
  expect(refusal(() => resolveApiKey(source({ DOCS_HOSTING_ADMIN_API_KEY: " " })))).toEqual(
    refused(
      "the admin API key is not set. " +
        `Set DOCS_HOSTING_ADMIN_API_KEY, or run \`pulumi config set --secret docs-hosting:adminApiKey\`. ${OTHER_PROCESS}`,
    ),
  );
  expect(refusal(() => resolveApiKey(source(), "SECOND_KEY"))).toEqual(
    refused(`the admin API key is not set. Set the environment variable SECOND_KEY. ${OTHER_PROCESS}`),
  );
});

describe("the prefix of keys", () => {
  const withPrefix = (prefix: string, key: string, environment = {}): ConfigurationSource =>
    source({ DOCS_HOSTING_ADMIN_API_KEY: key, ...environment }, { "docs-hosting:apiKeyPrefix": prefix });

  test("comes from the environment, then the configuration; an empty one accepts any key", () => {
    expect(resolveApiKey(withPrefix("dk_", "dk_c4n4ry"))).toBe("dk_c4n4ry");
    const both = withPrefix("other_", "dk_c4n4ry", { DOCS_HOSTING_API_KEY_PREFIX: "dk_" });
    expect(resolveApiKey(both)).toBe("dk_c4n4ry");
    expect(resolveApiKey(withPrefix("", "c4n4ry"))).toBe("c4n4ry");
    const empty = withPrefix("other_", "c4n4ry", { DOCS_HOSTING_API_KEY_PREFIX: "" });
    expect(resolveApiKey(empty)).toBe("c4n4ry");
  });

  test.each([
    ["dk_", "svc_c4n4ry", "do not begin with dk_, or contain white space"],
    [
      "dk_",
      "/builds/docs.tmp/ADMIN_KEY",
      "are the path of a file: the variable must have the key itself (in GitLab, the type Variable)",
    ],
    [
      "dk_",
      "C:\\\\keys\\\\admin.txt",
      "are the path of a file: the variable must have the key itself (in GitLab, the type Variable)",
    ],
    ["dk_live_", "dk_live_", "do not begin with dk_live_, or contain white space"],
    ["", "c4n 4ry", "contain white space or are not all ASCII"],
    ["", "c4n4r", "are too few: a key of less than 6 cannot be kept out of messages"],
  ])("%j refuses the key «%s», and shows only its length", (prefix, key, problem) => {
    expect(refusal(() => resolveApiKey(withPrefix(prefix, key)))).toEqual(
      refused(
        `the admin API key is malformed: its ${key.length} characters ${problem}. ` +
          "Set DOCS_HOSTING_ADMIN_API_KEY, or run `pulumi config set --secret docs-hosting:adminApiKey`. " +
          "Keys are made on the API keys page of the dashboard.",
      ),
    );
  });

  test("that no key can have is an error of its own", () => {
    expect(refusal(() => resolveApiKey(withPrefix("d k", "d k1234")))).toEqual(
      refused(
        "the prefix of admin API keys contains white space, or is not all ASCII. " +
          "Set DOCS_HOSTING_API_KEY_PREFIX, or run `pulumi config set docs-hosting:apiKeyPrefix svc_`.",
      ),
    );
  });

  test("does not matter for messages: the key is removed by its value", () => {
    const secrets = new Secrets();
    resolveApiKey({ ...withPrefix("", "c4n4ry-of-mine"), secrets });
    expect(secrets.removeFrom("the service refused c4n4ry-of-mine, see key=c4n4ry-of-mine")).toBe(
      "the service refused [removed], see key=[removed]",
    );
  });
});
