// What a self-hosted installation refuses, in a preview: the whole life of one is tested on a cluster.
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildWorld, onEachEngine } from "./world.ts";

/** A program that exports a site and installs it. */
const installation = (args: string): string => `
  const { SelfHostedDocs } = require("pulumi-docs-hosting/kubernetes");
  const docs = new StaticExport("docs", { domain: "docs.example.com" });
  new SelfHostedDocs("installation", { staticExport: docs, chart: "oci://registry.invalid/docs", ${args} });`;

onEachEngine("self-hosted installation", (kind) => {
  test.concurrent(
    "search in an air-gapped one is refused in the preview, with the row of the table, before anything is created",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(installation(`deploymentKind: "air-gapped", features: { search: true }`));
      const { ok, error, steps } = await world.stack.preview();
      expect(ok).toBe(false);
      expect(error).toContain(
        'SelfHostedDocs "installation": Documentation search: unavailable in an installation of the kind "air-gapped".',
      );
      expect(error).toContain("| Documentation search | available | configurable  | unavailable |");
      expect(error).not.toMatch(/^\s+at /m); // a mistake of the user's: no stack trace
      expect(steps.filter(({ urn }) => urn.includes("SelfHostedDocs"))).toEqual([]);
      expect(world.service.requests).toEqual([]);
      expect(await world.stack.exportState()).toEqual([]);
    },
  );

  test.concurrent.for([
    [
      "an unknown feature",
      `deploymentKind: "client-hosted", features: { serach: true }`,
      '"serach"; there are',
    ],
    ["an unknown deployment kind", `deploymentKind: "selfhosted"`, 'there are "client-hosted", "air-gapped"'],
    [
      "a folder that is not there",
      `deploymentKind: "air-gapped", chart: "./nowhere"`,
      join("program", "nowhere."),
    ],
    [
      "a folder without a Chart.yaml",
      `deploymentKind: "air-gapped", chart: "./node_modules"`,
      "has no Chart.yaml",
    ],
  ] as const)("%s is refused in the preview", async ([, args, text], context) => {
    const world = await buildWorld(context, kind);
    world.program(installation(args));
    const { ok, error } = await world.stack.preview();
    expect(ok).toBe(false);
    expect(error).toContain(text);
    expect(error).not.toMatch(/^\s+at /m);
    expect(world.service.requests).toEqual([]);
  });
});
