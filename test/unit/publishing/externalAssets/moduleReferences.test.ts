// References of modules and import maps.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { fetchedSite } from "./fetchedSite.ts";
import { PNG, sha } from "./fetchedSite.ts";

test("integrity in an import map is that of the stored module", async () => {
  const at = "https://a.example.com/x.js";
  const script = 'import "https://b.example.com/y.js";';
  const digest = (text: string): string => `sha384-${createHash("sha384").update(text).digest("base64")}`;
  const map = JSON.stringify({ imports: { x: at }, integrity: { [at]: digest(script) } });
  const page = `<script type="importmap">${map}</script><script type="module">import "x"</script>`;
  const site = await fetchedSite({ "a.html": page }, { [at]: script, "https://b.example.com/y.js": "1" });
  const stored = site.stored.find((path) => path.includes("/x.")) ?? "";
  expect(site.files["a.html"]).toContain(digest(site.files[stored] ?? ""));
  expect(site.files["a.html"]).not.toContain(digest(script));
});

test("modules are followed by import, export, import() and new URL(), and import maps get their addresses", async () => {
  const site = await fetchedSite(
    {
      "a.html":
        '<script type="importmap">{"imports":{"lib":"https://cdn.example.com/lib.mjs","kit/":"https://cdn.example.com/kit/"}}</script>' +
        '<script type="module">import "lib"; import x from "kit/x.mjs"; import "./own.js";</script>',
      "own.js": 'export * from "https://cdn.example.com/own.mjs";',
      "sample.js": 'import "https://deno.land/x.js";',
    },
    {
      "https://cdn.example.com/lib.mjs":
        'import "./part.mjs"; const p = import("./later.mjs"); new Worker(new URL("./w.js", import.meta.url));',
      "https://cdn.example.com/part.mjs": 'export { a } from "/lib.mjs";',
      "https://cdn.example.com/later.mjs": "export default 1;",
      "https://cdn.example.com/w.js": "self.x = 1;",
      "https://cdn.example.com/kit/x.mjs": 'import "lib"; import "kit/y.mjs";',
      "https://cdn.example.com/kit/y.mjs": "export const y = 1;",
      "https://cdn.example.com/own.mjs": "export const own = 1;",
    },
  );
  expect(site.facts.externalLoads).toEqual([]);
  expect(site.files["sample.js"]).toBe('import "https://deno.land/x.js";');
  const stored = (name: string): string =>
    site.stored.find((path) => path.includes(`cdn.example.com/${name}.`)) ?? `no ${name}`;
  const named = (name: string): string => stored(name).slice("assets/external/cdn.example.com/".length);
  const [, map = ""] = /importmap">(.*?)<\/script>/.exec(site.files["a.html"] ?? "") ?? [];
  expect(JSON.parse(map)).toEqual({
    imports: {
      lib: `./${stored("lib")}`,
      "kit/x.mjs": `./${stored("kit/x")}`,
      "kit/y.mjs": `./${stored("kit/y")}`,
    },
  });
  expect(site.files["own.js"]).toBe(`export * from "./${stored("own")}";`);
  expect(site.files[stored("lib")]).toBe(
    `import "./${named("part")}"; const p = import("./${named("later")}"); new Worker(new URL("./${named("w")}", import.meta.url));`,
  );
  expect(site.files[stored("part")]).toBe(`export { a } from "./${named("lib")}";`);
});

test("a scope of an import map also holds for the modules that were fetched from there", async () => {
  const scopes = {
    "https://cdn.example.com/app/": { part: "https://cdn.example.com/part.mjs" },
    "https://cdn.example.com/app/one.mjs": { one: "./own.js" },
    "https://other.example.com/": { part: "./own.js" },
    "/own/": { part: "./own.js" },
  };
  const site = await fetchedSite(
    {
      "a/b.html":
        `<script type="importmap">${JSON.stringify({ scopes })}</script>` +
        '<script type="module" src="https://cdn.example.com/app/one.mjs"></script>',
    },
    {
      "https://cdn.example.com/app/one.mjs": 'import "part"; import "one";',
      "https://cdn.example.com/part.mjs": "export const p = 1;",
    },
  );
  const [, map = ""] = /importmap">(.*?)<\/script>/.exec(site.files["a/b.html"] ?? "") ?? [];
  const stored = (name: string): string =>
    `../${site.stored.find((path) => path.includes(`cdn.example.com/${name}.`)) ?? `no ${name}`}`;
  expect(JSON.parse(map)).toEqual({
    scopes: {
      "https://cdn.example.com/app/": { part: stored("part") },
      "../assets/external/cdn.example.com/app/": { part: stored("part") },
      "https://cdn.example.com/app/one.mjs": { one: "./own.js" },
      [stored("app/one")]: { one: "./own.js" },
      "https://other.example.com/": { part: "./own.js" },
      "/own/": { part: "./own.js" },
    },
  });
});

test("an import map whose scopes nobody uses stays as it is, byte for byte", async () => {
  const map = '{ "scopes": {"https://cdn.example.com/app/": {"part": "./own.js"}} }';
  const page = `<script type="importmap">${map}</script><img src="https://cdn.example.com/1.png">`;
  const site = await fetchedSite({ "a.html": page }, { "https://cdn.example.com/1.png": PNG });
  expect(site.files["a.html"]).toContain(map);
});

test("a script that is no module imports modules at run time, in the page and in a file", async () => {
  const later = 'import("https://cdn.example.com/later.mjs")';
  const site = await fetchedSite(
    {
      "a/b.html": `<script>${later}</script><script src="../own.js"></script>`,
      "own.js": `${later};`,
      "none.js": `${later};`,
    },
    { "https://cdn.example.com/later.mjs": "export {}" },
  );
  const stored = `assets/external/cdn.example.com/later.${sha("export {}")}.mjs`;
  expect(site.files["a/b.html"]).toContain(`<script>import("../${stored}")</script>`);
  expect(site.files["own.js"]).toBe(`import("./${stored}");`);
  expect(site.files["none.js"]).toBe(`${later};`);
});
