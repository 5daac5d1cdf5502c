// What is found in pages, styles and modules, and what it is replaced with.
import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { FETCH_VERSION } from "../../../../provider/publishing/externalAssets/options.ts";
import { fetchedSite, PNG, sha, shownLoads } from "./fetchedSite.ts";

const FONT = "wOF2 font";

test("each kind of load of a page is fetched, stored below its host, and referred to there", async () => {
  const page = `<!doctype html>\r\n<link rel="preconnect" href="https://fonts.gstatic.com" crossorigin>
<link rel="stylesheet" href="https://cdn.example.com/a.css" crossorigin="anonymous">
<link rel=icon href=//cdn.example.com/icon.png>
<script src="https://cdn.example.com/lib/x.js"></script>
<img alt="&lt;b&gt; ü" src='https://cdn.example.com/1.png' srcset="https://cdn.example.com/1.png 1x, https://cdn.example.com/2.png 2x, own.png 3x">
<video poster="https://cdn.example.com/1.png"><source src="https://cdn.example.com/v.mp4"><track src="https://cdn.example.com/t.vtt"></video>
<div style="background: url(https://cdn.example.com/1.png)"></div>
<style>@font-face { src: url("https://cdn.example.com/f.woff2") }</style>
<svg><use href="https://cdn.example.com/s.svg#icon"/></svg>
<a href="https://other.example.com/">link</a>`;
  const site = await fetchedSite(
    { "guide/a.html": page },
    {
      "https://cdn.example.com/a.css": "p { color: red }",
      "https://cdn.example.com/icon.png": PNG,
      "https://cdn.example.com/lib/x.js": "var x = 1;",
      "https://cdn.example.com/1.png": `${PNG}1`,
      "https://cdn.example.com/2.png": `${PNG}2`,
      "https://cdn.example.com/v.mp4": "video",
      "https://cdn.example.com/t.vtt": "WEBVTT",
      "https://cdn.example.com/f.woff2": FONT,
      "https://cdn.example.com/s.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    },
  );
  expect(site.facts).toMatchObject({ selfContained: true, externalLoads: [] });
  const at = (name: string, ending: string, content: string): string =>
    `../assets/external/cdn.example.com/${name}.${sha(content)}.${ending}`;
  expect(Buffer.from(site.files["guide/a.html"] ?? "", "latin1").toString()).toBe(`<!doctype html>\r\n
<link rel="stylesheet" href="${at("a", "css", "p { color: red }")}" >
<link rel=icon href="${at("icon", "png", PNG)}">
<script src="${at("lib/x", "js", "var x = 1;")}"></script>
<img alt="&lt;b&gt; ü" src="${at("1", "png", `${PNG}1`)}" srcset="${at("1", "png", `${PNG}1`)} 1x, ${at("2", "png", `${PNG}2`)} 2x, own.png 3x">
<video poster="${at("1", "png", `${PNG}1`)}"><source src="${at("v", "mp4", "video")}"><track src="${at("t", "vtt", "WEBVTT")}"></video>
<div style="background: url(&quot;${at("1", "png", `${PNG}1`)}&quot;)"></div>
<style>@font-face { src: url("${at("f", "woff2", FONT)}") }</style>
<svg><use href="${at("s", "svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")}#icon"/></svg>
<a href="https://other.example.com/">link</a>`);
  expect(site.requests.map(({ url }) => url).toSorted()).toEqual(
    [...new Set(site.requests.map(({ url }) => url))].toSorted(),
  );
});

test("what a fixed site becomes is this: with something else, FETCH_VERSION must be increased", async () => {
  const css = "@import 'b.css'; @font-face { src: url(f.woff2) }";
  const page = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'self' https://cdn.example.com">
<link rel="stylesheet" href="https://cdn.example.com/a.css" integrity="sha256-${hash("sha256", css, "base64")}"><base target="_top"><link rel="preload" as="font" href="https://cdn.example.com/f.woff2">
<script type="importmap">{"imports":{"x":"https://cdn.example.com/x.mjs"}}</script><script type="module">import "x"; import("https://cdn.example.com/y.mjs");</script>
<img srcset="https://cdn.example.com/1.png 1x" src="https://cdn.example.com/1.png" style="background:url(https://cdn.example.com/1.png)">
<svg><use href="https://cdn.example.com/s.svg#i"/></svg><iframe srcdoc="<img src=https://cdn.example.com/1.png>"></iframe>`;
  const site = await fetchedSite(
    {
      "guide/a.html": page,
      "own.css": '@import "https://cdn.example.com/b.css"; :root { --l: url(https://cdn.example.com/1.png) }',
    },
    {
      "https://cdn.example.com/a.css": css,
      "https://cdn.example.com/b.css": "p { background: url('1.png') }",
      "https://cdn.example.com/f.woff2": FONT,
      "https://cdn.example.com/x.mjs": 'export * from "./y.mjs"; import.meta.resolve("./1.png");',
      "https://cdn.example.com/y.mjs": "export const y = 1;",
      "https://cdn.example.com/1.png": PNG,
      "https://cdn.example.com/s.svg": "<svg xmlns='http://www.w3.org/2000/svg'><image href='1.png'/></svg>",
    },
  );
  const files = Object.entries(site.files).toSorted(([one], [other]) => (one < other ? -1 : 1));
  expect([site.stored.length, site.facts.externalLoads]).toEqual([7, []]);
  expect([FETCH_VERSION, hash("sha256", JSON.stringify(files))]).toEqual([
    "2",
    "36bfbcb4edd36887774b6d6d4cea93cdc9d341f1dfa715aeb84d970794f427a5",
  ]);
});

test.each([
  ['background: image-set("https://a.example.com/x.png" 1x)', true],
  ["background: -webkit-image-set('https://a.example.com/x.png' 1x, url(own.png) 2x)", true],
  ['background: image-set(linear-gradient(red, blue) 1x, "https://a.example.com/x.png" 2x)', true],
  ['background: src("https://a.example.com/x.png")', true],
  ['content: "https://a.example.com/x.png"', false],
  ['background: image-set("own.png" type("https://a.example.com/x.png"))', false],
])("the style «%s» loads a picture of another host: %s", async (declaration, isLoad) => {
  const css = `.x { ${declaration} }`;
  const site = await fetchedSite({ "a.css": css }, { "https://a.example.com/x.png": PNG });
  expect(site.stored).toHaveLength(isLoad ? 1 : 0);
  expect(site.files["a.css"] === css).toBe(!isLoad);
});

test.each(["@namespace svg url(https://a.example.com/x.png);", "@namespace 'https://a.example.com/x.png';"])(
  "an address that only names is not fetched: %s",
  async (css) => {
    const site = await fetchedSite({ "a.css": css }, { "https://a.example.com/x.png": PNG });
    expect(site.requests).toEqual([]);
    expect(site.files["a.css"]).toBe(css);
  },
);

test.each([
  String.raw`<img src="\\a.example.com\x.png">`,
  String.raw`<img src="/\a.example.com/x.png">`,
  '<img src="/\t/a.example.com/x.png">',
  '<img src="/\n/a.example.com/x.png">',
])("an address that browsers read as one of another host is fetched: %j", async (html) => {
  const site = await fetchedSite({ "a.html": html }, { "https://a.example.com/x.png": PNG });
  expect(site.stored).toHaveLength(1);
  expect(site.files["a.html"]).toBe(`<img src="${site.stored[0] ?? ""}">`);
});

test("the first base of a page holds, and one without an address is none", async () => {
  const bases =
    '<base target="_top"><base href="https://a.example.com/"><base href="https://b.example.com/">';
  const hosts = { "https://a.example.com/x.png": PNG, "https://b.example.com/x.png": PNG };
  const site = await fetchedSite({ "a.html": `${bases}<img src="x.png">` }, hosts);
  expect(site.requests.map(({ url }) => url)).toEqual(["https://a.example.com/x.png"]);
});

test("styles are followed to any depth, by their own addresses, also in a circle", async () => {
  const hosts = {
    "https://a.example.com/css/one.css": "@import url(two.css); @import '//b.example.com/three.css' print;",
    "https://a.example.com/css/two.css": "@import 'one.css'; .x { background: url(../img/x.png) }",
    "https://a.example.com/img/x.png": PNG,
    "https://b.example.com/three.css": "@font-face { src: url('f/a.woff2') format('woff2') }",
    "https://b.example.com/f/a.woff2": FONT,
  };
  const page = { "a.html": '<link rel=stylesheet href="https://a.example.com/css/one.css">' };
  const site = await fetchedSite(page, hosts);
  expect(site.facts.externalLoads).toEqual([]);
  const [one = "", two = "", image = "", three = "", font = ""] = [
    /a.example.com\/css\/one/,
    /css\/two/,
    /img\/x/,
    /three/,
    /woff2/,
  ].map((pattern) => site.stored.find((path) => pattern.test(path)));
  const names = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
  expect(site.files[one]).toBe(
    `@import url("${names(two)}"); @import "../../b.example.com/${names(three)}" print;`,
  );
  expect(site.files[two]).toBe(`@import "${names(one)}"; .x { background: url("../img/${names(image)}") }`);
  expect(site.files[three]).toBe(`@font-face { src: url("f/${names(font)}") format('woff2') }`);

  // a file in the circle has another name if another one in it has other content
  const other = await fetchedSite(page, { ...hosts, "https://a.example.com/img/x.png": `${PNG}other` });
  expect(other.stored.filter((path) => /one|two/.test(path))).not.toEqual(
    site.stored.filter((path) => /one|two/.test(path)),
  );
  expect((await fetchedSite(page, hosts)).digest).toBe(site.digest);
  expect(other.digest).not.toBe(site.digest);
});

test("an instruction of XML that names a style sheet leads to the copy, in the site and in what was fetched", async () => {
  const site = await fetchedSite(
    {
      "a.svg": `<?xml version="1.0"?><?xml-stylesheet type="text/css" href='https://cdn.example.com/x.css?a=1&amp;b=2'?><svg xmlns="http://www.w3.org/2000/svg"/>`,
      "b.html":
        '<img src="https://cdn.example.com/d/c.svg"><!--?xml-stylesheet href="https://cdn.example.com/no.css"?-->',
    },
    {
      "https://cdn.example.com/x.css?a=1&b=2": "rect { fill: red }",
      "https://cdn.example.com/d/c.svg":
        '<?xml-stylesheet href="../y.css"?><svg xmlns="http://www.w3.org/2000/svg"/>',
      "https://cdn.example.com/y.css": "rect { fill: blue }",
    },
  );
  expect(site.facts.externalLoads).toEqual([]);
  const stored = (name: string): string =>
    site.stored.find((path) => path.includes(`/${name}.`)) ?? `no ${name}`;
  expect(site.files["a.svg"]).toContain(`href='${stored("x")}'?>`);
  expect(site.files[stored("d/c")]).toContain(`href="../${stored("y").split("/").at(-1) ?? ""}"?>`);
  expect(site.requests.map(({ url }) => url)).not.toContain("https://cdn.example.com/no.css");
});

test("what stays where nothing is replaced has a reason, too", async () => {
  const site = await fetchedSite(
    {
      "a.html": `<script type="speculationrules">{"prefetch":[{"urls":["https://cdn.example.com/next.html"]}]}</script>`,
      "b.svg":
        '<!DOCTYPE svg [<!ENTITY h "https://cdn.example.com">]><svg xmlns="http://www.w3.org/2000/svg"><image href="&h;/1.png"/></svg>',
      "c.html": `<iframe src="data:text/html,<img src='https://cdn.example.com/2.png'>"></iframe>`,
    },
    {},
  );
  expect(site.facts.externalLoads.map(({ address }) => address).sort()).toEqual([
    "https://cdn.example.com/1.png",
    "https://cdn.example.com/2.png",
    "https://cdn.example.com/next.html",
  ]);
  for (const { reason } of site.facts.externalLoads) {
    expect(reason).toMatch(/^nothing is replaced where it stands/);
  }
});

describe("the address of a stored file", () => {
  const HOSTS = { "https://cdn.example.com/x.png": PNG };
  const path = `assets/external/cdn.example.com/x.${sha(PNG)}.png`;
  const img = '<img src="https://cdn.example.com/x.png">';
  test.for([
    ["relative to the page", "a/b/c.html", img, `<img src="../../${path}">`],
    [
      "as the page writes addresses from the server's root",
      "a/b/c.html",
      `${img}<link rel=stylesheet href="/docs/site.css">`,
      `<img src="/docs/${path}"><link rel=stylesheet href="/docs/site.css">`,
    ],
    [
      "below a base from the server's root",
      "a/c.html",
      `<base href="/docs/">${img}`,
      `<base href="/docs/"><img src="${path}">`,
    ],
    [
      "below a relative base",
      "a/b/c.html",
      `<base href="../">${img}`,
      `<base href="../"><img src="../${path}">`,
    ],
    [
      "in a page within the page",
      "a/c.html",
      `<iframe srcdoc="${img.replaceAll('"', "&quot;")}">`,
      `<iframe srcdoc="&lt;img src=&quot;../${path}&quot;>">`,
    ],
  ] as const)("is %s", async ([, page, before, after]) => {
    const site = await fetchedSite({ [page]: before, "site.css": "" }, HOSTS);
    expect(site.files[page]).toBe(after);
    expect(site.facts.externalLoads).toEqual([]);
  });

  test("a page with a base of another host keeps it, with the reason", async () => {
    const page = '<base href="https://cdn.example.com/"><img src="x.png">';
    const site = await fetchedSite({ "a.html": page }, HOSTS);
    expect(site.files["a.html"]).toBe(page);
    expect(shownLoads(site)).toEqual([
      "https://cdn.example.com/x.png: a <base> of another host stands before it",
    ]);
  });

  test("a whole address on the site's own domain leads to the site's own file, and is not fetched", async () => {
    const page =
      '<img src="https://docs.example.com/img/logo.png"><img src="https://docs.example.com/none.png">';
    const site = await fetchedSite(
      { "a/b.html": page, "img/logo.png": PNG },
      {},
      { domain: "docs.example.com" },
    );
    expect(site.files["a/b.html"]).toContain('src="../img/logo.png"');
    expect(site.requests.map(({ url }) => url)).toEqual(["https://docs.example.com/none.png"]);
  });
});

test.each([
  ["an SVG file", "a.svg", '<svg xmlns="http://www.w3.org/2000/svg"><style>TEXT</style></svg>'],
  ["a drawing in a page", "a.html", "<svg><style>TEXT</style></svg>"],
])("a style with entities is changed in %s, and stays one", async (_, path, whole) => {
  const sheet = "https://fonts.example.com/css?family=A&display=swap";
  const style =
    "@import url(https://fonts.example.com/css?family=A&amp;display=swap); a &gt; b::before { content: &quot;&#60;&quot; }";
  const site = await fetchedSite(
    { [path]: whole.replace("TEXT", style) },
    { [sheet]: { status: 200, headers: { "content-type": "text/css" }, text: "p {}" } },
  );
  expect(site.facts.externalLoads).toEqual([]);
  expect(site.files[path]).toBe(
    whole.replace("TEXT", `@import url("${site.stored[0] ?? ""}"); a > b::before { content: "&lt;" }`),
  );
});

test.each([
  ["an entity of its own", "@import url(https://cdn.example.com/a.css?&own;);"],
  ["an element", "@import url(https://cdn.example.com/a.css); <a/>"],
])("a style in a drawing with %s stays", async (_, style) => {
  const page = `<svg><style>${style}</style></svg>`;
  const site = await fetchedSite({ "a.html": page }, { "https://cdn.example.com/a.css": "p {}" });
  expect(site.files["a.html"]).toBe(page);
  expect(site.facts.selfContained).toBe(false);
});

test("import.meta.resolve() of a fetched module leads to the copy, with an address alone", async () => {
  const script = (file: string, whole: string): string =>
    `a = import.meta.resolve("${file}"); b = import.meta.resolve( '${whole}' ); c = import.meta.resolve("name"); d = import.meta.resolve(name);`;
  const site = await fetchedSite(
    { "a.html": '<script type="module" src="https://cdn.example.com/m.mjs"></script>' },
    {
      "https://cdn.example.com/m.mjs": script("./n.mjs", "https://cdn.example.com/o.mjs"),
      "https://cdn.example.com/n.mjs": "n",
      "https://cdn.example.com/o.mjs": "o",
    },
  );
  const stored = site.stored.find((path) => path.includes("/m.")) ?? "";
  expect(site.files[stored]).toBe(script(`./n.${sha("n")}.mjs`, `./o.${sha("o")}.mjs`).replaceAll("'", '"'));
});

test("a frame with a base keeps whole addresses: relative ones would lead from the base", async () => {
  const site = await fetchedSite(
    { "a.html": '<iframe src="https://cdn.example.com/f/p.html"></iframe>' },
    {
      "https://cdn.example.com/f/p.html": '<img src="x.png"><base href="/g/"><img src="x.png">',
      "https://cdn.example.com/f/x.png": PNG,
      "https://cdn.example.com/g/x.png": PNG,
    },
    { wanted: { include: ["**"] } },
  );
  const stored = site.stored.find((path) => path.endsWith(".html")) ?? "";
  expect(site.files[stored]).toBe(
    `<img src="x.${sha(PNG)}.png"><base href="/g/"><img src="https://cdn.example.com/g/x.png">`,
  );
  expect(shownLoads(site)).toEqual([
    "https://cdn.example.com/g/x.png: it stands in a page of another host, below its <base>",
  ]);
});
