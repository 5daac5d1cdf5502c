// Kits for transfer by hand, without images: their state, rows and folders.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { expect, test } from "vitest";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded, type World } from "./world.ts";

const kit = (version: string, args = ""): string =>
  `const kit = new AirGapKit("kit", { source: { file: "bundle.tar.gz", version: "${version}" }, folder: "./kits", chart: "./chart", ${args} });
   module.exports = { path: kit.path, signed: kit.signed };`;

/** Puts a bundle and a chart beside the program. */
function prepare(world: World, text = "The first page."): void {
  const site = join(world.programFolder, "site");
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "index.html"), `<h1>${text}</h1>`);
  const file = join(world.programFolder, "bundle.tar.gz");
  create({ file, cwd: site, gzip: true, portable: true, noMtime: true, sync: true }, ["index.html"]);
  const chart = join(world.programFolder, "chart");
  mkdirSync(chart, { recursive: true });
  writeFileSync(join(chart, "Chart.yaml"), "name: docs\nversion: 1.0.0\n");
}
const left = (world: World): string[] => readdirSync(join(world.programFolder, "kits")).sort();
/** Without the marks of their owners. */
const kits = (world: World): string[] => left(world).filter((name) => !name.startsWith("."));
const written = async (world: World, stack = world.stack) => {
  const found = (await stack.exportState()).filter(({ type }) => type.endsWith(":AirGapKit"));
  expect(found).toHaveLength(1);
  return found[0] as NonNullable<(typeof found)[0]>;
};

onEachEngine("kits that are carried by hand", (kind) => {
  test.concurrent(
    "a kit of a file needs no service and no key; it is written once; other content is one more; destroying removes both",
    async (context) => {
      const world = await buildWorld(context, kind);
      const bare = await world.open({
        stack: "bare",
        env: { DOCS_HOSTING_BASE_URL: undefined, DOCS_HOSTING_ADMIN_API_KEY: undefined },
      });
      prepare(world);
      world.program(kit("v1"));
      expect(stepsOf(succeeded(await bare.preview()))).toEqual(["create kit"]);
      succeeded(await bare.up());
      const [first = ""] = kits(world);
      expect(first).toMatch(/^v1-[0-9a-f]{12}$/);
      const { outputs, id } = await written(world, bare);
      expect(id).toBe("./kits");
      expect(outputs).toMatchObject({
        path: `kits/${first}`,
        version: "v1",
        files: 11,
        signed: false,
        pages: 1,
      });
      await previewIsEmpty(world, bare);

      // changed content of the chart and the bundle is noticed
      writeFileSync(join(world.programFolder, "chart/Chart.yaml"), "name: docs\nversion: 1.0.1\n");
      expect(stepsOf(succeeded(await bare.up()))).toEqual(["update kit"]);
      expect(kits(world)).toHaveLength(2);
      prepare(world, "The second page.");
      expect(stepsOf(succeeded(await bare.up()))).toEqual(["update kit"]);
      expect(kits(world)).toHaveLength(2);
      expect(kits(world)).not.toContain(first);
      writeFileSync(join(world.programFolder, "kits/of-others.txt"), "left alone");
      succeeded(await bare.destroy());
      expect(left(world)).toEqual(["of-others.txt"]);
      expect(world.requests()).toEqual([]);
    },
  );

  test.concurrent(
    "a file that a refresh finds missing is written again, with the whole kit",
    async (context) => {
      const world = await buildWorld(context, kind);
      prepare(world);
      await world.up(kit("v1"));
      const [name = ""] = kits(world);
      const path = join(world.programFolder, "kits", name);
      const before = readdirSync(path).sort();
      rmSync(join(path, "values.yaml"));
      succeeded(await world.stack.refresh());
      expect(stepsOf(await world.up())).toEqual(["update kit"]);
      expect(readdirSync(path).sort()).toEqual(before);
      await previewIsEmpty(world);
    },
  );
});
