// What browsers load for module scripts before any script runs: in pages, and in the site's own modules.
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type Entry, SITE, tarGz } from "../../../chart/tarArchive.ts";
import { inspected } from "../archives/bundleOnDisk.ts";
import { loadsOf } from "./loadsOf.ts";

const CDN = "https://cdn.example/x.mjs";

test.each([
  `import mermaid from "${CDN}"; mermaid.initialize({});`,
  `import "${CDN}?v=1#a"`,
  `import {\n  a as b,\n} from '${CDN}'`,
  `import*as x from"${CDN}";`,
  `export * from "${CDN}"`,
  `export { x } from "${CDN}"`,
  `import sheet from "${CDN}" with { type: "css" }`,
  `import defer * as x from "${CDN}"`,
  `const a = /import "no"/; import "${CDN}"`,
  `import "\\u0068ttps://cdn.example/x.mjs"`,
  `import "data:text/javascript,import%20'${CDN}'"`,
  `import "//cdn.example/x.mjs"`,
])("a module script in a page loads what it imports: %s", async (script) => {
  const found = [CDN];
  expect(await loadsOf(`<script type="module">${script}</script>`)).toEqual(found);
  expect(await loadsOf(`<script async type=" Module "><!--x\n${script}\n</script>`)).toEqual(found);
  expect(await loadsOf(`<svg><script type="module"><![CDATA[${script}]]></script></svg>`, "xml")).toEqual(
    found,
  );
  expect(await loadsOf(`<script type="module">${script}`)).toEqual(found);
});

test.each([
  `<script type="module">import("${CDN}")</script>`,
  `<script type="module">// import "${CDN}"\n/* export * from "${CDN}" */</script>`,
  `<script type="module">const text = \`import "${CDN}"\`; const other = 'import "${CDN}"'</script>`,
  `<script type="module">import "./x.mjs"; import "vue"; import "data:text/javascript,1"</script>`,
  `<script type="module" src="x.mjs">import "${CDN}"</script>`,
  `<script>import "${CDN}"</script>`,
  `<script type="text/plain">import "${CDN}"</script>`,
  `<pre>import "${CDN}"</pre>`,
])("this loads nothing before a script runs: %s", async (page) => {
  expect(await loadsOf(page)).toEqual([]);
});

test("an address of a module in an attribute is one load, also a module in it", async () => {
  expect(await loadsOf(`<script type="module" src="${CDN}"></script>`)).toEqual([CDN]);
  const data = `data:text/javascript,import "${CDN}"`;
  expect(await loadsOf(`<script type="module" src='${data}'></script>`)).toEqual([CDN]);
  expect(await loadsOf(`<script src='${data}'></script><iframe src='${data}'></iframe>`)).toEqual([]);
});

test("a module script that is no module is reported", async () => {
  await expect(loadsOf('<script type="module">import {</script>')).rejects.toThrow(
    "the imports of a module cannot be read",
  );
  expect(await loadsOf('<script type="module">const x = {</script>')).toEqual([]);
});

/** The loads of a site: page, address and number. */
async function loadsOfSite(files: Record<string, string | Buffer>, root = ""): Promise<string[]> {
  const entries = Object.entries(files).map(([name, content]): Entry => ({ name: root + name, content }));
  const site = SITE.filter(({ type }) => type !== "5").map((entry) => ({
    ...entry,
    name: root + entry.name,
  }));
  const names = new Set(entries.map(({ name }) => name));
  const { externalLoads } = await inspected(
    tarGz([...site.filter(({ name }) => !names.has(name)), ...entries]),
  );
  return externalLoads.map(({ page, address, pages }) => `${page} ${address} ${pages ?? ""}`);
}

const MODULE = `import "${CDN}"`;

test.each<[string, Record<string, string | Buffer>, string]>([
  [
    "a module script",
    { "a/x.html": '<script type="module" src="m.mjs?v=1"></script>', "a/m.mjs": MODULE },
    "a/m.mjs",
  ],
  [
    "one from the root",
    { "a/x.html": '<script type="module" src="/m.js"></script>', "m.js": MODULE },
    "m.js",
  ],
  [
    "one from the path that the root has on its server",
    { "a/x.html": '<script type="module" src="/handbook/js/m.js"></script>', "js/m.js": MODULE },
    "js/m.js",
  ],
  [
    "one below the address that a page sets",
    { "a/x.html": '<base href="/"><script type="module" src="js/m.js"></script>', "js/m.js": MODULE },
    "js/m.js",
  ],
  ["a preload", { "x.html": '<link rel="modulepreload" href="./m.js">', "m.js": MODULE }, "m.js"],
  [
    "an import in a page",
    { "x.html": '<script type="module">import "./m.js"</script>', "m.js": MODULE },
    "m.js",
  ],
  [
    "a chain of imports, which is also a circle",
    {
      "x.html": '<script type="module" src="js/a.js"></script>',
      "js/a.js": 'export * from "../lib/b.js"',
      "lib/b.js": 'import "/js/a.js"; import "./ä%20b.js"',
      "lib/ä b.js": MODULE,
    },
    "lib/ä b.js",
  ],
  [
    "a name of an import map",
    {
      "a/x.html":
        '<script type="importmap">{"imports":{"app":"./m.js"}}</script><script type="module">import "app"</script>',
      "a/m.js": MODULE,
    },
    "a/m.js",
  ],
  [
    "a prefix of an import map, from a module, in a scope",
    {
      "x.html":
        '<script type="importmap">{"scopes":{"/":{"lib/":"/vendor/"}}}</script><script type="module" src="a.js"></script>',
      "a.js": 'import "lib/m.js"',
      "vendor/m.js": MODULE,
    },
    "vendor/m.js",
  ],
  [
    "a compressed module",
    { "x.html": '<script type="module" src="m.js"></script>', "m.js": "", "m.js.gz": gzipSync(MODULE) },
    "m.js",
  ],
  [
    "another compressed module",
    {
      "x.html": '<script type="module" src="m.js"></script>',
      "m.js": "1",
      "m.js.br": brotliCompressSync(MODULE),
    },
    "m.js",
  ],
])("a site loads what its own module imports: %s", async (_what, files, page) => {
  const expected = [`${page} ${CDN} 1`];
  expect(await loadsOfSite(files)).toEqual(expected);
  expect(await loadsOfSite(Object.fromEntries(Object.entries(files).reverse()), "site/")).toEqual(expected);
});

test.each<[string, Record<string, string>]>([
  ["that no page loads", { "m.mjs": MODULE }],
  ["that a page loads as a classic script", { "x.html": '<script src="m.js"></script>', "m.js": MODULE }],
  [
    "that a page imports at run time",
    { "x.html": '<script type="module">import("./m.js")</script>', "m.js": MODULE },
  ],
  [
    "of the same name in another folder",
    { "a/x.html": '<script type="module" src="m.js"></script>', "a/m.js": "1", "b/m.js": MODULE },
  ],
  ["that is data", { "x.html": '<script type="module" src="m.txt"></script>', "m.txt": MODULE }],
])("a site does not load what a file imports %s", async (_what, files) => {
  expect(await loadsOfSite(files)).toEqual([]);
});

test("a module that cannot be read is reported only if a page loads it", async () => {
  const broken = { "m.js": "import {" };
  expect(await loadsOfSite(broken)).toEqual([]);
  expect(await loadsOfSite({ ...broken, "x.html": '<script type="module" src="m.js"></script>' })).toEqual([
    "m.js (not inspected: the imports of a module cannot be read) 1",
  ]);
});
