// `StaticExport.get`: an export that another program manages.
import { expect, test } from "vitest";
import type { Setting } from "./adapters.ts";
import { startJob } from "./releases.ts";
import { poll } from "./requests.ts";
import { releaseLog, releaseLogFile, standInRelease } from "./standInRelease.ts";
import { buildWorld, onEachEngine, onlyWith, stepsOf, succeeded } from "./world.ts";

/** Generated classes have the job in the id. */
const getExport = ({ adapter }: Setting, jobId: string): string =>
  adapter === "native"
    ? `StaticExport.get("found", "docs.example.com/${jobId}")`
    : `StaticExport.get("found", "docs.example.com", { jobId: "${jobId}" })`;

onEachEngine("lookup", (kind) => {
  test.concurrent(
    "get reads an export by its job, and starts, renews and deletes nothing",
    async (context) => {
      const world = await buildWorld(context, kind);
      const managed = `const docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1" });`;
      await world.up(managed);
      const { jobId } = (await world.exported()).outputs;
      world.requests();
      const up = await world.up(
        `${managed}
         const found = ${getExport(kind, String(jobId))};
         module.exports = { domain: found.domain, status: found.status, pages: found.pageCount, job: found.jobId };`,
      );
      expect(up.outputs).toMatchObject({
        domain: { value: "docs.example.com" },
        status: { value: "completed" },
        pages: { value: 1 },
        job: { value: jobId },
      });
      succeeded(await world.stack.refresh());
      expect(new Set(world.requests())).toEqual(new Set([poll(jobId)]));
      succeeded(await world.stack.destroy());
      expect(world.requests()).toEqual([]);
    },
  );

  test.concurrent(
    "C10 an export that get reads has no link: its values and its installation are errors, in a preview and in an up, and nothing is installed",
    async (context) => {
      onlyWith(context, "dynamic", kind, "StaticExport.get of the npm package notes what has no link");
      const world = await buildWorld(context, kind);
      const jobId = await startJob(world.service);
      world.requests();
      const log = releaseLogFile(world);
      for (const [operation, owner, use] of [
        [
          "preview",
          "staticExportValues",
          `new kubernetes.helm.v3.Release("docs", { values: staticExportValues(foreign) });`,
        ],
        [
          "up",
          'SelfHostedDocs "docs"',
          `new SelfHostedDocs("docs", { staticExport: foreign, deploymentKind: "air-gapped", chart: "oci://registry.invalid/docs" });`,
        ],
      ] as const) {
        world.program(`${standInRelease(log)}
          const foreign = ${getExport(kind, jobId)};
          ${use}`);
        const { ok, error } = await world.stack[operation]();
        expect(ok).toBe(false);
        expect(error).toContain(
          `${owner}: \`staticExport\` has no link: an export that was read with StaticExport.get`,
        );
      }
      expect(releaseLog(log)).toEqual([]);
      expect(world.requests().filter((request) => !request.startsWith("GET "))).toEqual([]);
    },
  );

  test.concurrent("get with an unknown job is an error that says so", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(`${getExport(kind, "no-such-job")};`);
    const up = await world.stack.up();
    expect(up.ok).toBe(false);
    expect(up.error).toContain("there is no job no-such-job at http");
    expect(stepsOf(up)).not.toContain("create found");
  });
});
