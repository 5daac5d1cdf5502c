// The user's view of errors: in an input, at the service, in the job.
import { expect, test } from "vitest";
import { docs } from "./programFolder.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf } from "./world.ts";

onEachEngine("refusals", (kind) => {
  test.concurrent.for([
    [
      "I01, I09, I10 bad inputs of an export",
      docs(
        `domain: "https://docs.example.com/guide", renewBefore: "soon", jobId: "..", verison: "1"`,
        `{ customTimeouts: { create: "0s" } }`,
      ),
      {
        dynamic: ["domain", "renewBefore", "jobId", "verison", "customTimeouts"],
        native: ["domain", "renewBefore", "jobId"],
      },
    ],
    [
      "bad inputs of an agent job",
      `new AgentJob("agent", { projectId: "..", id: "a\\u0000", acceptFailed: "yes", name: "x" });`,
      {
        dynamic: ["projectId", "id", "acceptFailed", "name"],
        native: ["projectId", "jobId", "acceptFailed"],
      },
    ],
  ] as const)(
    "%s are failures of the user's own properties, before any request",
    async ([, program, properties], context) => {
      const world = await buildWorld(context, kind);
      world.program(program);
      const { ok, error } = await world.stack.preview();
      expect(ok).toBe(false);
      // generated classes pass on nothing that the schema does not have
      for (const property of properties[kind.adapter]) {
        expect(error).toContain(`property ${property} value`);
      }
      expect(world.service.requests).toEqual([]);
    },
  );

  test.concurrent.for([undefined, "", "not-a-key"])(
    "L43 a missing or malformed key is a check failure, before any request: %j",
    async (key, context) => {
      const world = await buildWorld(context, kind, { env: { DOCS_HOSTING_ADMIN_API_KEY: key } });
      world.program(docs());
      const { ok, error } = await world.stack.preview();
      expect(ok).toBe(false);
      expect(error).toContain("DOCS_HOSTING_ADMIN_API_KEY");
      expect(error).toContain("pulumi config set --secret docs-hosting:adminApiKey");
      if (key) expect(error).not.toContain(key);
      expect(world.service.requests).toEqual([]);
    },
  );

  test.concurrent(
    "L31 --continue-on-error: three of seven are refused, each with what to do, four are exported, and the next up makes the three",
    async (context) => {
      const world = await buildWorld(context, kind, { env: { WRONG_KEY: "svc_wrong" } });
      const program = (keyOfThird: string, fourth: string, fifth: string): string =>
        `["docs", "other", "docs", "${fourth}", "${fifth}", "docs", "other"].forEach((site, index) =>
           new StaticExport("export" + index, {
             domain: site + ".example.com",
             apiKeyEnv: index === 2 ? "${keyOfThird}" : undefined,
           }));`;
      world.program(program("WRONG_KEY", "free", "unknown"));
      const { ok, error } = await world.stack.up({ continueOnError: true });
      expect(ok).toBe(false);
      expect(error).toContain("rejected the API key");
      expect(error).toContain("free.example.com: ");
      expect(error).toContain("enterprise plan");
      expect(error).toContain("unknown.example.com: ");
      expect(error?.match(/No job was started\./g)).toHaveLength(3);
      const made = (await world.stack.exportState()).filter(({ custom }) => custom);
      expect(made.map(({ id }) => id).sort()).toEqual([
        "docs.example.com",
        "docs.example.com",
        "other.example.com",
        "other.example.com",
      ]);
      for (const { outputs, initErrors } of made) {
        expect(outputs["status"]).toBe("completed");
        expect(outputs["bundleUrl"]).toContain(outputs["jobId"]);
        expect(initErrors).toEqual([]);
      }
      expect(stepsOf(await world.up(program("DOCS_HOSTING_ADMIN_API_KEY", "docs", "other"))).sort()).toEqual([
        "create export2",
        "create export3",
        "create export4",
      ]);
      await previewIsEmpty(world);
    },
  );
});
