// A documentation team exports in one stack, a platform team installs in another: the link goes by StackReference.
import { expect, test, vi } from "vitest";
import { bundle } from "./requests.ts";
import { buildWorld, nameOf, onEachEngine, previewIsEmpty, succeeded } from "./world.ts";

/** Takes values as a Helm release does, and compares them as Pulumi does by itself. */
const RELEASE = `
  const handler = \`exports.handler = () => ({
    check: async (_, news) => ({ inputs: news, failures: [] }),
    diff: async () => ({}),
    create: async (inputs) => ({ id: "release", outs: inputs }),
    update: async (id, olds, news) => ({ outs: news }),
  })\`;
  class Release extends pulumi.CustomResource {
    constructor(name, values) {
      super("pulumi-nodejs:dynamic/test:Release", name, { __provider: handler, values });
    }
  }
  const docs = new pulumi.StackReference("docs", { name: "organization/scenario/test" });`;

onEachEngine("stack references", (kind) => {
  test.concurrent(
    "C07 the link reaches an installation in another stack as a secret, and a renewal is one change of its release",
    async (context) => {
      const world = await buildWorld(context, kind, { linkLifetimeMs: 6_000 });
      const platform = await world.open({ stack: "platform" });
      const docs = (version: string): void =>
        world.program(`
          const docs = new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });
          module.exports = { bundleUrl: docs.bundleUrl, version: docs.version };`);
      const installation = (): void =>
        world.program(`${RELEASE}
          const [bundleUrl, version] = [docs.getOutput("bundleUrl"), docs.getOutput("version")];
          new Release("release", staticExportValues({ bundleUrl, version }));
          module.exports = { bundleUrl, version };`);
      const steps = async (): Promise<string[]> =>
        succeeded(await platform.up())
          .steps.filter(({ op, urn }) => op !== "same" && urn.includes("::release"))
          .map(({ op, urn }) => `${op} ${nameOf(urn)}`);

      docs("v1");
      expect(succeeded(await world.stack.up()).outputs["bundleUrl"]?.secret).toBe(true);
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

      docs("v1");
      await vi.waitUntil(() => Date.now() >= Date.parse(String(first["renewAfter"])), { timeout: 10_000 });
      succeeded(await world.stack.up());
      expect(world.requests()).toEqual([bundle(first["jobId"])]);
      const { bundleUrl } = (await world.exported()).outputs;
      expect(bundleUrl).not.toBe(first["bundleUrl"]);
      installation();
      expect(await steps()).toEqual(["update release"]);
      expect(await steps()).toEqual([]);
      expect(world.requests()).toEqual([]); // who installs asks the service nothing

      const written = await world.everythingWritten();
      for (const link of [first["bundleUrl"], bundleUrl]) {
        expect(written.includes(new URL(String(link)).search)).toBe(false);
      }
    },
  );

  test.concurrent(
    "C07 a link that the other stack does not have is told as such, and nothing is installed",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(`module.exports = { version: "v1" };`);
      succeeded(await world.stack.up());
      const platform = await world.open({ stack: "platform" });
      const link = `{ bundleUrl: docs.getOutput("bundleUrl"), version: docs.getOutput("version") }`;
      for (const [program, owner] of [
        [`new Release("release", staticExportValues(${link}));`, "staticExportValues"],
        [
          `const { SelfHostedDocs } = require("pulumi-docs-hosting/kubernetes");
           new SelfHostedDocs("installation", { staticExport: ${link}, deploymentKind: "air-gapped",
             chart: "oci://registry.invalid/docs" });`,
          'SelfHostedDocs "installation"',
        ],
      ] as const) {
        world.program(`${RELEASE}\n${program}`);
        const { ok, error } = await platform.up();
        expect(ok).toBe(false);
        expect(error).toContain(
          `${owner}: \`bundleUrl\` is missing. If it comes from another stack, check that`,
        );
        const types = (await platform.exportState()).map(({ type }) => type);
        expect(types.filter((type) => type.endsWith(":Release"))).toEqual([]);
      }
      expect(world.requests()).toEqual([]);
    },
  );
});
