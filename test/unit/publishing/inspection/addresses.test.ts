// Which addresses leave the site, and which attributes and addresses have further texts.
import { expect, test } from "vitest";
import {
  embeddedIn,
  jsonAddresses,
  withEntities,
} from "../../../../provider/publishing/inspection/embedded.ts";
import {
  baseUrlOf,
  externalAddress,
  SITE_BASE,
} from "../../../../provider/publishing/inspection/externalAddress.ts";
import { loadsOf } from "./loadsOf.ts";

const X = "https://cdn.example/x";

test.each([
  ["https://cdn.example/x", X],
  ["http://cdn.example:81/x?q#f", "http://cdn.example:81/x"],
  ["//cdn.example", "https://cdn.example/"],
  ["\\\\cdn.example/x", X],
  ["/\\cdn.example/x", X],
  ["/\t/cdn.example/x", X],
  ["/\n/cdn.example/x", X],
  ["/\r/cdn.example/x", X],
  ["ws://cdn.example/x", "ws://cdn.example/x"],
  ["WSS:cdn.example/x", "wss://cdn.example/x"],
  ["ftp://cdn.example/x", "ftp://cdn.example/x"],
  ["\u0000 h\tt\rt\nps:cdn.example/x", X],
  ["https:cdn.example/x", X],
])("%j is the external address %s", (address, expected) => {
  expect(externalAddress(address, SITE_BASE)).toBe(expected);
});

test.each([
  ...[
    "a.html",
    "/a.html",
    "../a",
    "?a",
    "#a",
    "",
    "a:b",
    "mailto:a@cdn.example",
    "about:blank",
    "blob:https://a/b",
  ],
  ...[
    "javascript:x",
    "data:text/html,x",
    "xhttps://a/b",
    "https+x://a/b",
    "httpsx://a/b",
    "https://",
    "a//b",
  ],
  ...["https://site.invalid/x", "//site.invalid/x", "a/1:b", "1https://a/b", "file:///etc/hosts"],
])("%j is in the site or loads nothing", (address) => {
  expect(externalAddress(address, SITE_BASE)).toBeUndefined();
});

test.each([
  ["a", "https://cdn.example/b/", "https://cdn.example/b/a"],
  ["/a", "https://cdn.example/b/", "https://cdn.example/a"],
  ["http:a/x", "http://cdn.example/", "http://a/x"],
  ["https://site.invalid/x", "https://cdn.example/", undefined],
])("%j below the base %s is %s", (address, base, expected) => {
  expect(externalAddress(address, base)).toBe(expected);
});

test.each([
  ["https://cdn.example/b?q", "https://cdn.example/b?q"],
  ["//cdn.example", "https://cdn.example/"],
  ["/docs/", SITE_BASE],
  ["https://", SITE_BASE],
  ["data:text/html,x", SITE_BASE],
  ["javascript:x", SITE_BASE],
  ["https://site.invalid:81/", "https://site.invalid:81/"],
])("the base %j is %s", (address, expected) => {
  expect(baseUrlOf(address)).toBe(expected);
});

test.each([
  ["data:text/html,<p>", "html", "<p>"],
  [" \u0000D\ta\nta:TEXT/HTML;charset=utf-8,<p>", "html", "<p>"],
  ["data: text/css ,a{}", "css", "a{}"],
  ["data:text/xml,<a/>", "xml", "<a/>"],
  ["data:application/xml,<a/>", "xml", "<a/>"],
  ["data:image/svg+xml;x=y,<a/>?<b/>", "xml", "<a/>?<b/>"],
  ["data:application/xhtml+xml,%3Ca%2F%3E,%c3%A9", "xml", "<a/>,é"],
  ["data:text/css;base64,YXt9", "css", "a{}"],
  ["data:text/css;x=y; BASE64,YXt9", "css", "a{}"],
  ["data:text/css;base64,YXt9%3D#x", "css", "a{}"],
  ["data:text/css;base64x,YXt9", "css", "YXt9"],
  ["data:text/css,é", "css", "é"],
])("%j has a text", (address, kind, text) => {
  expect(embeddedIn(address)).toEqual({ kind, text, base: SITE_BASE });
});

test.each([
  ...["data:text/html", "data:,<p>", "data:text/plain,text/html,x", "data:image/png,x", "data:xtext/html,x"],
  ...[
    "data:text/htmlx,x",
    "data:text/cssx,x",
    "data:text/xmlx,x",
    "data:image/svg+xmlx,x",
    "data:x;text/css,x",
  ],
  ...["data:a;b+xml,x", "text/html,x", "dat:text/html,x", "xdata:text/html,x", "https://a/data:text/html,x"],
  ...["data:application/xmlx,x", "data:xapplication/xml,x", "data://[/text/html,x"],
])("%j has no text", (address) => {
  expect(embeddedIn(address)).toBeUndefined();
});

test("the addresses of JSON are its texts, in order; those of a manifest its sources", () => {
  const json = JSON.stringify({ a: ["b", { src: "c", d: 1 }], src: "e", f: null, g: true });
  expect(jsonAddresses(json, "json")).toEqual(["b", "c", "e"]);
  expect(jsonAddresses(json, "manifest")).toEqual(["c", "e"]);
  expect(jsonAddresses(`"a"`, "json")).toEqual(["a"]);
  expect(jsonAddresses(`"a"`, "manifest")).toEqual([]);
  expect(jsonAddresses("null", "json")).toEqual([]);
  expect(jsonAddresses("{", "json")).toEqual([]);
});

test.each<[string, string | undefined]>([
  ["<a>&b;</a>", "<a>&b;</a>"],
  [`<!ENTITY b "c">&b;&d;&b;`, `<!ENTITY b "c">c&d;c`],
  [`<!ENTITY\n b\t'"' >&b;`, `<!ENTITY\n b\t'"' >"`],
  [`<!ENTITY b1 "">-&b1;-`, `<!ENTITY b1 "">--`],
  [`<!ENTITY b "&c;">`, undefined],
  [`<!ENTITY b "%c;">`, undefined],
  [`<!ENTITY % b "c">`, undefined],
  [`<!ENTITY b SYSTEM "c">`, undefined],
  [`<!ENTITY b "c"><!ENTITY b "d">`, undefined],
  [`<!ENTITY b "c" x>`, undefined],
  [`<!ENTITYb "c">`, undefined],
])("the XML %j has its entities replaced", (xml, expected) => {
  expect(withEntities(xml, 1_000)).toBe(expected);
});

test("entities may make a text as long as the limit, and no longer", () => {
  const xml = `<!ENTITY b "${"c".repeat(100)}">&b;&b;`;
  expect(withEntities(xml, xml.length + 200)?.endsWith("c".repeat(200))).toBe(true);
  expect(withEntities(xml, xml.length + 199)).toBeUndefined();
});

/** The elements that load an address of each attribute. */
const LOADING: Record<string, string> = {
  src: "audio bgsound embed frame iframe img input script source track video image",
  data: "object",
  poster: "video",
  background: "body table tbody td tfoot th thead tr",
  href: "feImage filter image linearGradient mpath pattern radialGradient script textPath use",
  from: "animate",
  to: "animate set",
  values: "animate",
  srcset: "img image source",
  imagesrcset: "link",
};
const STYLED =
  "style fill stroke filter mask clip-path cursor marker marker-start marker-mid marker-end".split(" ");
const RELATIONS =
  "apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image compression-dictionary dns-prefetch icon " +
  "manifest mask-icon modulepreload preconnect prefetch preload prerender stylesheet";

test.each(Object.entries(LOADING))(
  "the attribute %s is loaded by %s, and by no other element",
  async (name, all) => {
    for (const element of all.split(" ")) {
      expect(await loadsOf(`<svg><${element} ${name}="${X}">`), element).toEqual([X]);
      if (name === "href") expect(await loadsOf(`<svg><${element} xlink:href="${X}">`), element).toEqual([X]);
    }
    expect(await loadsOf(`<p ${name}="${X}"><a ${name}="${X}"><custom-${name} ${name}="${X}">`)).toEqual([]);
  },
);

test.each(STYLED)("the attribute %s has a style, and no longer name has one", async (name) => {
  expect(await loadsOf(`<svg><path ${name}="url(${X})"/>`)).toEqual([X]);
  expect(await loadsOf(`<svg><path x${name}="url(${X})" ${name}x="url(${X})" ${name}="none"/>`)).toEqual([]);
});

test.each(RELATIONS.split(" "))("a link with the relation %s is loaded", async (relation) => {
  for (const rel of [relation, relation.toUpperCase(), `a\n${relation}\tb`]) {
    expect(await loadsOf(`<link rel="${rel}" href="${X}">`)).toEqual([X]);
  }
  expect(await loadsOf(`<link rel="x${relation}" href="${X}"><link rel="${relation}">`)).toEqual([]);
});

test.each([
  ...[`0;url=${X}`, ` 1.5 ; URL = ${X}`, `0,${X}`, `0 ${X}`, `;${X}`, `0;\nurl='${X}'`, `0;url="${X}`],
  ...[`0; url = "${X}" and more`, `\t0\f;\rurl\n=\t${X}`],
])("a page that turns with %j loads the next", async (content) => {
  expect(await loadsOf(`<meta http-equiv=REFRESH content='${content.replaceAll("'", "&#39;")}'>`)).toEqual([
    X,
  ]);
});

test("only frames load documents, and any address loads a style", async () => {
  const page = encodeURIComponent(`<img src="${X}">`);
  for (const frame of ["iframe src", "frame src", "embed src", "object data"]) {
    expect(await loadsOf(`<${frame}="data:text/html,${page}">`), frame).toEqual([X]);
  }
  expect(await loadsOf(`<img src="data:text/html,${page}"><input src="data:text/html,${page}">`)).toEqual([]);
  expect(await loadsOf(`<img src="data:text/css,@import '${X}'">`)).toEqual([X]);
});
