// What the user sees when something is wrong: on the input, at the service, with the job.
import { expect, test } from "vitest";
import { buildWorld, onEachEngine, stepsOf, succeeded, type World } from "./world.ts";

const docs = (args: string, options = "{}"): string => `new StaticExport("docs", ${args}, ${options});`;
const DOCS = docs(`{ domain: "docs.example.com" }`);

async function nothingKept(world: World): Promise<void> {
  await expect(world.exported()).rejects.toThrow("0 resources StaticExport");
}

onEachEngine("refusals", (kind) => {
  test.concurrent(
    "I01, I09, I10 bad inputs are failures of the user's own properties, before any request",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(
        docs(
          `{ domain: "https://docs.example.com/guide", renewBefore: "soon", jobId: "..", verison: "1" }`,
          `{ customTimeouts: { create: "0s" } }`,
        ),
      );
      for (const operation of ["preview", "up"] as const) {
        const { ok, error } = await world.stack[operation]();
        expect(ok).toBe(false);
        for (const property of ["domain", "renewBefore", "jobId", "verison", "customTimeouts"]) {
          expect(error).toContain(`property ${property} value`);
        }
      }
      expect(world.service.requests).toEqual([]);
      await nothingKept(world);
    },
  );

  test.concurrent(
    "L43 a missing or malformed key is a check failure, before any request",
    async (context) => {
      for (const key of [undefined, "", "not-a-key"]) {
        const world = await buildWorld(context, kind, { env: { DOCS_HOSTING_ADMIN_API_KEY: key } });
        world.program(DOCS);
        const { ok, error } = await world.stack.preview();
        expect(ok).toBe(false);
        expect(error).toContain("DOCS_HOSTING_ADMIN_API_KEY");
        expect(error).toContain("pulumi config set --secret docs-hosting:adminApiKey");
        if (key) expect(error).not.toContain(key);
        expect(world.service.requests).toEqual([]);
      }
    },
  );

  test.concurrent.for([
    ["a rejected key (401)", DOCS, { DOCS_HOSTING_ADMIN_API_KEY: "svc_wrong" }, "rejected the API key"],
    ["a site that is not on the plan (403)", docs(`{ domain: "free.example.com" }`), {}, "enterprise plan"],
    [
      "a site that the service does not know",
      docs(`{ domain: "unknown.example.com" }`),
      {},
      "unknown.example.com: ",
    ],
  ] as const)(
    "%s: an error that says what to do, and nothing is kept",
    async ([, program, env, text], context) => {
      const world = await buildWorld(context, kind, { env });
      world.program(program);
      const up = await world.stack.up();
      expect(up.ok).toBe(false);
      expect(up.error).toContain(text);
      expect(up.error).toContain("No job was started.");
      await nothingKept(world);
    },
  );

  test.concurrent(
    "L18 a failed job: its reason reaches the user, and the next up starts a new one",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(DOCS);
      const undo = world.service.intercept(({ method }) =>
        method === "GET" ? { body: { status: "failed", error: "guide.md: unclosed code block" } } : undefined,
      );
      const up = await world.stack.up();
      expect(up.error).toContain("failed: the service says: guide.md: unclosed code block.");
      await nothingKept(world);
      undo();
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["create docs"]);
    },
  );

  test.concurrent(
    "L44 an update that fails keeps the old link, and the next up tries again",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(docs(`{ domain: "docs.example.com", version: "v1" }`));
      succeeded(await world.stack.up());
      const before = await world.exported();
      world.program(docs(`{ domain: "docs.example.com", version: "v2" }`));
      const undo = world.service.intercept(({ method }) =>
        method === "GET" ? { body: { status: "failed" } } : undefined,
      );
      const up = await world.stack.up();
      expect(up.error).toContain(`The link to job ${String(before.outputs["jobId"])} stays in place.`);
      expect((await world.exported()).outputs).toEqual(before.outputs);
      undo();
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      expect((await world.exported()).outputs["version"]).toBe("v2");
    },
  );

  test.concurrent(
    "T01 an unknown status is taken for still running, and named once as a warning",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(DOCS);
      let polls = 0;
      world.service.intercept(({ method }) =>
        method === "GET" && ++polls <= 2 ? { body: { status: "paused" } } : undefined,
      );
      const up = succeeded(await world.stack.up());
      const warnings = up.logs.filter(({ severity }) => severity === "warning").map(({ message }) => message);
      expect(warnings).toEqual([expect.stringContaining('unknown status "paused"')]);
    },
  );

  test.concurrent.for([
    ["J01", "no jobId", "/jobs", { id: "7" }, 'without a usable "jobId"', false],
    ["U01", "no bundleUrl", "/bundle", { url: "x" }, 'without a "bundleUrl"', true],
    ["B03", "a page instead of JSON", "/jobs", "<html>log in</html>", "not JSON", false],
  ] as const)(
    "%s a reply with %s is named, and a started job is kept",
    async ([, , path, body, text, kept], context) => {
      const world = await buildWorld(context, kind);
      world.program(DOCS);
      const undo = world.service.intercept((request) =>
        request.method === "POST" && request.path.endsWith(path) ? { body } : undefined,
      );
      const up = await world.stack.up();
      expect(up.ok).toBe(false);
      expect(up.error).toContain(text);
      if (!kept) return nothingKept(world);
      const { outputs } = await world.exported();
      undo();
      world.requests();
      succeeded(await world.stack.up());
      expect(world.requests()).toEqual([`POST /v1/static-export/jobs/${String(outputs["jobId"])}/bundle`]);
    },
  );

  test.concurrent("L20 a resource that was never finished is destroyed cleanly", async (context) => {
    const world = await buildWorld(context, kind);
    world.holdJobs();
    world.program(docs(`{ domain: "docs.example.com" }`, `{ customTimeouts: { create: "4s" } }`));
    expect((await world.stack.up()).ok).toBe(false);
    expect(stepsOf(succeeded(await world.stack.destroy()))).toEqual(["delete docs"]);
    expect(await world.stack.exportState()).toEqual([]);
  });

  test.concurrent("L33 a preview needs no network", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(DOCS);
    await world.service.close();
    expect(stepsOf(succeeded(await world.stack.preview()))).toEqual(["create docs"]);
  });
});
