import { expect, test } from "vitest";
import { resolveApiKey, resolveBaseUrl, type ConfigurationSource } from "../../provider/configuration.ts";

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

test("a missing base URL is an error that names both ways to set it", () => {
  expect(() => resolveBaseUrl(source())).toThrow(
    expect.objectContaining({
      remedy: expect.stringMatching(/DOCS_HOSTING_BASE_URL.*docs-hosting:baseUrl/) as string,
    }),
  );
});

test.each([
  ["https://api.example.com/", "https://api.example.com"],
  ["https://api.example.com/admin//", "https://api.example.com/admin"],
  ["HTTPS://API.example.com", "https://api.example.com"],
  [" https://api.example.com\n", "https://api.example.com"],
  ["http://127.0.0.1:4010", "http://127.0.0.1:4010"],
  ["http://localhost:4010/", "http://localhost:4010"],
  ["http://[::1]:4010", "http://[::1]:4010"],
])("the base URL %s is stored as %s", (given, stored) => {
  expect(resolveBaseUrl(source(), given)).toBe(stored);
});

test.each([
  ["api.example.com", "not an http(s) URL"],
  ["ftp://api.example.com", "not an http(s) URL"],
  ["https://user:pass@api.example.com", "user name or password"],
  ["https://api.example.com/?a=1", "query"],
  ["https://api.example.com/#top", "fragment"],
  ["http://api.example.com", "uses http:"],
  ["http://127.0.0.1.example.com", "uses http:"],
])("the base URL %s is refused: %s", (given, problem) => {
  expect(() => resolveBaseUrl(source(), given)).toThrow(problem);
});

test("http: to another machine is accepted only when the configuration allows it", () => {
  const allowed = source({}, { "docs-hosting:allowInsecure": "true" });
  expect(resolveBaseUrl(allowed, "http://api.example.com")).toBe("http://api.example.com");
});

test("the key comes from the environment, then the secret configuration", () => {
  const config = { "docs-hosting:adminApiKey": "svc_config" };
  expect(resolveApiKey(source({ DOCS_HOSTING_ADMIN_API_KEY: "svc_environment" }, config))).toBe(
    "svc_environment",
  );
  expect(resolveApiKey(source({ DOCS_HOSTING_ADMIN_API_KEY: "" }, config))).toBe("svc_config");
});

test("a key from a file keeps no line end", () => {
  expect(resolveApiKey(source({ DOCS_HOSTING_ADMIN_API_KEY: "svc_abc\n" }))).toBe("svc_abc");
});

test("a second account's key never falls back to the first account's", () => {
  const config = { "docs-hosting:adminApiKey": "svc_first" };
  expect(() => resolveApiKey(source({}, config), "SECOND_KEY")).toThrow("not set");
});

test.each(["sk_live_123", '"svc_quoted"', "svc_a b", "svc_ümlaut", "svc_a\nb"])(
  "the malformed key «%s» is refused without being shown",
  (key) => {
    const failed = (): unknown => resolveApiKey(source({ DOCS_HOSTING_ADMIN_API_KEY: key }));
    expect(failed).toThrow(`${key.length} characters`);
    expect(failed).not.toThrow(key);
  },
);
