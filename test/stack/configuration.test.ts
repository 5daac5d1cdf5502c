// The provider's view of the stack's configuration over time.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OperationResult } from "../engine/index.ts";
import { buildWorld, CANARY_KEY, onEachEngine, onlyWith, previewIsEmpty, succeeded } from "./world.ts";

onEachEngine("configuration", (kind) => {
  // In an update, checks come one after the other, so the first one has waited for `configure` before the second. A refresh
  // begins with all reads at once.
  test.concurrent(
    "L40 eight first calls while configure takes two seconds: none lacks the key",
    async (context) => {
      onlyWith(context, "dynamic", kind, "an engine waits for a plugin's answer to Configure");
      const world = await buildWorld(context, kind, {
        env: { DOCS_HOSTING_ADMIN_API_KEY: undefined },
        secretConfig: { "docs-hosting:adminApiKey": CANARY_KEY },
      });
      await world.up(
        `for (let index = 0; index < 8; index++)
         new StaticExport("docs" + index, { domain: "docs.example.com" });`,
      );
      world.requests();
      const hook = join(import.meta.dirname, "slowConfigure.ts");
      const slow = await world.open({ env: { NODE_OPTIONS: `--require ${JSON.stringify(hook)}` } });
      const refresh = succeeded(await slow.refresh({ parallel: 8 }));
      expect(refresh.text).toContain("7 reads while configure ran");
      expect(new Set(world.requests(({ status }) => status === 200)).size).toBe(8);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "I07 a key that is no secret of the configuration works, with one warning in each run that says how to make it one",
    async (context) => {
      onlyWith(context, "dynamic", kind, "the warning of a key in plain text is the npm package's");
      const world = await buildWorld(context, kind, {
        env: { DOCS_HOSTING_ADMIN_API_KEY: undefined },
        config: { "docs-hosting:adminApiKey": CANARY_KEY },
      });
      world.program(
        `for (const name of ["one", "two"]) new StaticExport(name, { domain: "docs.example.com" });
       new AgentJob("agent", { projectId: "p1", id: "a1" });`,
      );
      world.service.agentJobs.create("p1", { id: "a1", endsAfterMs: 0 });
      const warningsOf = (result: OperationResult): string[] => {
        expect(succeeded(result).text).not.toContain(CANARY_KEY);
        return result.logs.filter(({ severity }) => severity === "warning").map(({ message }) => message);
      };
      for (const run of ["preview", "up"] as const) {
        expect(warningsOf(await world.stack[run]())).toEqual([
          expect.stringContaining("`pulumi config set --secret docs-hosting:adminApiKey`"),
        ]);
      }
      expect(JSON.stringify(await world.stack.exportState())).not.toContain(CANARY_KEY);
      await world.stack.setConfig("docs-hosting:adminApiKey", CANARY_KEY, { secret: true });
      expect(warningsOf(await world.stack.preview())).toEqual([]);
    },
  );

  test.concurrent(
    "F11 a base URL that is a secret of the configuration stays one in inputs and outputs of each resource that takes it from there",
    async (context) => {
      const world = await buildWorld(context, kind, { env: { DOCS_HOSTING_BASE_URL: undefined } });
      await world.stack.setConfig("docs-hosting:baseUrl", `${world.service.url}/`, { secret: true });
      const { url } = await world.startService(CANARY_KEY);
      await world
        .up(
          `new StaticExport("docs", { domain: "docs.example.com" });
         new StaticExport("given", { domain: "docs.example.com", baseUrl: "${url}" });
         new AgentJob("agent", { projectId: "p1", id: "a1" });`,
        )
        .catch(() => undefined); // there is no such agent job
      const { inputs, outputs, secretInputs, secretOutputs } = await world.exported("docs");
      expect([inputs["baseUrl"], outputs["baseUrl"]]).toEqual([world.service.url, world.service.url]);
      expect(secretInputs).toEqual(["baseUrl"]);
      expect([...secretOutputs].sort()).toEqual(["baseUrl", "bundleUrl"]);
      expect((await world.exported("given")).secretInputs).toEqual([]);
      const port = new URL(world.service.url).host;
      succeeded(await world.stack.refresh());
      const files = await Promise.all(
        (await world.stack.stateFiles()).map((file) => readFile(file, "latin1")),
      );
      expect(files.filter((text) => text.includes(port))).toEqual([]);
    },
  );
});
