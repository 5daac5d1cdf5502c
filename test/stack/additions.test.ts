// What is added to a site while it is copied: inputs, outputs and files, as a program sees them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { expect, test } from "vitest";
import { LLMS_VERSION } from "../../provider/publishing/llmsTxt/options.ts";
import { buildWorld, onEachEngine, previewIsEmpty, succeeded, type World } from "./world.ts";

const copy = (args: string): string =>
  `const copy = new BundleCopy("copy", { source: { file: "bundle.tar.gz", version: "v1" }, destination: { folder: "./copies", layout: "site" }, ${args} });
   module.exports = { listed: copy.llmsPages, version: copy.llmsVersion, found: copy.searchPages };`;

/** Puts a bundle beside the program. */
function prepare(world: World): void {
  const site = join(world.programFolder, "site");
  mkdirSync(join(site, "guide"), { recursive: true });
  writeFileSync(join(site, "index.html"), "<title>Start</title><main><h1>Start</h1><p>Hello.</p></main>");
  writeFileSync(
    join(site, "guide/index.html"),
    '<title>Guide</title><main><h1>Guide</h1><pre class="language-sh">run</pre></main>',
  );
  const file = join(world.programFolder, "bundle.tar.gz");
  create({ file, cwd: site, gzip: true, portable: true, noMtime: true, sync: true }, ["index.html", "guide"]);
}

onEachEngine("additions to a copied site", (kind) => {
  test.concurrent(
    "a question is answered by two files: llms.txt, and the Markdown of the page; the second run changes nothing",
    async (context) => {
      const world = await buildWorld(context, kind);
      prepare(world);
      world.program(copy('llmsTxt: { title: "Handbook" }'));
      const { outputs } = succeeded(await world.stack.up());
      expect(outputs).toMatchObject({ listed: { value: 2 }, version: { value: LLMS_VERSION } });
      const file = (path: string): string =>
        readFileSync(join(world.programFolder, "copies/current", path), "utf8");
      const [, page = ""] = /\[Guide\]\((.*?)\)/.exec(file("llms.txt")) ?? [];
      expect(file(page)).toBe("# Guide\n\n```sh\nrun\n```\n");
      await previewIsEmpty(world);

      // an option that is no option is refused at its own property
      world.program(copy('llmsTxt: { titel: "Handbook" }'));
      const refused = await world.stack.preview();
      expect(refused.ok).toBe(false);
      expect(refused.text).toMatch(/llmsTxt\.titel[^]*there is no such option/);
    },
  );
});
