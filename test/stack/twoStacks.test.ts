// Two stacks of one project: side by side, or one that exports and one that installs, with a StackReference for the link.
import { expect, test, vi } from "vitest";
import { PATIENTLY } from "../simulation/patience.ts";
import { docs } from "./programFolder.ts";
import { bundle, startsOf } from "./requests.ts";
import { releaseLog, releaseLogFile, standInRelease } from "./standInRelease.ts";
import { buildWorld, nameOf, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

/** First lines of the platform team's program: `docs` is the other stack, and Helm releases are recorded in `log`. */
const platformProgram = (log: string): string => `${standInRelease(log)}
  const docs = new pulumi.StackReference("docs", { name: "organization/scenario/test" });
  const link = { bundleUrl: docs.getOutput("bundleUrl"), version: docs.getOutput("version") };
  const setting = { deploymentKind: "air-gapped", chart: "oci://registry.invalid/docs" };`;

onEachEngine("two stacks", (kind) => {
  test.concurrent("L37 two simultaneous stacks of one project are independent", async (context) => {
    const world = await buildWorld(context, kind, { jobDurationMs: 500 });
    world.program(docs("version: pulumi.getStack()"));
    const second = await world.open({ stack: "second" });
    await Promise.all([world.up(), second.up().then(succeeded)]);
    const one = (await world.exported("docs")).outputs;
    const other = (await world.exported("docs", second)).outputs;
    expect([one["version"], other["version"]]).toEqual(["test", "second"]);
    expect(one["jobId"]).not.toBe(other["jobId"]);
    expect(startsOf(world.service.requests)).toHaveLength(2);

    expect(stepsOf(succeeded(await world.stack.destroy()))).toEqual(["delete docs"]);
    expect((await world.exported("docs", second)).outputs).toEqual(other);
    await previewIsEmpty(world, second);
  });

  test.concurrent(
    "C07 the link reaches an installation in another stack as a secret, and a renewal is one change of its release",
    async (context) => {
      const world = await buildWorld(context, kind, { linkLifetimeMs: 6_000 });
      const platform = await world.open({ stack: "platform" });
      const log = releaseLogFile(world);
      const documentation = `const { bundleUrl, version } = ${docs(`version: "v1"`)}
        module.exports = { bundleUrl, version };`;
      const installation = (): void =>
        world.program(`${platformProgram(log)}
          new SelfHostedDocs("installation", { staticExport: link, ...setting });
          module.exports = link;`);
      const steps = async (): Promise<string[]> =>
        succeeded(await platform.up())
          .steps.filter(({ op }) => op !== "same" && op !== "read")
          .map(({ op, urn }) => `${op} ${nameOf(urn)}`);

      expect((await world.up(documentation)).outputs["bundleUrl"]?.secret).toBe(true);
      const first = (await world.exported()).outputs;
      world.requests();
      installation();
      const up = succeeded(await platform.up());
      expect(up.outputs).toEqual({
        bundleUrl: { value: first["bundleUrl"], secret: true },
        version: { value: "v1", secret: false },
      });
      const released = (await platform.exportState()).find(({ type }) => type.endsWith(":Release"));
      const staticExport = { enabled: true, bundleUrl: first["bundleUrl"], version: "v1" };
      for (const values of [released?.inputs, released?.outputs]) {
        expect(values?.["values"]).toEqual({ staticExport });
      }
      expect(released).toMatchObject({ secretInputs: ["values"], secretOutputs: ["values"] });
      await previewIsEmpty(world, platform);

      await vi.waitUntil(() => Date.now() >= Date.parse(String(first["renewAfter"])), PATIENTLY);
      await world.up(documentation);
      expect(world.requests()).toEqual([bundle(first["jobId"])]);
      const { bundleUrl } = (await world.exported()).outputs;
      expect(bundleUrl).not.toBe(first["bundleUrl"]);
      installation();
      expect(await steps()).toEqual(["update installation"]);
      expect(await steps()).toEqual([]);
      expect(releaseLog(log)).toEqual(["install v1", "upgrade v1"]);
      expect(world.requests()).toEqual([]); // the installing stack sends no request to the service

      const written = await world.everythingWritten();
      for (const link of [first["bundleUrl"], bundleUrl]) {
        expect(written.includes(new URL(String(link)).search)).toBe(false);
      }
    },
  );

  test.concurrent(
    "C07 a link that is missing in the other stack is reported as such, and nothing is installed",
    async (context) => {
      const world = await buildWorld(context, kind);
      await world.up(`module.exports = { version: "v1" };`);
      const platform = await world.open({ stack: "platform" });
      const log = releaseLogFile(world);
      for (const [program, owner] of [
        [
          `new kubernetes.helm.v3.Release("release", { values: staticExportValues(link) });`,
          "staticExportValues",
        ],
        [
          `new SelfHostedDocs("installation", { staticExport: link, ...setting });`,
          'SelfHostedDocs "installation"',
        ],
      ] as const) {
        world.program(`${platformProgram(log)}
          ${program}`);
        const { ok, error } = await platform.up();
        expect(ok).toBe(false);
        expect(error).toContain(
          `${owner}: \`bundleUrl\` is missing. If it comes from another stack, check that`,
        );
        expect(releaseLog(log)).toEqual([]);
      }
      expect(world.requests()).toEqual([]);
    },
  );
});
