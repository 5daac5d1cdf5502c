// `StaticExport.get`: an export that something else manages.
import { expect, test } from "vitest";
import { releaseLog, releaseLogFile, standInRelease } from "./standInRelease.ts";
import { buildWorld, onEachEngine, stepsOf, succeeded } from "./world.ts";

onEachEngine("lookup", (kind) => {
  test.concurrent(
    "get reads an export by its job, and neither starts, renews nor deletes anything",
    async (context) => {
      const world = await buildWorld(context, kind);
      const managed = `const docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1" });`;
      world.program(managed);
      succeeded(await world.stack.up());
      const { outputs } = await world.exported();
      world.requests();
      world.program(
        `${managed}
         const found = StaticExport.get("found", "docs.example.com", { jobId: "${String(outputs["jobId"])}" });
         module.exports = { domain: found.domain, status: found.status, pages: found.pageCount, job: found.jobId };`,
      );
      succeeded(await world.stack.preview());
      const up = succeeded(await world.stack.up());
      expect(up.outputs).toMatchObject({
        domain: { value: "docs.example.com" },
        status: { value: "completed" },
        pages: { value: 1 },
        job: { value: outputs["jobId"] },
      });
      succeeded(await world.stack.refresh());
      expect(new Set(world.requests())).toEqual(
        new Set([`GET /v1/static-export/jobs/${String(outputs["jobId"])}`]),
      );
      succeeded(await world.stack.destroy());
      expect(world.requests()).toEqual([]);
    },
  );

  test.concurrent(
    "C10 what get reads has no link: its values and its installation are errors, in previews too, and nothing is installed",
    async (context) => {
      const world = await buildWorld(context, kind);
      const log = releaseLogFile(context);
      for (const [use, owner] of [
        [
          `new kubernetes.helm.v3.Release("docs", { values: staticExportValues(foreign) });`,
          "staticExportValues",
        ],
        [
          `new SelfHostedDocs("docs", { staticExport: foreign, deploymentKind: "air-gapped", chart: "oci://registry.invalid/docs" });`,
          'SelfHostedDocs "docs"',
        ],
      ] as const) {
        world.program(`${standInRelease(log)}
          const foreign = StaticExport.get("found", "docs.example.com", { jobId: "7f3a" });
          ${use}`);
        for (const { ok, error } of [await world.stack.preview(), await world.stack.up()]) {
          expect(ok).toBe(false);
          expect(error).toContain(
            `${owner}: \`staticExport\` has no link: an export that was read with StaticExport.get`,
          );
        }
      }
      expect(releaseLog(log)).toEqual([]);
      expect(world.requests().filter((request) => !request.startsWith("GET "))).toEqual([]);
    },
  );

  test.concurrent.for([
    [
      "a job that the service does not have",
      `{ jobId: "no-such-job" }`,
      "there is no job no-such-job at http",
    ],
    ["no job", `{}`, "jobId is needed to look an export up"],
    ["an id that cannot be one", `{ jobId: ".." }`, "jobId is not an id of a job"],
  ] as const)("get with %s is an error that says so", async ([, lookup, text], context) => {
    const world = await buildWorld(context, kind);
    world.program(`StaticExport.get("found", "docs.example.com", ${lookup});`);
    const up = await world.stack.up();
    expect(up.ok).toBe(false);
    expect(up.error).toContain(text);
    expect(stepsOf(up)).not.toContain("create found");
  });
});
