// What an engine asks a provider before its resources: handshake, schema, configuration.
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js";
import * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { resolveApiKey, serviceSettings } from "../../../../provider/service/configuration.ts";
import { secret, struct } from "./pluginClient.ts";
import { caught, checkRequest, createRequest, diffRequest, plainOf, readRequest } from "./requests.ts";
import { serveLife, STATE } from "./servedLife.ts";

const KEY = "svc_c4n4ry";
const served = serveLife();

describe("the provider", () => {
  test("shakes hands: secrets and resources are taken, and the engine's address is noted", async () => {
    const request = new rpc.ProviderHandshakeRequest();
    request.setEngineAddress("127.0.0.1:1");
    const answer = await served.client.call("handshake", request);
    expect([answer.getAcceptSecrets(), answer.getAcceptResources(), answer.getAcceptOutputs()]).toEqual([
      true,
      true,
      false,
    ]);
    const attach = new PluginAttach();
    attach.setAddress("127.0.0.1:2");
    await served.client.call("attach", attach);
    expect(served.addresses).toEqual(["127.0.0.1:1", "127.0.0.1:2"]);
  });

  test("returns its schema and the schema's version", async () => {
    const schema = JSON.parse(
      (await served.client.call("getSchema", new rpc.GetSchemaRequest())).getSchema(),
    ) as {
      name: string;
      version: string;
    };
    expect(schema.name).toBe("docs-hosting");
    expect((await served.client.call("getPluginInfo", new Empty())).getVersion()).toBe(schema.version);
    const request = new rpc.GetSchemaRequest();
    request.setVersion(7);
    expect(await caught(served.client.call("getSchema", request))).toMatchObject({ code: 3 });
  });

  test("has the key in its schema as a secret, with neither a default value nor a variable of the SDK's own", async () => {
    const { config, provider } = JSON.parse(
      (await served.client.call("getSchema", new rpc.GetSchemaRequest())).getSchema(),
    ) as { config: { variables: Settings }; provider: { properties: Settings; inputProperties: Settings } };
    type Settings = Record<string, object>;
    for (const settings of [config.variables, provider.properties, provider.inputProperties]) {
      expect(Object.keys(settings["adminApiKey"] ?? {}).sort()).toEqual(["description", "secret", "type"]);
      expect(settings["adminApiKey"]).toHaveProperty("secret", true);
    }
  });

  const checkConfig = async (given: object, name = "default"): Promise<rpc.CheckResponse> => {
    const request = checkRequest(given);
    request.setUrn(`urn:pulumi:dev::docs::pulumi:providers:docs-hosting::${name}`);
    request.setName(name);
    return served.client.call("checkConfig", request);
  };
  const failuresOf = (answer: rpc.CheckResponse): string[] =>
    answer.getFailuresList().map((each) => `${each.getProperty()}: ${each.getReason()}`);

  test("accepts a configuration without anything, and keeps the key secret however it came", async () => {
    expect(failuresOf(await checkConfig({}))).toEqual([]);
    const answer = await checkConfig({ adminApiKey: KEY, version: "0.7.0", foreign: { a: 1 } });
    expect(failuresOf(answer)).toEqual([]);
    expect(plainOf(answer.getInputs())).toEqual({
      adminApiKey: secret(KEY),
      version: "0.7.0",
      foreign: { a: 1 },
    });
  });

  test("says what is wrong by property, and names the key's property only in the text: the engine shows values", async () => {
    const answer = await checkConfig({
      baseUrl: "ftp://x",
      adminApiKey: "c4n4ry-of-mine",
      allowInsecure: "true",
    });
    const failures = failuresOf(answer);
    expect(failures[0]).toMatch(/^baseUrl: .*is not an http\(s\) URL/);
    expect(failures[1]).toMatch(/^: adminApiKey: the admin API key is malformed/);
    expect(failures.join()).not.toContain("c4n4ry");
    expect(failuresOf(await checkConfig({ allowInsecure: "perhaps" }))[0]).toMatch(/^allowInsecure: /);
    expect(failuresOf(await checkConfig({ publicStorageOnly: "1" }))[0]).toMatch(/^publicStorageOnly: /);
    expect(failuresOf(await checkConfig({ adminApiKey: UNKNOWN, baseUrl: UNKNOWN }))).toEqual([]);
  });

  test("judges the key by the prefix that is set beside it", async () => {
    const adminApiKey = "dk_c4n4ry";
    expect(failuresOf(await checkConfig({ adminApiKey, apiKeyPrefix: "dk_" }))).toEqual([]);
    expect(failuresOf(await checkConfig({ adminApiKey, apiKeyPrefix: "" }))).toEqual([]);
    expect(failuresOf(await checkConfig({ adminApiKey, apiKeyPrefix: UNKNOWN }))).toEqual([]);
    expect(failuresOf(await checkConfig({ adminApiKey, apiKeyPrefix: "d k" }))).toEqual([
      expect.stringMatching(/^apiKeyPrefix: the prefix of admin API keys contains white space/),
    ]);
    served.environment["DOCS_HOSTING_API_KEY_PREFIX"] = "other_";
    expect(failuresOf(await checkConfig({ adminApiKey, apiKeyPrefix: "dk_" }))).toHaveLength(1);
    expect(failuresOf(await checkConfig({ adminApiKey, apiKeyPrefix: "" }, "second"))).toEqual([]);
  });

  test("does not judge a setting of the stack that the environment replaces", async () => {
    served.environment["DOCS_HOSTING_ADMIN_API_KEY"] = KEY;
    expect(failuresOf(await checkConfig({ adminApiKey: "wrong" }))).toEqual([]);
    expect(failuresOf(await checkConfig({ adminApiKey: "wrong" }, "second"))).toHaveLength(1);
  });

  test.each([
    ["default", KEY],
    ["default_0_7_0", KEY],
    ["second", "svc_given"],
    ["default-eu", "svc_given"],
  ])("%s takes the key from where it belongs", async (name, expected) => {
    served.environment["DOCS_HOSTING_ADMIN_API_KEY"] = KEY;
    const request = new rpc.ConfigureRequest();
    request.setName(name);
    request.setArgs(struct({ adminApiKey: secret("svc_given"), allowInsecure: true }));
    const answer = await served.client.call("configure", request);
    expect([answer.getAcceptsecrets(), answer.getSupportspreview()]).toEqual([true, true]);
    let key: string | undefined;
    let insecure: string | undefined;
    served.life.create = ({ configuration }) => {
      key =
        configuration.environment("DOCS_HOSTING_ADMIN_API_KEY") ??
        configuration.stackConfig("docs-hosting:adminApiKey");
      insecure = configuration.stackConfig("docs-hosting:allowInsecure");
      return Promise.resolve(STATE);
    };
    await served.client.call("create", createRequest({}));
    expect([key, insecure]).toEqual([expected, "true"]);
  });

  const OWN = { baseUrl: "https://own.test", adminApiKey: "svc_own" };

  /** The key that a provider uses whose program gave these arguments, in an engine that knows the stack's configuration. */
  const keyUsed = async (name: string, args: object, stack?: object): Promise<string | undefined> => {
    served.environment["DOCS_HOSTING_ADMIN_API_KEY"] = KEY;
    if (stack) served.environment["PULUMI_CONFIG"] = JSON.stringify(stack);
    const inputs = (await checkConfig(args, name)).getInputs();
    const request = new rpc.ConfigureRequest();
    request.setName(name);
    request.setArgs(inputs);
    await served.client.call("configure", request);
    let key: string | undefined;
    served.life.create = ({ configuration }) => {
      key = resolveApiKey(configuration);
      return Promise.resolve(STATE);
    };
    await served.client.call("create", createRequest({}));
    return key;
  };

  test.each([
    ["default", {}],
    ["default", { baseUrl: "https://stack.test" }],
    ["default_0_7_0", { adminApiKey: "svc_stack" }],
    ["default_eu", {}],
    ["default_1", {}],
    ["defaults", {}],
  ])(
    "the program's own provider %s has its own arguments first, whatever its name, beside the stack's %j",
    async (name, stack) => {
      expect(await keyUsed(name, OWN, stack)).toBe("svc_own");
    },
  );

  test("the default provider of a stack takes the environment first, also with settings that are no texts", async () => {
    const stack = { baseUrl: "https://stack.test", adminApiKey: "svc_stack", allowInsecure: "true" };
    expect(await keyUsed("default", stack, stack)).toBe(KEY);
    expect(await keyUsed("default_0_7_0", { ...stack, version: "0.7.0" }, stack)).toBe(KEY);
    expect(await keyUsed("default", { ...stack, allowInsecure: true }, stack)).toBe(KEY);
  });

  test("an engine that attaches does not tell the stack's configuration: the name decides", async () => {
    expect(await keyUsed("default", OWN)).toBe(KEY);
    expect(await keyUsed("default_eu", OWN)).toBe("svc_own");
    served.environment["PULUMI_CONFIG"] = "not JSON";
    expect(await keyUsed("default", OWN)).toBe(KEY);
  });

  test("an explicit provider called default stays one in runs without its program, and its mark is no change", async () => {
    served.environment["DOCS_HOSTING_ADMIN_API_KEY"] = KEY;
    served.environment["PULUMI_CONFIG"] = "{}";
    const inputs = plainOf((await checkConfig(OWN)).getInputs()) as object;
    expect(inputs).toEqual({ ...OWN, adminApiKey: secret("svc_own"), __explicit: "true" });
    const diff = await served.client.call("diffConfig", diffRequest({}, inputs, OWN));
    expect(diff.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_NONE);
  });

  test("an engine that does not name the provider in Configure is asked for the one that it checked", async () => {
    served.environment["DOCS_HOSTING_ADMIN_API_KEY"] = KEY;
    const inputs = (await checkConfig(OWN, "partner")).getInputs();
    const request = new rpc.ConfigureRequest();
    request.setArgs(inputs);
    await served.client.call("configure", request);
    served.life.create = ({ configuration }) => {
      expect(resolveApiKey(configuration)).toBe("svc_own");
      return Promise.resolve(STATE);
    };
    await served.client.call("create", createRequest({}));
    expect.assertions(1);
  });

  test.each([
    ["default", {}, "DOCS_HOSTING_ADMIN_API_KEY (or the config docs-hosting:adminApiKey)"],
    ["second", { adminApiKey: secret("svc_given") }, "adminApiKey of the provider second"],
    ["second", {}, "DOCS_HOSTING_ADMIN_API_KEY (or adminApiKey of the provider second)"],
  ])("messages of %s with %j name where its key is set", async (name, args, setting) => {
    const request = new rpc.ConfigureRequest();
    request.setName(name);
    request.setArgs(struct(args));
    await served.client.call("configure", request);
    const seen: unknown[] = [];
    served.life.create = ({ configuration }) => {
      seen.push(serviceSettings(configuration, { baseUrl: "https://x.test" }).apiKeyName);
      seen.push(
        serviceSettings(configuration, { baseUrl: "https://x.test", apiKeyEnv: "OTHER_KEY" }).apiKeyName,
      );
      return Promise.resolve(STATE);
    };
    await served.client.call("create", createRequest({}));
    expect(seen).toEqual([setting, "OTHER_KEY"]);
  });

  test("a malformed key of an explicit provider is corrected in its arguments", async () => {
    const [failure] = failuresOf(await checkConfig({ adminApiKey: "wrong" }, "second"));
    expect(failure).toContain("Set adminApiKey of the provider second.");
    expect(failure).not.toContain("DOCS_HOSTING_ADMIN_API_KEY");
  });

  test("a provider without a key of its own takes that of the environment", async () => {
    served.environment["DOCS_HOSTING_ADMIN_API_KEY"] = KEY;
    const request = new rpc.ConfigureRequest();
    request.setName("second");
    request.setArgs(struct({ baseUrl: "https://eu.example.test" }));
    await served.client.call("configure", request);
    const seen: (string | undefined)[] = [];
    served.life.create = ({ configuration }) => {
      seen.push(configuration.environment("DOCS_HOSTING_ADMIN_API_KEY"));
      return Promise.resolve(STATE);
    };
    await served.client.call("create", createRequest({}));
    expect(seen).toEqual([KEY]);
  });

  test("a secret base URL that is filled in is a secret in inputs and outputs, also that of a source", async () => {
    const configure = (baseUrl: unknown): Promise<unknown> => {
      const request = new rpc.ConfigureRequest();
      request.setName("default");
      request.setArgs(struct({ baseUrl }));
      return served.client.call("configure", request);
    };
    const filledIn = "https://hidden.test"; // without the last slash of the setting
    served.life.check = ({ source, ...given }) => ({
      inputs: {
        baseUrl: filledIn,
        ...given,
        ...(source !== undefined && { source: { ...(source as object), baseUrl: filledIn } }),
      },
      failures: [],
    });
    served.life.read = (_context, state) => Promise.resolve({ inputs: { baseUrl: filledIn }, state });
    served.life.import = () =>
      Promise.resolve({ inputs: { name: "n" }, state: { ...STATE, outputs: { baseUrl: filledIn } } });
    const checked = async (given: object): Promise<unknown> =>
      plainOf((await served.client.call("check", checkRequest(given))).getInputs());

    await configure(secret("https://hidden.test/"));
    expect(await checked({ name: "n" })).toEqual({ name: "n", baseUrl: secret(filledIn) });
    expect(await checked({ source: { jobId: "7" } })).toEqual({
      baseUrl: secret(filledIn),
      source: { jobId: "7", baseUrl: secret(filledIn) },
    });
    expect(await checked({ baseUrl: "https://given.test" })).toEqual({ baseUrl: "https://given.test" });
    const imported = await served.client.call("read", readRequest("docs.example.com/7"));
    expect(plainOf(imported.getProperties())).toHaveProperty("baseUrl", secret(filledIn));

    await configure("https://plain.test");
    expect(await checked({ name: "n" })).toEqual({ name: "n", baseUrl: filledIn });
  });

  test("never requests its own replacement, after any change", async () => {
    const diff = await served.client.call(
      "diffConfig",
      diffRequest({}, { baseUrl: "b" }, { "docs-hosting:baseUrl": "a" }),
    );
    expect(diff.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_SOME);
    expect(diff.getReplacesList()).toEqual([]);
    const same = await served.client.call("diffConfig", diffRequest({}, { baseUrl: "b" }, { baseUrl: "b" }));
    expect(same.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_NONE);
  });
});
