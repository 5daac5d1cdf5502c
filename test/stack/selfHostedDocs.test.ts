// The errors of a self-hosted installation in a preview: its whole life is tested on a cluster.
import { expect, test } from "vitest";
import { docs } from "./programFolder.ts";
import { buildWorld, onEachEngine } from "./world.ts";

onEachEngine("self-hosted installation", (kind) => {
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
