// The first `up` of an export: `npm test` runs it on the real CLI, too. All other stacks run there by `npm test -- cli`.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { extract } from "tar";
import { expect, test } from "vitest";
import { downloadBundle } from "../../examples/start/bundle.ts";
import { wholeExport } from "./requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

onEachEngine({ name: "create", isSample: true, withBoth: true }, (kind) => {
  test.concurrent("L01 create: one start, polls, one bundle; all outputs set", async (context) => {
    const world = await buildWorld(context, kind, { jobDurationMs: 300 });
    world.program(
      `const docs = new StaticExport("docs", { domain: "Docs.Example.com" });
       module.exports = { url: docs.bundleUrl, pages: docs.pageCount, version: docs.version };`,
    );
    const preview = succeeded(await world.stack.preview());
    expect(stepsOf(preview)).toEqual(["create docs"]);
    expect(world.requests()).toEqual([]);

    const up = await world.up();
    const { id, outputs, secretOutputs } = await world.exported();
    expect(world.requests()).toEqual(wholeExport(outputs["jobId"]));
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
    await downloadBundle(String(outputs["bundleUrl"]), `${site}.tar.gz`);
    await mkdir(site);
    await extract({ file: `${site}.tar.gz`, cwd: site });
    expect(await readFile(join(site, "index.html"), "utf8")).toContain("The first page.");
    await previewIsEmpty(world);
  });
});
