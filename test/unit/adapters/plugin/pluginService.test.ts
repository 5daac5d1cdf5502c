// The calls of an engine over gRPC, against the server of this process and life cycles that a test gives.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb.js";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js";
import * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Session } from "../../../../provider/adapters/session/session.ts";
import { thisProcess } from "../../../../provider/adapters/session/thisProcess.ts";
import type { Tracing } from "../../../../provider/adapters/session/tracing.ts";
import type { Context } from "../../../../provider/resource/context.ts";
import type { LifeCycle, StoredState } from "../../../../provider/resource/lifeCycle.ts";
import { serviceSettings } from "../../../../provider/service/configuration.ts";
import { UnfinishedError } from "../../../../provider/resource/unfinishedError.ts";
import { UNKNOWN } from "../../../../provider/messages/unknown.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { PluginClient, partialResultIn, secret, struct } from "./pluginClient.ts";

const TYPE = "docs-hosting:index:StaticExport";
const URN = `urn:pulumi:dev::docs::${TYPE}::docs`;
const DYNAMIC_URN = "urn:pulumi:dev::docs::pulumi-nodejs:dynamic/docs-hosting:StaticExport::docs";
const KEY = "svc_c4n4ry";
const STATE = { outputs: { name: "n", bundleUrl: "https://store/x?sig=1" }, bookkeeping: { seen: 1 } };
const UP_TO_DATE = {
  changed: [] as string[],
  replaces: [] as string[],
  hidden: false,
  decision: { code: "UP_TO_DATE" as const, text: "nothing to do" },
};

type Life = LifeCycle<object, StoredState>;

let client: PluginClient;
let home: string;
let lines: ReturnType<typeof recordingReporter>["lines"];
let debugLines: string[];
let environment: Record<string, string>;
let cancel: () => void;
let addresses: string[];
let traced: (string | undefined)[];
let life: { [Name in keyof Life]: Life[Name] };

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "plugin-"));
  environment = { PULUMI_HOME: home };
  const reporter = recordingReporter();
  ({ lines } = reporter);
  debugLines = [];
  addresses = [];
  traced = [];
  cancel = () => undefined;
  const tracing: Tracing = {
    listen: () => undefined,
    operation: (operation, run) => {
      traced.push(operation.traceParent);
      return run({ span: (_name, _attributes, work) => work(), note: () => undefined });
    },
  };
  life = {
    noBookkeeping: {},
    idOf: () => "the-id",
    check: (inputs) => ({ inputs, failures: [] }),
    diff: () => UP_TO_DATE,
    predict: (inputs) => ({ ...inputs, bundleUrl: UNKNOWN }),
    create: () => Promise.resolve(STATE),
    read: (_context, state) => Promise.resolve({ inputs: { name: "n" }, state }),
    gone: () => ({ code: "JOB_GONE", text: "it is gone" }),
    lookUp: () => Promise.resolve({ inputs: {}, state: STATE }),
    import: () => Promise.resolve({ inputs: { name: "imported" }, state: STATE }),
    update: () => Promise.resolve(STATE),
    remove: () => Promise.resolve(),
  };
  const names = Object.keys(life).filter((name) => typeof life[name as keyof Life] === "function");
  const through = Object.fromEntries(
    names.map((name) => [
      name,
      (...given: never[]) => (life[name as "gone"] as (...all: never[]) => unknown)(...given),
    ]),
  );
  client = await PluginClient.start({
    resources: { [TYPE]: { noBookkeeping: {}, ...through } as unknown as Life },
    environment: (name) => environment[name],
    newSession: () =>
      new Session({
        ...thisProcess,
        environment: (name) => environment[name],
        reporter: () => ({ ...reporter, debug: (line) => debugLines.push(line), close: () => undefined }),
        watchForCancel: (callback) => (cancel = callback),
        watchEngine: () => undefined,
        tracing,
      }),
    connect: (address) => addresses.push(address),
    cancel: () => cancel(),
  });
});

afterEach(() => {
  client.close();
  rmSync(home, { recursive: true, force: true });
});

const caught = (work: Promise<unknown>): Promise<{ code: number; details: string }> =>
  work.then(
    () => expect.fail("it did not fail"),
    (error: unknown) => error as { code: number; details: string },
  );

function checkRequest(news: object, olds: object = {}): rpc.CheckRequest {
  const request = new rpc.CheckRequest();
  request.setUrn(URN);
  request.setType(TYPE);
  request.setNews(struct(news));
  request.setOlds(struct(olds));
  return request;
}

function createRequest(
  properties: object,
  { preview = false, seconds = 0, urn = URN } = {},
): rpc.CreateRequest {
  const request = new rpc.CreateRequest();
  request.setUrn(urn);
  request.setProperties(struct(properties));
  request.setPreview(preview);
  request.setTimeout(seconds);
  return request;
}

function updateRequest(olds: object, news: object, preview = false): rpc.UpdateRequest {
  const request = new rpc.UpdateRequest();
  request.setUrn(URN);
  request.setId("the-id");
  request.setOlds(struct(olds));
  request.setNews(struct(news));
  request.setPreview(preview);
  return request;
}

function diffRequest(olds: object, news: object, before: object = {}): rpc.DiffRequest {
  const request = new rpc.DiffRequest();
  request.setUrn(URN);
  request.setId("the-id");
  request.setOlds(struct(olds));
  request.setNews(struct(news));
  request.setOldInputs(struct(before));
  return request;
}

function readRequest(id: string, parts: { properties?: object; inputs?: object } = {}): rpc.ReadRequest {
  const request = new rpc.ReadRequest();
  request.setUrn(URN);
  request.setId(id);
  if (parts.properties) request.setProperties(struct(parts.properties));
  if (parts.inputs) request.setInputs(struct(parts.inputs));
  return request;
}

const plainOf = (message: Struct | undefined): unknown => message?.toJavaScript();

describe("the provider", () => {
  test("shakes hands: secrets and resources are taken, and the engine's address is noted", async () => {
    const request = new rpc.ProviderHandshakeRequest();
    request.setEngineAddress("127.0.0.1:1");
    const answer = await client.call("handshake", request);
    expect([answer.getAcceptSecrets(), answer.getAcceptResources(), answer.getAcceptOutputs()]).toEqual([
      true,
      true,
      false,
    ]);
    const attach = new PluginAttach();
    attach.setAddress("127.0.0.1:2");
    await client.call("attach", attach);
    expect(addresses).toEqual(["127.0.0.1:1", "127.0.0.1:2"]);
  });

  test("returns its schema and the schema's version", async () => {
    const schema = JSON.parse((await client.call("getSchema", new rpc.GetSchemaRequest())).getSchema()) as {
      name: string;
      version: string;
    };
    expect(schema.name).toBe("docs-hosting");
    expect((await client.call("getPluginInfo", new Empty())).getVersion()).toBe(schema.version);
    const request = new rpc.GetSchemaRequest();
    request.setVersion(7);
    expect(await caught(client.call("getSchema", request))).toMatchObject({ code: 3 });
  });

  test("has the key in its schema as a secret, with neither a default value nor a variable of the SDK's own", async () => {
    const { config, provider } = JSON.parse(
      (await client.call("getSchema", new rpc.GetSchemaRequest())).getSchema(),
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
    return client.call("checkConfig", request);
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
    environment["DOCS_HOSTING_API_KEY_PREFIX"] = "other_";
    expect(failuresOf(await checkConfig({ adminApiKey, apiKeyPrefix: "dk_" }))).toHaveLength(1);
    expect(failuresOf(await checkConfig({ adminApiKey, apiKeyPrefix: "" }, "second"))).toEqual([]);
  });

  test("does not judge a setting of the stack that the environment replaces", async () => {
    environment["DOCS_HOSTING_ADMIN_API_KEY"] = KEY;
    expect(failuresOf(await checkConfig({ adminApiKey: "wrong" }))).toEqual([]);
    expect(failuresOf(await checkConfig({ adminApiKey: "wrong" }, "second"))).toHaveLength(1);
  });

  test.each([
    ["default", KEY],
    ["default_0_7_0", KEY],
    ["second", "svc_given"],
    ["default-eu", "svc_given"],
  ])("%s takes the key from where it belongs", async (name, expected) => {
    environment["DOCS_HOSTING_ADMIN_API_KEY"] = KEY;
    const request = new rpc.ConfigureRequest();
    request.setName(name);
    request.setArgs(struct({ adminApiKey: secret("svc_given"), allowInsecure: true }));
    const answer = await client.call("configure", request);
    expect([answer.getAcceptsecrets(), answer.getSupportspreview()]).toEqual([true, true]);
    let key: string | undefined;
    let insecure: string | undefined;
    life.create = ({ configuration }) => {
      key =
        configuration.environment("DOCS_HOSTING_ADMIN_API_KEY") ??
        configuration.stackConfig("docs-hosting:adminApiKey");
      insecure = configuration.stackConfig("docs-hosting:allowInsecure");
      return Promise.resolve(STATE);
    };
    await client.call("create", createRequest({}));
    expect([key, insecure]).toEqual([expected, "true"]);
  });

  test.each([
    ["default", {}, "DOCS_HOSTING_ADMIN_API_KEY (or the config docs-hosting:adminApiKey)"],
    ["second", { adminApiKey: secret("svc_given") }, "adminApiKey of the provider second"],
    ["second", {}, "DOCS_HOSTING_ADMIN_API_KEY (or adminApiKey of the provider second)"],
  ])("messages of %s with %j name where its key is set", async (name, args, setting) => {
    const request = new rpc.ConfigureRequest();
    request.setName(name);
    request.setArgs(struct(args));
    await client.call("configure", request);
    const seen: unknown[] = [];
    life.create = ({ configuration }) => {
      seen.push(serviceSettings(configuration, { baseUrl: "https://x.test" }).apiKeyName);
      seen.push(
        serviceSettings(configuration, { baseUrl: "https://x.test", apiKeyEnv: "OTHER_KEY" }).apiKeyName,
      );
      return Promise.resolve(STATE);
    };
    await client.call("create", createRequest({}));
    expect(seen).toEqual([setting, "OTHER_KEY"]);
  });

  test("a malformed key of an explicit provider is corrected in its arguments", async () => {
    const [failure] = failuresOf(await checkConfig({ adminApiKey: "wrong" }, "second"));
    expect(failure).toContain("Set adminApiKey of the provider second.");
    expect(failure).not.toContain("DOCS_HOSTING_ADMIN_API_KEY");
  });

  test("a provider without a key of its own takes that of the environment", async () => {
    environment["DOCS_HOSTING_ADMIN_API_KEY"] = KEY;
    const request = new rpc.ConfigureRequest();
    request.setName("second");
    request.setArgs(struct({ baseUrl: "https://eu.example.test" }));
    await client.call("configure", request);
    const seen: (string | undefined)[] = [];
    life.create = ({ configuration }) => {
      seen.push(configuration.environment("DOCS_HOSTING_ADMIN_API_KEY"));
      return Promise.resolve(STATE);
    };
    await client.call("create", createRequest({}));
    expect(seen).toEqual([KEY]);
  });

  test("never requests its own replacement, after any change", async () => {
    const diff = await client.call(
      "diffConfig",
      diffRequest({}, { baseUrl: "b" }, { "docs-hosting:baseUrl": "a" }),
    );
    expect(diff.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_SOME);
    expect(diff.getReplacesList()).toEqual([]);
    const same = await client.call("diffConfig", diffRequest({}, { baseUrl: "b" }, { baseUrl: "b" }));
    expect(same.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_NONE);
  });
});

describe("check", () => {
  test("hands plain visible inputs to the life cycle, and seals what was secret", async () => {
    const seen: unknown[] = [];
    life.check = (given, _configuration, before) => {
      seen.push(given, before);
      return { inputs: { ...given, added: 1 }, failures: [] };
    };
    const news = { name: secret("n"), triggers: [UNKNOWN, { deep: secret(["x"]) }], __provider: "code" };
    const answer = await client.call("check", checkRequest(news, { name: "before", __urn: "u" }));
    expect(seen).toEqual([{ name: "n", triggers: [UNKNOWN, { deep: ["x"] }] }, { name: "before" }]);
    expect(plainOf(answer.getInputs())).toEqual({
      name: secret("n"),
      triggers: [UNKNOWN, { deep: secret(["x"]) }],
      added: 1,
    });
  });

  test("reports failures by property; of a secret one without the value that the engine would show", async () => {
    life.check = (inputs) => ({
      inputs,
      failures: [
        { property: "name", reason: "is hidden-text" },
        { property: "other", reason: "is long" },
      ],
    });
    const answer = await client.call("check", checkRequest({ name: secret("hidden-text"), other: "o" }));
    const failures = answer.getFailuresList().map((each) => [each.getProperty(), each.getReason()]);
    expect(failures).toEqual([
      ["", "name: is [removed]"],
      ["other", "is long"],
    ]);
  });
});

describe("diff", () => {
  const kinds = (answer: rpc.DiffResponse): Record<string, [number, boolean]> =>
    Object.fromEntries(
      answer
        .getDetaileddiffMap()
        .getEntryList()
        .map(([path]) => {
          const diff = answer.getDetaileddiffMap().get(path);
          return [path, [diff?.getKind() ?? -1, diff?.getInputdiff() ?? false]];
        }),
    );
  const { Kind } = rpc.PropertyDiff;

  test("reports that nothing changes, and prints the decision as a debug line", async () => {
    const answer = await client.call("diff", diffRequest({ name: "n" }, { name: "n" }));
    expect(answer.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_NONE);
    expect(answer.getHasdetaileddiff()).toBe(true);
    expect(debugLines).toEqual(["UP_TO_DATE: nothing to do"]);
  });

  test("names each changed property down to its fields", async () => {
    life.diff = () => ({
      ...UP_TO_DATE,
      changed: ["list", "place", "gone", "new", "kind"],
      replaces: ["place"],
    });
    const before = { list: [1, { a: 1, "b c": 2 }], place: { folder: "a", same: 1 }, gone: 1, kind: "x" };
    const news = { list: [1, { a: 2, "b c": 3 }], place: { folder: "b", same: 1 }, new: 1, kind: ["x"] };
    const answer = await client.call("diff", diffRequest({}, news, before));
    expect(kinds(answer)).toEqual({
      "list[1].a": [Kind.UPDATE, true],
      'list[1]["b c"]': [Kind.UPDATE, true],
      "place.folder": [Kind.UPDATE_REPLACE, true],
      gone: [Kind.DELETE, true],
      new: [Kind.ADD, true],
      kind: [Kind.UPDATE, true],
    });
    expect(answer.getReplacesList()).toEqual(["place"]);
    expect(answer.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_SOME);
  });

  test("names the outputs that a hidden reason changes", async () => {
    life.diff = () => ({
      ...UP_TO_DATE,
      hidden: true,
      decision: { code: "RENEW_WINDOW", text: "it is due" },
    });
    const olds = { name: "n", bundleUrl: secret("https://store/x"), __bookkeeping: {} };
    const answer = await client.call("diff", diffRequest(olds, { name: "n" }, { name: "n" }));
    expect(kinds(answer)).toEqual({ bundleUrl: [Kind.UPDATE, false] });
    expect(lines.info).toEqual(["RENEW_WINDOW: it is due"]);
  });

  test.each([
    [`${URN}-before`, rpc.DiffResponse.DiffChanges.DIFF_SOME],
    [DYNAMIC_URN, rpc.DiffResponse.DiffChanges.DIFF_NONE],
    [URN, rpc.DiffResponse.DiffChanges.DIFF_NONE],
  ])("of a resource whose state has the URN %s", async (before, changes) => {
    const answer = await client.call("diff", diffRequest({ __urn: before, __provider: "code" }, {}));
    expect(answer.getChanges()).toBe(changes);
  });
});

describe("create and update", () => {
  test("pass the URN, the limit and the trace on, and seal the state", async () => {
    const seen: { urn?: string; formerUrn?: string; limitMs?: number }[] = [];
    life.create = ({ urn = "", formerUrn = "" }, _inputs, limitMs = 0) => {
      seen.push({ urn, formerUrn, limitMs });
      return Promise.resolve({ ...STATE, outputs: { ...STATE.outputs, echo: "hidden", size: 7 } });
    };
    const answer = await client.call(
      "create",
      createRequest({ name: secret("hidden"), size: secret(7) }, { seconds: 90 }),
      { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    );
    expect(seen).toEqual([{ urn: URN, formerUrn: DYNAMIC_URN, limitMs: 90_000 }]);
    expect(traced).toEqual(["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]);
    expect(answer.getId()).toBe("the-id");
    expect(plainOf(answer.getProperties())).toEqual({
      name: secret("n"),
      bundleUrl: secret(STATE.outputs.bundleUrl),
      echo: secret("hidden"),
      size: secret(7),
      __bookkeeping: { seen: 1 },
      __urn: URN,
    });
  });

  test("of a preview only predict", async () => {
    life.create = () => expect.fail("nothing is created in a preview");
    life.update = () => expect.fail("nothing is updated in a preview");
    const news = { name: UNKNOWN, version: secret(UNKNOWN) };
    const predicted = { ...news, bundleUrl: secret(UNKNOWN) };
    const created = await client.call("create", createRequest(news, { preview: true }));
    expect(created.getId()).toBe("");
    expect(plainOf(created.getProperties())).toEqual(predicted);
    const updated = await client.call("update", updateRequest({ __bookkeeping: {} }, news, true));
    expect(plainOf(updated.getProperties())).toEqual(predicted);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["create", () => client.call("create", createRequest({ list: [{ a: UNKNOWN }] }))],
    ["update", () => client.call("update", updateRequest({}, { list: [{ a: UNKNOWN }] }))],
  ])("refuse unknown values where it is no preview: %s", async (_name, call) => {
    expect(await caught(call())).toMatchObject({
      code: 3,
      details: "list.0.a is not known, and this is no preview",
    });
  });

  test("an unfinished operation leaves as a partial result, sealed, with the reason", async () => {
    life.create = ({ secrets }) => {
      secrets.add(KEY);
      return Promise.reject(new UnfinishedError(new Error(`stopped with ${KEY}`), STATE));
    };
    const error = await caught(client.call("create", createRequest({ name: secret("n") })));
    const partial = partialResultIn(error);
    expect(partial?.getId()).toBe("the-id");
    expect(partial?.getReasonsList()).toEqual(["stopped with [removed]"]);
    expect(plainOf(partial?.getInputs())).toEqual({ name: secret("n") });
    expect(plainOf(partial?.getProperties())).toMatchObject({
      bundleUrl: secret(STATE.outputs.bundleUrl),
      __bookkeeping: { seen: 1 },
    });
    expect(error.details).toBe("stopped with [removed]");
  });

  test("an update knows the URN of the state, and that of a dynamic resource where it has none", async () => {
    const seen: (string | undefined)[] = [];
    life.update = ({ formerUrn }: Context) => {
      seen.push(formerUrn);
      return Promise.resolve(STATE);
    };
    for (const urn of [`${URN}-before`, URN, undefined]) {
      await client.call("update", updateRequest(urn === undefined ? {} : { __urn: urn }, {}));
    }
    expect(seen).toEqual([`${URN}-before`, undefined, DYNAMIC_URN]);
  });
});

describe("read", () => {
  test("of a refresh returns inputs and outputs, and seals what the state has as secrets", async () => {
    const properties = {
      name: secret("n"),
      bundleUrl: secret("https://x"),
      __bookkeeping: { seen: 1 },
      __urn: "u",
    };
    const answer = await client.call(
      "read",
      readRequest("the-id", { properties, inputs: { name: secret("n") } }),
    );
    expect(plainOf(answer.getInputs())).toEqual({ name: secret("n") });
    expect(plainOf(answer.getProperties())).toEqual(properties);
  });

  test("of what is gone has no id, and says so once", async () => {
    life.read = () => Promise.resolve(undefined);
    const answer = await client.call("read", readRequest("the-id", { properties: { __bookkeeping: {} } }));
    expect(answer.getId()).toBe("");
    expect(lines.info).toEqual(["JOB_GONE: it is gone"]);
  });

  test("without inputs and state is an import; with empty ones a lookup, which mints nothing", async () => {
    life.lookUp = (_context, id, given) => Promise.resolve({ inputs: { id, given }, state: STATE });
    const imported = await client.call("read", readRequest("a/b"));
    expect(plainOf(imported.getInputs())).toEqual({ name: "imported" });
    life.import = () => expect.fail("`.get()` imports nothing");
    const found = await client.call("read", readRequest("a/b", { properties: {}, inputs: {} }));
    expect(plainOf(found.getInputs())).toEqual({ id: "a/b", given: {} });
  });
});

test("delete removes what the state describes", async () => {
  const removed: unknown[] = [];
  life.remove = (context, state) => {
    removed.push([context.urn, state]);
    return Promise.resolve();
  };
  const request = new rpc.DeleteRequest();
  request.setUrn(URN);
  request.setProperties(struct({ name: secret("n"), __bookkeeping: { seen: 2 }, __provider: "code" }));
  await client.call("delete", request);
  expect(removed).toEqual([[URN, { outputs: { name: "n" }, bookkeeping: { seen: 2 } }]]);
});

test("Cancel stops an operation in flight, and every later one", async () => {
  const started = vi.fn();
  life.create = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      started();
    });
  const creating = caught(client.call("create", createRequest({})));
  await vi.waitFor(() => expect(started).toHaveBeenCalled());
  await client.call("cancel", new Empty());
  expect((await creating).details).toBe("the run was cancelled");
  expect((await caught(client.call("create", createRequest({})))).details).toBe("the run was cancelled");
});

describe("a hostile call is answered with an error, and the process serves on:", () => {
  const garbage = new Struct();
  garbage.getFieldsMap().set("a", new Value());
  const withGarbage = checkRequest({});
  withGarbage.setNews(garbage);
  const ofType = (type: string): rpc.CheckRequest => {
    const request = checkRequest({});
    request.setType(type);
    return request;
  };
  const invoke = new rpc.InvokeRequest();
  invoke.setTok("docs-hosting:index:constructor");

  test.each<[string, () => Promise<unknown>]>([
    ["a value without a kind", () => client.call("check", withGarbage)],
    ["a check without anything", () => client.call("check", new rpc.CheckRequest())],
    ["a diff without anything", () => client.call("diff", new rpc.DiffRequest())],
    ["a create without anything", () => client.call("create", new rpc.CreateRequest())],
    ["a read without anything", () => client.call("read", new rpc.ReadRequest())],
    ["an update without anything", () => client.call("update", new rpc.UpdateRequest())],
    ["a delete without anything", () => client.call("delete", new rpc.DeleteRequest())],
    ["another type", () => client.call("check", ofType("docs-hosting:index:Castle"))],
    ["a type of every object", () => client.call("check", ofType("constructor"))],
    ["a function of every object", () => client.call("invoke", invoke)],
    ["a component", () => client.call("construct", new rpc.ConstructRequest())],
  ])("%s", async (_what, call) => {
    const error = await caught(call());
    expect(error.code).toBeGreaterThan(0);
    expect(error.details).not.toBe("");
    await client.call("getPluginInfo", new Empty());
  });

  test("properties of the wrong types reach the rules of the inputs, not the process", async () => {
    life.check = () => {
      throw new TypeError("half \ud83d");
    };
    expect((await caught(client.call("check", checkRequest({ name: [] })))).details).toBe("half \ufffd");
  });

  test("a message of more than gRPC takes by default", async () => {
    const answer = await client.call("check", checkRequest({ name: "x".repeat(5_000_000) }));
    expect((plainOf(answer.getInputs()) as { name: string }).name).toHaveLength(5_000_000);
  });
});
