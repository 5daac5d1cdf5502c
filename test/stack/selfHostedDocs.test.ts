// The errors of a self-hosted installation in a preview: its whole life is tested on a cluster.
import { join } from "node:path";
import { expect, test } from "vitest";
import { docs } from "./programFolder.ts";
import { releaseLogFile, standInRelease } from "./standInRelease.ts";
import { buildWorld, onEachEngine } from "./world.ts";

const COPIED_SITE = join(import.meta.dirname, "../../dist/sdk/copiedSite.js");
const IMAGE = `r.example.com/site@sha256:${"a0".repeat(32)}`;

/** A program that installs a copy with this destination and these outputs; its release is a stand-in. */
const installsCopy = (log: string, destination: object, made: object): string => `
  ${standInRelease(log)}
  const provider = { async create(inputs) { return { id: "copy", outs: inputs }; } };
  class Copy extends pulumi.dynamic.Resource {
    constructor(name, props) { super(provider, name, props); }
  }
  const outputs = { version: "v1", jobId: "7f3a", sha256: "${"5f".repeat(32)}", image: undefined, bundleUrl: undefined };
  const { rememberDestination } = require(${JSON.stringify(COPIED_SITE)});
  const copy = new Copy("copy", { ...outputs, destination: ${JSON.stringify(destination)}, ...${JSON.stringify(made)} });
  rememberDestination(copy, ${JSON.stringify(destination)});
  const args = { staticExport: copy, chart: "oci://registry.invalid/docs", deploymentKind: "air-gapped" };
  new SelfHostedDocs("installation", args);`;

onEachEngine("self-hosted installation", (kind) => {
  test.concurrent(
    "a copy in a registry is installed by its image alone, without a warning about an air gap",
    async (context) => {
      const world = await buildWorld(context, kind);
      const log = releaseLogFile(world);
      const destination = { repository: "r.example.com/site", base: "r.example.com/nginx:1" };
      world.program(installsCopy(log, destination, { image: IMAGE }));
      const { ok, error, text } = await world.stack.up();
      expect(error).toBeUndefined();
      expect(ok).toBe(true);
      expect(text).not.toContain("it must reach the"); // none of it needs a link
      const release = (await world.stack.exportState()).find(({ type }) => type.endsWith("test:Release"));
      expect(release?.inputs["values"]).toEqual({
        staticExport: { enabled: true, version: "v1", jobId: "7f3a" },
        fetch: {},
        siteImage: IMAGE,
        siteVolume: {},
      });
    },
  );

  test.concurrent("a copy in a folder is refused in the preview, with what to do", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(installsCopy(releaseLogFile(world), { folder: "/srv/docs" }, {}));
    const { ok, error } = await world.stack.preview();
    expect(ok).toBe(false);
    expect(error).toContain(
      'SelfHostedDocs "installation": `staticExport` is a copy in a folder of the machine',
    );
    expect(error).toContain("Give the BundleCopy another destination: { repository, base }");
    expect(error).not.toMatch(/^\s+at /m);
    expect(await world.stack.exportState()).toEqual([]);
  });

  test.concurrent(
    "search in an air-gapped installation is refused in the preview, with the row of the table, before anything is created",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(
        `const { SelfHostedDocs } = require("pulumi-docs-hosting/kubernetes");
         const staticExport = ${docs()}
         const chart = "oci://registry.invalid/docs";
         const args = { staticExport, chart, deploymentKind: "air-gapped", features: { search: true } };
         new SelfHostedDocs("installation", args);`,
      );
      const { ok, error, steps } = await world.stack.preview();
      expect(ok).toBe(false);
      expect(error).toContain(
        'SelfHostedDocs "installation": Documentation search: unavailable in an installation of the kind "air-gapped".',
      );
      expect(error).toContain("| Documentation search | available | configurable  | unavailable |");
      expect(error).not.toMatch(/^\s+at /m); // an error of the user: no stack trace
      expect(steps.filter(({ urn }) => urn.includes("SelfHostedDocs"))).toEqual([]);
      expect(world.service.requests).toEqual([]);
      expect(await world.stack.exportState()).toEqual([]);
    },
  );
});
