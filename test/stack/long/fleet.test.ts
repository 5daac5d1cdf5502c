// The program of examples/fleet: the lists of sites that it accepts, and that any other list does no harm. It runs as JavaScript
// here, many times; `npm test -- package` runs it as a user does.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { RunError } from "@pulumi/pulumi";
import ts from "typescript";
import { describe, expect, test, type TestContext } from "vitest";
import { MOST_SITES, readSites } from "../../../examples/fleet/siteList.ts";
import type { Setting } from "../adapters.ts";
import { startsOf } from "../requests.ts";
import { buildWorld, onEachEngine, stepsOf, succeeded, type World } from "../world.ts";

const EXAMPLE = join(import.meta.dirname, "../../../examples/fleet");
const FILE = "sites/team-a-01.json";

const siteNames = (count: number, of = "site"): string[] =>
  Array.from({ length: count }, (_, index) => `${of}-${index + 1}`);
const listOf = (names: readonly string[], site: object = { domain: "docs.example.com" }): string =>
  JSON.stringify({ sites: Object.fromEntries(names.map((name) => [name, site])) });

/** The example in its own folder, without files of sites. */
async function fleetWorld(context: TestContext, kind: Setting): Promise<World> {
  const world = await buildWorld(context, kind);
  for (const name of ["index", "siteList"]) {
    const source = readFileSync(join(EXAMPLE, `${name}.ts`), "utf8");
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
    });
    writeFileSync(join(world.programFolder, `${name}.js`), outputText);
  }
  await world.stack.setConfig("sites", FILE);
  return world;
}

function writeSites(world: Pick<World, "programFolder">, text: string, name = FILE): void {
  const file = join(world.programFolder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A list that is refused, and the error's text about it. */
const REFUSED: [what: string, text: string | undefined, says: string][] = [
  ["a file that is not there", undefined, "no such file or directory"],
  ["an empty file", "", "JSON"],
  ["half a file", listOf(["guide"]).slice(0, -2), "JSON"],
  [
    "an empty list",
    listOf([]),
    "it has no sites; if all sites of this stack are to go, run `pulumi destroy`",
  ],
  ["101 sites", listOf(siteNames(101)), "it has 101 sites, and a stack 100 at most"],
  ["a list in place of an object", '{ "sites": ["docs.example.com"] }', 'it must be { "sites": {'],
  ["nothing but sites", '{ "guide": { "domain": "docs.example.com" } }', 'it must be { "sites": {'],
  [
    "a second list beside it",
    '{ "sites": { "a": { "domain": "a.example.com" } }, "site": {} }',
    "nothing else",
  ],
  ["null", "null", 'it must be { "sites": {'],
  ["a site without a domain", '{ "sites": { "guide": { "version": "v1" } } }', '"guide" has no domain'],
  ["a site that is a text", '{ "sites": { "guide": "docs.example.com" } }', '"guide" has no domain'],
  ["a name that no release can have", listOf(["Guide"]), '"Guide" is no name of a site'],
  ["a name that is too long", listOf(["g".repeat(54)]), "at most 53"],
  [
    "a name that is there twice",
    '{ "sites": { "guide": { "domain": "docs.example.com" }, "gu\\u0069de" : { "domain": "other.example.com" } } }',
    '"guide" is there twice',
  ],
];

describe("the program refuses", () => {
  test.each(REFUSED)("%s, and says in which file", async (_, text, says) => {
    const folder = await mkdtemp(join(tmpdir(), "sites-"));
    try {
      writeSites({ programFolder: folder }, text ?? "");
      const file = join(folder, FILE);
      if (text === undefined) rmSync(file);
      const read = (): unknown => readSites(file);
      expect(read).toThrow(RunError);
      expect(read).toThrow(`The list of sites, ${file}: `);
      expect(read).toThrow(says);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const ONLY = { adapter: "dynamic", reason: "the example is a program of the npm package" } as const;

onEachEngine({ name: "fleet", only: ONLY }, (kind) => {
  test.concurrent(
    "two teams, each a stack of its own file: every site is exported once, and the outputs say how many and when",
    async (context) => {
      const world = await fleetWorld(context, kind);
      const teams = { "team-a-01": siteNames(3, "a"), "team-b-01": siteNames(4, "b") };
      for (const [stackName, names] of Object.entries(teams)) {
        writeSites(world, listOf(names), `sites/${stackName}.json`);
        const stack = await world.open({ stack: stackName });
        await stack.setConfig("sites", `sites/${stackName}.json`);
        const result = succeeded(await stack.up());
        expect(stepsOf(result).sort()).toEqual(names.map((name) => `create ${name}`));
        const { sites, renewAfter, expiresAt } = result.outputs;
        expect(sites?.value).toBe(names.length);
        const exports = (await stack.exportState()).filter(({ type }) => type.endsWith(":StaticExport"));
        const earliest = (output: string): number =>
          Math.min(...exports.map(({ outputs }) => Date.parse(String(outputs[output]))));
        expect(Date.parse(String(renewAfter?.value))).toBe(earliest("renewAfter"));
        expect(Date.parse(String(expiresAt?.value))).toBe(earliest("expiresAt"));

        world.requests();
        expect(stepsOf(succeeded(await stack.up()))).toEqual([]);
        expect(world.requests()).toEqual([]);
      }
      expect(startsOf(world.service.requests)).toHaveLength(7);
    },
  );

  test.concurrent(
    "an added site, another version and a removed site are applied as the file says; a hundred sites are accepted",
    async (context) => {
      const world = await fleetWorld(context, kind);
      writeSites(world, listOf(["guide", "old"]));
      succeeded(await world.stack.up());
      writeSites(
        world,
        '{ "sites": { "guide": { "domain": "docs.example.com", "version": "v2" }, "new": { "domain": "other.example.com" } } }',
      );
      const result = succeeded(await world.stack.up());
      expect(stepsOf(result).sort()).toEqual(["create new", "delete old", "update guide"]);
      expect((await world.exported("guide")).outputs["version"]).toBe("v2");
      writeSites(world, listOf(siteNames(100)));
      expect(stepsOf(succeeded(await world.stack.preview()))).toHaveLength(100 + 2);
    },
  );

  test.concurrent(
    "a list that got lost, is empty or too long ends the run before any request, with a message without a stack trace: no site is deleted",
    async (context) => {
      const world = await fleetWorld(context, kind);
      writeSites(world, listOf(["guide", "handbook"]));
      succeeded(await world.stack.up());
      const before = await world.stack.exportState();
      world.requests();
      for (const text of [undefined, listOf([]), listOf(siteNames(MOST_SITES + 1))]) {
        if (text === undefined) rmSync(join(world.programFolder, FILE));
        else writeSites(world, text);
        const result = await world.stack.up();
        expect([result.ok, stepsOf(result)]).toEqual([false, []]);
        expect(result.error).toContain(`The list of sites, ${FILE}: `);
        expect(result.error).toContain("no site was changed or deleted");
        expect(result.text).not.toMatch(/^ +at /m);
      }
      expect(world.requests()).toEqual([]);
      expect(await world.stack.exportState()).toEqual(before);
    },
  );

  test.concurrent(
    "T1 a run that lost its configuration ends in an error that names it: no request is sent, no site is deleted",
    async (context) => {
      const world = await fleetWorld(context, kind);
      writeSites(world, listOf(["guide", "handbook"]));
      succeeded(await world.stack.up());
      const before = await world.stack.exportState();
      world.requests();
      const restarted = await world.open({}); // which starts without configuration
      const result = await restarted.up();
      expect([result.ok, stepsOf(result)]).toEqual([false, []]);
      expect(result.error).toContain("Missing required configuration variable");
      expect(result.error).toContain(":sites");
      expect(world.requests()).toEqual([]);
      expect(await restarted.exportState()).toEqual(before);
    },
  );

  test.concurrent(
    "an unknown argument of an export is refused by its name, for its site only",
    async (context) => {
      const world = await fleetWorld(context, kind);
      writeSites(world, listOf(["guide"], { domain: "docs.example.com", verison: "v1" }));
      const result = await world.stack.up();
      expect(result.ok).toBe(false);
      expect(result.error).toContain("there is no such input");
      expect(result.text).toContain("verison");
      expect(world.requests()).toEqual([]);
    },
  );
});
