// The link to the bundle: when it has ended, when the service refuses one, and on its way into a chart's values.
import { expect, test, vi } from "vitest";
import { PATIENTLY } from "../simulation/patience.ts";
import { docs } from "./programFolder.ts";
import { bundle, poll, startsOf } from "./requests.ts";
import { releaseLogFile, standInRelease } from "./standInRelease.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

/** A moment from now on, as the service writes it. */
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

onEachEngine("links", (kind) => {
  test.concurrent(
    "L11, L45 a link that has ended: refresh keeps the job, the next up only renews the link, by one request",
    async (context) => {
      const world = await buildWorld(context, kind);
      const bundleUrl = "https://storage.example.com/docs.tar.gz?signature=0ld";
      const undo = world.service.intercept(({ path }) =>
        path.endsWith("/bundle") ? { body: { bundleUrl, expiresAt: inMs(3_500) } } : undefined,
      );
      await world.up(docs());
      undo();
      const before = await world.exported();
      const { jobId, version, expiresAt } = before.outputs;
      world.requests();
      await vi.waitUntil(() => Date.now() > Date.parse(String(expiresAt)), PATIENTLY);

      succeeded(await world.stack.refresh());
      expect(world.requests()).toEqual([poll(jobId)]);
      expect((await world.exported()).outputs).toEqual(before.outputs);
      expect(stepsOf(await world.up())).toEqual(["update docs"]);
      expect(world.requests()).toEqual([bundle(jobId)]);
      const { outputs } = await world.exported();
      expect(outputs).toMatchObject({ jobId, version, pageCount: before.outputs["pageCount"] });
      expect((await fetch(String(outputs["bundleUrl"]))).status).toBe(200);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "L41, U09, U11 a release's values get the link byte for byte, secret all the way",
    async (context) => {
      const world = await buildWorld(context, kind);
      const secretPart = "c4n4ry-s1gnature";
      const bundleUrl =
        `https://storage.example.com/a,b/{docs}\\\\bundle.tar.gz?list=1,2&map={"a":"b"}&quote='&percent=%2B%20%&` +
        `dollar=$(id)$HOME\`id\`&back=\\n\\&plus=a+b&umlaut=ü&signature=${secretPart}==`;
      world.answerLinks({ body: { bundleUrl, expiresAt: inMs(3_600_000) } });
      await world.up(
        `${standInRelease(releaseLogFile(world))}
         const site = ${docs()}
         new kubernetes.helm.v3.Release("release", { values: { ...staticExportValues(site), replicas: 2 } });`,
      );

      const { outputs } = await world.exported();
      expect(outputs["bundleUrl"]).toBe(bundleUrl);
      const release = (await world.stack.exportState()).find(({ type }) => type.endsWith(":Release"));
      const values = {
        staticExport: { enabled: true, bundleUrl, version: outputs["jobId"], jobId: outputs["jobId"] },
        replicas: 2,
      };
      expect(release?.inputs["values"]).toEqual(values);
      expect(release?.outputs["values"]).toEqual(values);
      expect(release?.secretInputs).toEqual(["values"]);
      expect(release?.secretOutputs).toEqual(["values"]);
      await previewIsEmpty(world);
      expect(startsOf(world.service.requests)).toHaveLength(1);
      expect(await world.everythingWritten()).not.toContain(secretPart);
    },
  );
});
