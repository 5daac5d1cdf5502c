// The operations of an engine on a resource: create, update, read, delete, and their end by Cancel.
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js";
import * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { beforeEach, describe, expect, test, type TestContext, vi } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import type { Context } from "../../../../provider/resource/context.ts";
import { UnfinishedError } from "../../../../provider/resource/lifeCycle.ts";
import { PATIENTLY } from "../../../simulation/patience.ts";
import { partialResultIn, type PluginClient, secret, struct } from "./pluginClient.ts";
import { caught, createRequest, DYNAMIC_URN, plainOf, readRequest, updateRequest, URN } from "./requests.ts";
import { serveLife, STATE } from "./servedLife.ts";

const KEY = "svc_c4n4ry";
const served = serveLife();

describe("create and update", () => {
  test("pass the URN, the limit and the trace on, and seal the state", async () => {
    const seen: { urn?: string; formerUrn?: string; limitMs?: number }[] = [];
    served.life.create = ({ urn = "", formerUrn = "" }, _inputs, limitMs = 0) => {
      seen.push({ urn, formerUrn, limitMs });
      return Promise.resolve({ ...STATE, outputs: { ...STATE.outputs, echo: "hidden", size: 7 } });
    };
    const answer = await served.client.call(
      "create",
      createRequest({ name: secret("hidden"), size: secret(7) }, { seconds: 90 }),
      { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    );
    expect(seen).toEqual([{ urn: URN, formerUrn: DYNAMIC_URN, limitMs: 90_000 }]);
    expect(served.traced).toEqual(["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]);
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
    served.life.create = () => expect.fail("nothing is created in a preview");
    served.life.update = () => expect.fail("nothing is updated in a preview");
    const news = { name: UNKNOWN, version: secret(UNKNOWN) };
    const predicted = { ...news, bundleUrl: secret(UNKNOWN) };
    const created = await served.client.call("create", createRequest(news, { preview: true }));
    expect(created.getId()).toBe("");
    expect(plainOf(created.getProperties())).toEqual(predicted);
    const updated = await served.client.call("update", updateRequest({ __bookkeeping: {} }, news, true));
    expect(plainOf(updated.getProperties())).toEqual(predicted);
  });

  test("of a preview report what it can find out, those of a run do not", async () => {
    const seen: unknown[] = [];
    served.life.foresee = (context, inputs, state) => {
      context.reporter.info("found out");
      seen.push([inputs, state?.bookkeeping]);
      return Promise.resolve();
    };
    await served.client.call("create", createRequest({ name: "n" }, { preview: true }));
    await served.client.call("update", updateRequest({ __bookkeeping: { seen: 1 } }, { name: "m" }, true));
    await served.client.call("create", createRequest({ name: "n" }));
    expect(seen).toEqual([
      [{ name: "n" }, undefined],
      [{ name: "m" }, { seen: 1 }],
    ]);
    expect(served.lines.info.filter((line) => line.includes("found out"))).toHaveLength(2);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["create", () => served.client.call("create", createRequest({ list: [{ a: UNKNOWN }] }))],
    ["update", () => served.client.call("update", updateRequest({}, { list: [{ a: UNKNOWN }] }))],
  ])("refuse unknown values where it is no preview: %s", async (_name, call) => {
    expect(await caught(call())).toMatchObject({
      code: 3,
      details: "list.0.a is not known, and this is no preview",
    });
  });

  test("an unfinished operation leaves as a partial result, sealed, with the reason", async () => {
    served.life.create = ({ secrets }) => {
      secrets.add(KEY);
      return Promise.reject(new UnfinishedError(new Error(`stopped with ${KEY}`), STATE));
    };
    const error = await caught(served.client.call("create", createRequest({ name: secret("n") })));
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
    served.life.update = ({ formerUrn }: Context) => {
      seen.push(formerUrn);
      return Promise.resolve(STATE);
    };
    for (const urn of [`${URN}-before`, URN, undefined]) {
      await served.client.call("update", updateRequest(urn === undefined ? {} : { __urn: urn }, {}));
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
    const answer = await served.client.call(
      "read",
      readRequest("the-id", { properties, inputs: { name: secret("n") } }),
    );
    expect(plainOf(answer.getInputs())).toEqual({ name: secret("n") });
    expect(plainOf(answer.getProperties())).toEqual(properties);
  });

  test("of what is gone has no id, and says so once", async () => {
    served.life.read = () => Promise.resolve(undefined);
    const answer = await served.client.call(
      "read",
      readRequest("the-id", { properties: { __bookkeeping: {} } }),
    );
    expect(answer.getId()).toBe("");
    expect(served.lines.info).toEqual(["JOB_GONE: it is gone"]);
  });

  test("without inputs and state is an import; with empty ones a lookup, which mints nothing", async () => {
    served.life.lookUp = (_context, id, given) => Promise.resolve({ inputs: { id, given }, state: STATE });
    const imported = await served.client.call("read", readRequest("a/b"));
    expect(plainOf(imported.getInputs())).toEqual({ name: "imported" });
    served.life.import = () => expect.fail("`.get()` imports nothing");
    const found = await served.client.call("read", readRequest("a/b", { properties: {}, inputs: {} }));
    expect(plainOf(found.getInputs())).toEqual({ id: "a/b", given: {} });
  });
});

test("delete removes what the state describes", async () => {
  const removed: unknown[] = [];
  served.life.remove = (context, state) => {
    removed.push([context.urn, state]);
    return Promise.resolve();
  };
  const request = new rpc.DeleteRequest();
  request.setUrn(URN);
  request.setProperties(struct({ name: secret("n"), __bookkeeping: { seen: 2 }, __provider: "code" }));
  await served.client.call("delete", request);
  expect(removed).toEqual([[URN, { outputs: { name: "n" }, bookkeeping: { seen: 2 } }]]);
});

test("Cancel stops an operation in flight, and every later one", async () => {
  const started = vi.fn();
  served.life.create = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      started();
    });
  const creating = caught(served.client.call("create", createRequest({})));
  await vi.waitFor(() => expect(started).toHaveBeenCalled(), PATIENTLY);
  await served.client.call("cancel", new Empty());
  expect((await creating).details).toBe("the run was cancelled");
  expect((await caught(served.client.call("create", createRequest({})))).details).toBe(
    "the run was cancelled",
  );
});

describe("under PULUMI_DEBUG_PROVIDERS, engines of two stacks attach to one process", () => {
  interface Attached {
    readonly engine: PluginClient;
    /** Settles when the operation that was started has ended. */
    readonly creating: Promise<unknown>;
  }

  /** An engine that attached, with the settings of its stack, and has begun to create a resource. */
  async function attach(context: TestContext, baseUrl: string): Promise<Attached> {
    const engine = served.client.another();
    context.onTestFinished(() => engine.close());
    const request = new PluginAttach();
    request.setAddress("127.0.0.1:1");
    await engine.call("attach", request);
    const settings = new rpc.ConfigureRequest();
    settings.setName("default");
    settings.setArgs(struct({ baseUrl }));
    await engine.call("configure", settings);
    const begun = seen.length;
    const creating = engine.call("create", createRequest({})).then(() => "created", String);
    await vi.waitFor(() => expect(seen).toHaveLength(begun + 1), PATIENTLY);
    return { engine, creating };
  }

  let seen: (string | undefined)[];
  let finish: (() => void)[];
  beforeEach(() => {
    seen = [];
    finish = [];
    served.life.create = ({ signal, configuration }) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        finish.push(() => resolve(STATE));
        seen.push(configuration.stackConfig("docs-hosting:baseUrl"));
      });
  });

  test("the end of one stack's run leaves the other's operations alone, whichever attached first", async (context) => {
    const one = await attach(context, "https://one.test");
    const two = await attach(context, "https://two.test");
    const three = await attach(context, "https://three.test");
    await two.engine.call("cancel", new Empty());
    expect(await two.creating).toContain("the run was cancelled");
    for (const end of finish) end();
    expect([await one.creating, await three.creating]).toEqual(["created", "created"]);
    await three.engine.call("cancel", new Empty());
    expect((await caught(three.engine.call("create", createRequest({})))).details).toContain("cancelled");
  });

  test("each works with the settings of its own stack, also after the other was configured", async (context) => {
    const one = await attach(context, "https://one.test");
    await attach(context, "https://two.test");
    const creating = one.engine.call("create", createRequest({}));
    await vi.waitFor(() => expect(seen).toHaveLength(3), PATIENTLY);
    for (const end of finish) end();
    await creating;
    expect(seen).toEqual(["https://one.test", "https://two.test", "https://one.test"]);
  });

  test("an engine that attaches again after its end runs as a new one", async (context) => {
    const { engine } = await attach(context, "https://one.test");
    await engine.call("cancel", new Empty());
    await engine.call("attach", new PluginAttach());
    served.life.create = () => Promise.resolve(STATE);
    expect((await engine.call("create", createRequest({}))).getId()).toBe("the-id");
  });
});
