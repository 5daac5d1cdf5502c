// The link to the bundle: when it is dead, when it is not to be had, and on its way into a chart's values.
import { expect, test, vi } from "vitest";
import { bundle, JOBS, poll } from "./requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded, type World } from "./world.ts";

const DOCS = `new StaticExport("docs", { domain: "docs.example.com" });`;

/** Answers requests for a link with this; the service itself would sign its own. */
const answerBundle = (world: World, answer: () => { status?: number; body: unknown }): (() => void) =>
  world.service.intercept(({ path }) => (path.endsWith("/bundle") ? answer() : undefined));

/** A moment from now on, as the service writes it. */
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

onEachEngine("links", (kind) => {
  test.concurrent(
    "L11 a link that has expired: refresh keeps the job, the next up renews the link only",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(DOCS);
      const bundleUrl = "https://storage.example.com/docs.tar.gz?signature=0ld";
      const undo = answerBundle(world, () => ({ body: { bundleUrl, expiresAt: inMs(3_500) } }));
      succeeded(await world.stack.up());
      undo();
      const before = await world.exported();
      const { jobId, version, expiresAt } = before.outputs;
      world.requests();
      await vi.waitUntil(() => Date.now() > Date.parse(String(expiresAt)), { timeout: 5_000 });

      succeeded(await world.stack.refresh());
      expect(world.requests()).toEqual([poll(jobId)]);
      expect((await world.exported()).outputs).toEqual(before.outputs);
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      expect(world.requests()).toEqual([bundle(jobId)]);
      const { outputs } = await world.exported();
      expect(outputs).toMatchObject({ jobId, version, pageCount: before.outputs["pageCount"] });
      expect((await fetch(String(outputs["bundleUrl"]))).status).toBe(200);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "L19, C12 a completed job without a link is kept, and the next up asks for the link only; its page count is there",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(DOCS);
      const undo = answerBundle(world, () => ({ status: 501, body: { error: "storage is full" } }));
      const up = await world.stack.up();
      expect(up.ok).toBe(false);
      expect(up.error).toContain("storage is full");
      expect(up.error).toContain("Nothing is lost");
      const { id, outputs, initErrors } = await world.exported();
      expect(id).toBe("docs.example.com");
      expect(outputs["bundleUrl"]).toBeUndefined();
      expect(initErrors).toHaveLength(1);
      world.requests();
      undo();
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      expect(world.requests()).toEqual([bundle(outputs["jobId"])]);
      const after = await world.exported();
      expect(after.outputs).toMatchObject({ jobId: outputs["jobId"], status: "completed", pageCount: 1 });
      expect(after.initErrors).toEqual([]);
      expect(after.secretOutputs).toEqual(["bundleUrl"]);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "L19 an update whose link fails: the old link stays, and the next up asks for the new one only",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): void =>
        world.program(`new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });`);
      program("v1");
      succeeded(await world.stack.up());
      const before = await world.exported();
      world.requests();
      program("v2");
      const undo = answerBundle(world, () => ({ status: 501, body: { error: "storage is full" } }));
      expect((await world.stack.up()).error).toContain("stays in place");
      const started = world.service.requests.at(-1)?.jobId;
      expect((await world.exported()).outputs).toMatchObject({
        bundleUrl: before.outputs["bundleUrl"],
        version: "v1",
      });
      world.requests();
      undo();
      succeeded(await world.stack.up());
      expect(world.requests()).toEqual([bundle(started)]);
      expect((await world.exported()).outputs).toMatchObject({ jobId: started, version: "v2" });
      await previewIsEmpty(world);
    },
  );

  // The real kubernetes.helm.v3.Release is tested on a cluster; this one only has its shape: nested values, kept in
  // inputs and outputs of the same name.
  test.concurrent(
    "L41, U09, U11 a release's values get the link byte for byte, as a secret all the way",
    async (context) => {
      const world = await buildWorld(context, kind);
      const handler = `exports.handler = () => ({ create: async (inputs) => ({ id: "release", outs: inputs }) });`;
      world.program(
        `const docs = new StaticExport("docs", { domain: "docs.example.com" });
       class Release extends pulumi.CustomResource {
         constructor(name, args) {
           super("pulumi-nodejs:dynamic:Release", name, { ...args, __provider: ${JSON.stringify(handler)} });
         }
       }
       new Release("release", { chart: "./chart", values: { ...staticExportValues(docs), replicas: 2 } });`,
      );
      const secretPart = "c4n4ry-s1gnature";
      const bundleUrl =
        `https://storage.example.com/a,b/{docs}\\\\bundle.tar.gz?list=1,2&map={"a":"b"}&quote='&percent=%2B%20%&` +
        `dollar=$(id)$HOME\`id\`&back=\\n\\&plus=a+b&umlaut=ü&signature=${secretPart}==`;
      answerBundle(world, () => ({ body: { bundleUrl, expiresAt: inMs(3_600_000) } }));
      succeeded(await world.stack.up());

      const { outputs } = await world.exported();
      expect(outputs["bundleUrl"]).toBe(bundleUrl);
      const release = (await world.stack.exportState()).find(({ type }) => type.endsWith(":Release"));
      const values = {
        staticExport: { enabled: true, bundleUrl, version: outputs["jobId"] },
        replicas: 2,
      };
      expect(release?.inputs["values"]).toEqual(values);
      expect(release?.outputs["values"]).toEqual(values);
      expect(release?.secretInputs).toEqual(["values"]);
      expect(release?.secretOutputs).toEqual(["values"]);
      await previewIsEmpty(world);
      expect(world.service.requests.filter(({ path }) => path === JOBS)).toHaveLength(1);
      expect(await world.everythingWritten()).not.toContain(secretPart);
    },
  );
});
