// The registrations of StaticExport and AgentJob by a program, read through Pulumi's own mocks.
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AgentJob } from "../../../sdk/agentJob.ts";
import { handlerText } from "../../../sdk/handler.ts";
import { resourceUrn } from "../../../sdk/resourceUrn.ts";
import { StaticExport } from "../../../sdk/staticExport.ts";
import { type Registered, resolved, settled, startProgram } from "../../simulation/pulumiProgram.ts";

const KEY_CONFIG = "docs-hosting:adminApiKey";
const EXPORT = "pulumi-nodejs:dynamic/docs-hosting:StaticExport";
const JOB = "pulumi-nodejs:dynamic/docs-hosting:AgentJob";

let registered: Registered[];
/** Each run of a program has its own name: a message once per program is logged again. */
let programs = 0;

async function runProgram(config: Record<string, string> = {}, secret: string[] = []): Promise<void> {
  const outputs = { bundleUrl: "https://store.example.com/x", model: "m" };
  registered = await startProgram({ outputs, project: `program-${++programs}` });
  pulumi.runtime.setAllConfig(config, secret);
}
beforeEach(() => runProgram());
afterEach(() => {
  vi.restoreAllMocks();
  pulumi.runtime.setAllConfig({});
});

async function inputsOf(declare: () => pulumi.Resource): Promise<Record<string, unknown>> {
  declare();
  await settled();
  return registered.at(-1)?.inputs ?? {};
}
/** Options with which a resource was registered, by a transform. */
async function optionsOf(
  declare: (opts: pulumi.CustomResourceOptions) => unknown,
): Promise<pulumi.CustomResourceOptions> {
  let seen: pulumi.CustomResourceOptions = {};
  declare({
    transformations: [
      ({ opts }) => {
        seen = opts;
        return undefined;
      },
    ],
  });
  await settled();
  return seen;
}

const docs = (opts?: pulumi.CustomResourceOptions): StaticExport =>
  new StaticExport("docs", { domain: "docs.example.com" }, opts);
const job = (opts?: pulumi.CustomResourceOptions): AgentJob =>
  new AgentJob("job", { projectId: "p1", id: "a1" }, opts);

describe("StaticExport", () => {
  test("registers its inputs, the text that finds the provider, and its own URN", async () => {
    const inputs = await inputsOf(() => docs());
    expect(inputs).toEqual({
      domain: "docs.example.com",
      __provider: handlerText("StaticExport"),
      __urn: `urn:pulumi:stack::program-${programs}::${EXPORT}::docs`,
    });
    expect(registered).toMatchObject([{ type: EXPORT, name: "docs", id: "" }]);
  });

  test("passes every input on", async () => {
    const args = {
      domain: "docs.example.com",
      version: "v1",
      triggers: ["a", 1],
      jobId: "7f3a",
      renewBefore: "24h",
      renewalTimeout: "10m",
      baseUrl: "https://api.example.test",
      apiKeyEnv: "SECOND_KEY",
    } as const;
    expect(
      await inputsOf(() => new StaticExport("docs", { ...args, triggers: [...args.triggers] })),
    ).toMatchObject(args);
  });

  test("has an output for each of them, and for the service's values", () => {
    const outputs = docs() as unknown as Record<string, unknown>;
    const names =
      "domain version triggers jobId status pageCount bundleUrl expiresAt renewAfter renewBefore renewalTimeout baseUrl apiKeyEnv";
    for (const name of names.split(" ")) expect(pulumi.Output.isInstance(outputs[name]), name).toBe(true);
  });

  test("marks the link as a secret, beside the outputs that the user wants to be secret", async () => {
    expect((await optionsOf(docs)).additionalSecretOutputs).toEqual(["bundleUrl"]);
    const own = await optionsOf((opts) => docs({ ...opts, additionalSecretOutputs: ["jobId"] }));
    expect(own.additionalSecretOutputs).toEqual(["bundleUrl", "jobId"]);
  });

  test("keeps the user's other options", async () => {
    const options = await optionsOf((opts) => docs({ ...opts, protect: true, ignoreChanges: ["version"] }));
    expect(options).toMatchObject({ protect: true, ignoreChanges: ["version"] });
  });

  test("that is only read is read by its site, with the id that finds the job", async () => {
    const inputs = await inputsOf(() =>
      StaticExport.get("found", "docs.example.com", { jobId: "7f3a", version: "v1" }, { protect: true }),
    );
    expect(registered.at(-1)?.id).toBe("docs.example.com");
    expect(inputs).toMatchObject({ domain: "docs.example.com", jobId: "7f3a", version: "v1" });
  });
});

describe("AgentJob", () => {
  test("registers its inputs, with the id under another name, and the text that finds the provider", async () => {
    expect(await inputsOf(() => job())).toEqual({
      projectId: "p1",
      jobId: "a1",
      __provider: handlerText("AgentJob"),
      __urn: `urn:pulumi:stack::program-${programs}::${JOB}::job`,
    });
    expect(registered).toMatchObject([{ type: JOB, name: "job", id: "" }]);
  });

  test("passes every input on, and has an output for each field", async () => {
    const args = {
      projectId: "p1",
      acceptFailed: true,
      baseUrl: "https://x.example",
      apiKeyEnv: "SECOND_KEY",
    };
    expect(await inputsOf(() => new AgentJob("job", { ...args, id: "a1" }))).toMatchObject(args);
    const outputs = job() as unknown as Record<string, unknown>;
    const names = "projectId status source model prLink createdAt archivedAt acceptFailed baseUrl apiKeyEnv";
    for (const name of names.split(" ")) expect(pulumi.Output.isInstance(outputs[name]), name).toBe(true);
    expect(await resolved(job().model)).toMatchObject({ value: "m" });
  });
});

describe.each([
  ["StaticExport", docs],
  ["AgentJob", job],
])("%s", (_name, declare) => {
  test("in a component gives the provider its URN there", async () => {
    const parent = new pulumi.ComponentResource("acme:index:Site", "site");
    const resource = declare({ parent });
    await settled();
    const { value: urn } = await resolved(resource.urn);
    expect(urn).toContain("::acme:index:Site$pulumi-nodejs:dynamic/");
    expect(registered.at(-1)?.inputs["__urn"]).toBe(urn);
  });

  test("gives the provider the customTimeouts, which Pulumi does not pass to it", async () => {
    const customTimeouts = { create: "1h", update: "90s" };
    expect(await inputsOf(() => declare({ customTimeouts }))).toMatchObject({ __timeouts: customTimeouts });
  });

  test("warns once per program of a key in plain text in the configuration", async () => {
    const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
    await runProgram({ [KEY_CONFIG]: "svc_c4n4ry" });
    declare();
    expect(warn).toHaveBeenCalledTimes(1);
    const [text = ""] = warn.mock.calls[0] ?? [];
    expect(text).toContain(`the configuration ${KEY_CONFIG} holds the admin API key in plain text`);
    expect(text).toContain(`\`pulumi config set --secret ${KEY_CONFIG}\``);
    expect(text).not.toContain("c4n4ry");
    declare();
    expect(warn).toHaveBeenCalledTimes(1);
    await runProgram({ [KEY_CONFIG]: "svc_c4n4ry" });
    declare();
    expect(warn).toHaveBeenCalledTimes(2);
    await settled();
  });

  test("does not warn without such a key, of a secret one, or where the SDK cannot distinguish them", async () => {
    const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
    declare();
    await runProgram({ [KEY_CONFIG]: "svc_c4n4ry" }, [KEY_CONFIG]);
    declare();
    await runProgram({ [KEY_CONFIG]: "svc_c4n4ry" });
    const runtime = pulumi.runtime as { isConfigSecret?: unknown };
    const { isConfigSecret: value } = runtime;
    const writable = { configurable: true, writable: true };
    Object.defineProperty(runtime, "isConfigSecret", { ...writable, value: undefined });
    declare();
    Object.defineProperty(runtime, "isConfigSecret", { ...writable, value });
    await settled();
    expect(warn).not.toHaveBeenCalled();
  });
});

describe("the URN", () => {
  test("has no dependencies, so that siblings do not wait for each other", async () => {
    const parent = new pulumi.ComponentResource("acme:index:Site", "site");
    const urn = resourceUrn("docs", EXPORT, parent);
    expect(pulumi.Output.isInstance(urn)).toBe(false);
    expect(await urn).toBe(`urn:pulumi:stack::program-${programs}::acme:index:Site$${EXPORT}::docs`);
  });

  test("is none where the parent's own is unknown", async () => {
    const unknown = pulumi.output("");
    Object.assign(unknown, { isKnown: Promise.resolve(false) });
    const parent = { urn: unknown } as unknown as pulumi.Resource;
    expect(await resourceUrn("docs", EXPORT, parent)).toBeUndefined();
  });
});
