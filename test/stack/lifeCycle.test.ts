// Scenarios of a static export's life. After each, a preview shows nothing more to do.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fetchBundle } from "../../examples/start/bundle.ts";
import { bundle, poll, START, wholeExport } from "./requests.ts";
import { buildWorld, CANARY_KEY, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

onEachEngine("life cycle", (kind) => {
  test.concurrent("L01 create: one start, polls, one bundle; all outputs set", async (context) => {
    const world = await buildWorld(context, kind, { jobDurationMs: 300 });
    world.program(
      `const docs = new StaticExport("docs", { domain: "Docs.Example.com" });
       module.exports = { url: docs.bundleUrl, pages: docs.pageCount, version: docs.version };`,
    );
    const preview = succeeded(await world.stack.preview());
    expect(stepsOf(preview)).toEqual(["create docs"]);
    expect(world.requests()).toEqual([]);

    const up = succeeded(await world.stack.up());
    const { id, outputs, secretOutputs } = await world.exported();
    expect(world.requests()).toEqual([START, poll(outputs["jobId"]), bundle(outputs["jobId"])]);
    expect(id).toBe("docs.example.com");
    expect(outputs).toMatchObject({
      domain: "docs.example.com",
      version: outputs["jobId"],
      status: "completed",
      pageCount: 1,
      baseUrl: world.service.url,
      apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
    });
    expect(secretOutputs).toEqual(["bundleUrl"]);
    expect(Date.parse(String(outputs["expiresAt"]))).toBeGreaterThan(
      Date.parse(String(outputs["renewAfter"])),
    );
    expect(up.outputs["url"]?.secret).toBe(true);
    expect(up.outputs["pages"]).toEqual({ value: 1, secret: false });
    const site = join(world.programFolder, "site");
    await fetchBundle(String(outputs["bundleUrl"]), site);
    expect(await readFile(join(site, "index.html"), "utf8")).toContain("The first page.");
    await previewIsEmpty(world);
  });

  test.concurrent("L02, U12 nothing changed: no step and not one request", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(
      `new StaticExport("docs", { domain: "docs.example.com", triggers: [1, { a: null }], version: "v1" });`,
    );
    succeeded(await world.stack.up());
    const before = await world.exported();
    world.requests();
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual([]);
    expect(world.requests()).toEqual([]);
    expect(await world.exported()).toEqual(before);
  });

  test.concurrent("I12 undefined, null and absent are no difference", async (context) => {
    const world = await buildWorld(context, kind);
    const program = (value: string): void =>
      world.program(
        `const names = ["version", "triggers", "jobId", "renewBefore", "exportOptions", "baseUrl", "apiKeyEnv"];
         const rest = ${value} === "absent" ? [] : names.map((name) => [name, ${value}]);
         new StaticExport("docs", { domain: "docs.example.com", ...Object.fromEntries(rest) });`,
      );
    program("null");
    succeeded(await world.stack.up());
    for (const value of ["undefined", '"absent"', "null"]) {
      program(value);
      await previewIsEmpty(world);
    }
  });

  test.concurrent("L03 another domain: a replacement with a new job", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
    succeeded(await world.stack.up());
    world.program(`new StaticExport("docs", { domain: "other.example.com" });`);
    const up = succeeded(await world.stack.up());
    expect(up.summary.replace).toBe(1);
    const { id, outputs } = await world.exported();
    expect(id).toBe("other.example.com");
    expect(outputs["domain"]).toBe("other.example.com");
    expect(
      world.service.requests.filter(({ path }) => path.endsWith("/jobs")).map(({ domain }) => domain),
    ).toEqual(["docs.example.com", "other.example.com"]);
    await previewIsEmpty(world);
  });

  test.concurrent(
    "L04 only renewBefore, apiKeyEnv or time limits changed: recorded in place, no request",
    async (context) => {
      const world = await buildWorld(context, kind, { env: { OTHER_NAME: CANARY_KEY } });
      const program = (args: string, update: string): void =>
        world.program(
          `new StaticExport("docs", { domain: "docs.example.com", ${args} }, { customTimeouts: { update: "${update}" } });`,
        );
      program("", "30m");
      succeeded(await world.stack.up());
      const before = await world.exported();
      world.requests();
      program(`renewBefore: "5m"`, "1h");
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      const { outputs, inputs } = await world.exported();
      expect(outputs).toMatchObject({ bundleUrl: before.outputs["bundleUrl"], renewBefore: "5m" });
      expect(inputs["__timeouts"]).toEqual({ update: "1h" });

      program(`renewBefore: "5m"`, "2h");
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual([]);
      expect((await world.exported()).inputs["__timeouts"]).toEqual({ update: "2h" });

      program(`renewBefore: "5m", apiKeyEnv: "OTHER_NAME"`, "2h");
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      expect((await world.exported()).outputs).toEqual({ ...outputs, apiKeyEnv: "OTHER_NAME" });
      expect(world.requests()).toEqual([]);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "L05, L49 another version: known in the preview; a new job and link, and dependants follow",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): void =>
        world.program(
          `const docs = new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });
         const values = staticExportValues(docs).staticExport;
         module.exports = { version: docs.version, link: values.bundleUrl, pinned: values.version, on: values.enabled };`,
        );
      program("v1");
      succeeded(await world.stack.up());
      const before = await world.exported();
      world.requests();
      program("v2");
      world.addPage("news.md", "# News\n");
      const preview = succeeded(await world.stack.preview());
      expect(stepsOf(preview)).toEqual(["update docs"]);
      expect(preview.outputs["version"]).toEqual({ value: "v2", secret: false });
      const up = succeeded(await world.stack.up());
      const { outputs } = await world.exported();
      expect(world.requests()).toEqual([START, poll(outputs["jobId"]), bundle(outputs["jobId"])]);
      expect(outputs).toMatchObject({ version: "v2", pageCount: 2 });
      expect(outputs["jobId"]).not.toBe(before.outputs["jobId"]);
      expect(up.outputs).toMatchObject({
        link: { value: outputs["bundleUrl"], secret: true },
        pinned: { value: "v2", secret: false },
        on: { value: true, secret: false },
      });
      await previewIsEmpty(world);
    },
  );

  test.concurrent("L05 another trigger exports again", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(`new StaticExport("docs", { domain: "docs.example.com", triggers: ["abc"] });`);
    succeeded(await world.stack.up());
    world.requests();
    world.program(`new StaticExport("docs", { domain: "docs.example.com", triggers: ["def"] });`);
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
    expect(world.requests()).toEqual(wholeExport((await world.exported()).outputs["jobId"]));
    await previewIsEmpty(world);
  });

  test.concurrent("L07 refresh asks once, mints nothing, and changes nothing", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
    succeeded(await world.stack.up());
    const before = await world.exported();
    world.requests();
    succeeded(await world.stack.refresh());
    expect(world.requests()).toEqual([poll(before.outputs["jobId"])]);
    expect((await world.exported()).outputs).toEqual(before.outputs);
    expect((await world.exported()).secretOutputs).toEqual(["bundleUrl"]);
    await previewIsEmpty(world);
  });

  test.concurrent(
    "L08 a job that is gone leaves the state at refresh, and the next up exports again",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
      succeeded(await world.stack.up());
      await world.service.reset();
      succeeded(await world.stack.refresh());
      await expect(world.exported()).rejects.toThrow("0 resources StaticExport");
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["create docs"]);
      await previewIsEmpty(world);
    },
  );

  test.concurrent.for([
    ["L09", 501, "answered 501"],
    ["L10", 401, "rejected the API key"],
    ["L10", 403, "does not allow this"],
  ] as const)(
    "%s refresh answered with %i fails clearly and leaves the state as it was",
    async ([, status, text], context) => {
      const world = await buildWorld(context, kind);
      world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
      succeeded(await world.stack.up());
      const before = await world.exported();
      const undo = world.service.intercept(() => ({ status, body: { error: "not now" } }));
      const refresh = await world.stack.refresh();
      expect(refresh.ok).toBe(false);
      expect(refresh.error).toContain(text);
      expect(refresh.error).toContain("The state is unchanged.");
      // a refresh drops empty lists of dependencies, on the real engine too
      const propertyDependencies: unknown = expect.anything();
      expect(await world.exported()).toEqual({ ...before, propertyDependencies });
      undo();
      await previewIsEmpty(world);
    },
  );

  test.concurrent.for([
    ["L12 destroy without a key sends no request", { DOCS_HOSTING_ADMIN_API_KEY: undefined }],
    ["L13 destroy needs no service", { DOCS_HOSTING_BASE_URL: "http://127.0.0.1:1" }],
  ] as const)("%s, and forgets the state", async ([, env], context) => {
    const world = await buildWorld(context, kind);
    world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
    succeeded(await world.stack.up());
    world.requests();
    if ("DOCS_HOSTING_BASE_URL" in env) await world.service.close(); // the state has its address
    const stack = await world.open({ env });
    expect(stepsOf(succeeded(await stack.destroy()))).toEqual(["delete docs"]);
    expect(await stack.exportState()).toEqual([]);
    expect(world.requests()).toEqual([]);
  });

  test.concurrent(
    "L17 a deadline tells the story, keeps the job, and the next up goes on with it",
    async (context) => {
      const world = await buildWorld(context, kind);
      const letJobsEnd = world.holdJobs();
      const program = (create: string): void =>
        world.program(
          `new StaticExport("docs", { domain: "docs.example.com" }, { customTimeouts: { create: "${create}", update: "1m" } });`,
        );
      program("4s");
      const up = await world.stack.up();
      expect(up.error).toMatch(
        /docs\.example\.com: waited for export job .* time limit of 4s passed\. Last seen: running/,
      );
      expect(up.error).toContain("Nothing is lost");
      const { outputs, initErrors } = await world.exported();
      expect(initErrors).toHaveLength(1);
      world.requests();
      letJobsEnd();
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      expect(world.requests()).toEqual([poll(outputs["jobId"]), bundle(outputs["jobId"])]);
      expect((await world.exported()).outputs).toMatchObject({
        jobId: outputs["jobId"],
        status: "completed",
      });
      await previewIsEmpty(world);
    },
  );
});
