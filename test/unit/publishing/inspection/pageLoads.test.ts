// The loads of a page and a style sheet from other hosts.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { srcsetAddresses } from "../../../../provider/publishing/inspection/srcset.ts";
import { loadsOf } from "./loadsOf.ts";

/** The length of a slice. */
const SLICE = 64 * 1_024;

/** The same, with the end of a slice at an offset of the text. */
function cutLoadsOf(text: string, at: number): Promise<string[]> {
  return loadsOf(" ".repeat(SLICE - at) + text);
}

const X = "https://cdn.example/x";

/** Pages that load X, once. */
const LOADING: [what: string, page: string][] = [
  ["a script", `<script src="${X}"></script>`],
  ["a module", `<script type=module src='${X}' async crossorigin></script>`],
  ["a script of a drawing", `<svg><script xlink:href="${X}"></script></svg>`],
  ["a style sheet", `<link rel="stylesheet" href="${X}">`],
  ["an alternate style sheet", `<link rel="Alternate StyleSheet" href="${X}">`],
  ["a module preload", `<link rel=modulepreload href=${X}>`],
  ["a preload", `<link rel=preload as=font crossorigin href=${X}>`],
  ["an image preload", `<link rel=preload as=image imagesrcset="a.png 1x, ${X} 2x">`],
  ["a prefetch", `<link rel=prefetch href=${X}>`],
  ["a connection in advance", `<link rel=preconnect href=${X}>`],
  ["a name resolved in advance", `<link rel=dns-prefetch href="//cdn.example/x">`],
  ["an icon", `<link rel="shortcut icon" href=${X}>`],
  ["an icon of a phone", `<link rel=apple-touch-icon href=${X}>`],
  ["a manifest", `<link rel=manifest href=${X}>`],
  ["a dictionary of a compression", `<link rel=compression-dictionary href=${X}>`],
  [
    "pages that are fetched in advance",
    `<script type=speculationrules>{"prefetch":[{"urls":["${X}"]}]}</script>`,
  ],
  [
    "links that are fetched in advance",
    `<script type=" SpeculationRules">{"prerender":[{"where":{"href_matches":"${X}"}}]}</script>`,
  ],
  ["a map of modules", `<script type="importmap">{"imports":{"x":"./x.js","y":"${X}"}}</script>`],
  ["a page in a frame's address", `<iframe src="data:text/html,<img src='${X}'>"></iframe>`],
  [
    "a page in an old frame's address",
    `<frame src=" DATA:text/html;charset=utf-8;base64,${Buffer.from(`<img src="${X}">`).toString("base64")}">`,
  ],
  [
    "a drawing in an object's address",
    `<object data="data:image/svg+xml,%3Csvg%3E%3Cimage href='${X}'/%3E%3C/svg%3E#x"></object>`,
  ],
  [
    "a drawing in an embedded address",
    `<embed src="data:image/svg+xml;base64,${Buffer.from(`<svg><use href="${X}"/></svg>`).toString("base64")}">`,
  ],
  ["a style in a link's address", `<link rel=stylesheet href="data:text/css,@import '${X}'">`],
  ["a drawing's paint by an attribute", `<svg><linearGradient href="${X}#a"/></svg>`],
  [
    "a drawing's image that changes",
    `<svg><image><animate attributeName="href" values="a.png;${X}"/></image></svg>`,
  ],
  ["a drawing's image that is set", `<svg><image><set attributeName="href" to="${X}"/></image></svg>`],
  ["an image", `<img alt="" src="${X}">`],
  ["an image of the old name", `<image src="${X}">`],
  ["an image of several sizes", `<img src=a.png srcset="b.png 1x,${X} 2x">`],
  ["a picture", `<picture><source srcset="${X}"><img src=a.png></picture>`],
  ["a video", `<video src="${X}"></video>`],
  ["a video's first picture", `<video poster="${X}"></video>`],
  ["a video's source", `<video><source src="${X}"></video>`],
  ["a video's words", `<video><track src="${X}"></video>`],
  ["a sound", `<audio src="${X}"></audio>`],
  ["a frame", `<iframe src="${X}"></iframe>`],
  ["an old frame", `<frameset><frame src="${X}"></frameset>`],
  ["a frame's own page", `<iframe srcdoc="<img src=&quot;${X}&quot;>"></iframe>`],
  ["an object", `<object data="${X}"></object>`],
  ["an embedded thing", `<embed src="${X}">`],
  ["a button's image", `<input type=image src="${X}">`],
  ["a background", `<body background="${X}">`],
  ["a drawing's image", `<svg><image href="${X}"/></svg>`],
  ["a drawing's old image", `<svg><image xlink:href="${X}"/></svg>`],
  ["a drawing's symbol", `<svg><use href="${X}#symbol"/></svg>`],
  ["a drawing's filter", `<svg><filter><feImage href="${X}"/></filter></svg>`],
  ["a drawing's paint", `<svg><rect fill="url(${X}#paint)"/></svg>`],
  ["markup in a drawing", `<svg><foreignObject><img src="${X}"></foreignObject></svg>`],
  ["markup in a drawing's title", `<svg><title><img src="${X}"></title></svg>`],
  ["markup after a drawing's own markup", `<svg><desc></desc><title><img src="${X}"></title></svg>`],
  [
    "markup after a drawing's foreign markup",
    `<svg><foreignObject></foreignObject><title><img src=${X}></title></svg>`,
  ],
  ["markup after a drawing's empty element", `<svg><g/><title><img src="${X}"></title></svg>`],
  ["markup after a drawing in a drawing", `<svg><svg></svg><title><img src="${X}"></title></svg>`],
  ["markup after an empty drawing in a drawing", `<svg><svg/><title><img src="${X}"></title></svg>`],
  ["a formula's style, which is markup", `<math><style><img src="${X}"></style></math>`],
  ["a formula's text", `<math><mtext><img src="${X}"></mtext></math>`],
  ["a formula's style after a text", `<math><mi>x</mi><style><img src="${X}"></style></math>`],
  ["a drawing's style", `<svg><style>@import "${X}";</style></svg>`],
  ["markup after a drawing that was not closed", `<svg><p><style>p { background: url(${X}) }</style>`],
  ["a style", `<style>p { background: url("${X}") }</style>`],
  ["a style that is not closed", `<style>p { background: url(${X})`],
  ["a style of an element", `<p style="background:url(${X})">`],
  ["a style of an element with entities", `<p style="background:url(&quot;${X}&quot;)">`],
  ["a page that it turns to", `<meta http-equiv="Refresh" content="0; URL='${X}'">`],
  ["a page that it turns to, in short", `<meta http-equiv=refresh content="5,${X}">`],
  ["an image without scripts", `<noscript><img src="${X}"></noscript>`],
  ["an image of a template", `<template><img src="${X}"></template>`],
  ["an image after a comment", `<!-- <img src="a"> --><img src="${X}"><!-- -->`],
  ["an image after a script", `<script>"<!--<script></script>"</script>--></script><img src="${X}">`],
  ["an image after a title", `<title><img src="a"></title><img src="${X}">`],
  ["an image with entities", `<img src="https&colon;&#x2f;&sol;cdn.example/x">`],
  ["an image below a base", `<base href="https://cdn.example/"><img src="x">`],
  [
    "an image below the first base",
    `<base target=_top><base href="//cdn.example/"><base href="/"><img src="x">`,
  ],
];

test.each(LOADING)("%s is a load", async (_what, page) => {
  expect(await loadsOf(page)).toEqual([X]);
  expect(await loadsOf(`<!doctype html><html><body><p>${page}`)).toEqual([X]);
  for (let at = 1; at < page.length; at += 7) expect(await cutLoadsOf(page, at)).toEqual([X]);
});

/** Pages that load nothing from other hosts. */
const STILL: [what: string, page: string][] = [
  ["a link", `<a href="${X}" ping="${X}">x</a><area href="${X}">`],
  ["a form", `<form action="${X}"><button formaction="${X}"></form>`],
  [
    "what a page is and who made it",
    `<link rel="canonical" href="${X}"><link rel="alternate author" href="${X}">`,
  ],
  ["a link without a relation", `<link href="${X}">`],
  [
    "a picture for others",
    `<meta property="og:image" content="${X}"><meta name=refresh content="0;url=${X}">`,
  ],
  [
    "a page that loads itself again",
    `<meta http-equiv=refresh content="30"><meta http-equiv=refresh content="0;url=a.html">`,
  ],
  ["a quotation", `<blockquote cite="${X}"><q cite="${X}">`],
  ["a comment", `<!-- <img src="${X}"> --><!--[if IE]><script src="${X}"></script><![endif]-->`],
  ["a script's text", `<script>const page = '<img src="${X}">'; fetch("${X}")</script>`],
  ["a title's text", `<title><img src="${X}"></title><textarea><img src="${X}"></textarea>`],
  ["a title after a drawing", `<svg></svg><title><img src="${X}"></title>`],
  ["a title after an empty drawing", `<svg/><title><img src="${X}"></title>`],
  ["a title after an empty formula", `<math/><title><img src="${X}"></title>`],
  ["a title after a formula", `<math></math><title><img src="${X}"></title>`],
  ["a title after a drawing that was not closed", `<svg><p><title><img src="${X}"></title>`],
  [
    "a title in a drawing's foreign markup",
    `<svg><foreignObject><title><img src="${X}"></title></foreignObject></svg>`,
  ],
  ["a title in a formula's text", `<math><mtext><title><img src="${X}"></title></mtext></math>`],
  ["a text that looks like markup", `&lt;img src="${X}"&gt;`],
  ["an old frame's text", `<iframe><img src="${X}"></iframe><noembed><img src="${X}"></noembed>`],
  ["a data address", `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">`],
  [
    "a page in an attribute that holds none",
    `<p srcdoc="<img src='${X}'>"></p><iframe title="<img src='${X}'>" data-page="<img src='${X}'>"></iframe>`,
  ],
  ["a blank frame", `<iframe src="about:blank"></iframe><iframe src="javascript:void 0"></iframe>`],
  [
    "a file beside it",
    `<script src="./a.js"></script><img src="/b.png"><img src="../c.png?d#e"><img src="">`,
  ],
  ["a name with a colon", `<img src="./a:b"><img src="mailto:a@b">`],
  [
    "a namespace",
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"></svg>`,
  ],
  ["a link in a drawing", `<svg><a href="${X}"><text>x</text></a></svg>`],
  ["an address that is none", `<img src="https://"><img src="http://[">`],
  ["a base of its own", `<base href="/docs/"><img src="x">`],
  ["an image in front of the base", `<img src="x"><base href="https://cdn.example/">`],
  ["data of an unknown attribute", `<img data-src="${X}"><div src="${X}"><constructor src="${X}">`],
  ["an image in an image's address", `<img src="data:image/svg+xml,<svg><image href='${X}'/></svg>">`],
  [
    "a text in a frame's address",
    `<iframe src="data:text/plain,<img src='${X}'>"></iframe><iframe src="data:${X}">`,
  ],
  [
    "a program with addresses",
    `<script type=module>{"urls":["${X}"]}</script><script type=application/ld+json>["${X}"]</script>`,
  ],
  ["rules that are no JSON", `<script type=speculationrules>["${X}"</script>`],
  [
    "rules within the site",
    `<script type=speculationrules>{"prefetch":[{"urls":["/next"]}],"tag":"a:b"}</script>`,
  ],
  ["an instruction of XML", `<?xml-stylesheet href="${X}"?>`],
  ["a style's comment", `<style>/* url(${X}) */</style>`],
];

test.each(STILL)("%s is no load", async (_what, page) => {
  expect(await loadsOf(page)).toEqual([]);
  for (let at = 1; at < page.length; at += 7) expect(await cutLoadsOf(page, at)).toEqual([]);
});

test("the result does not depend on where a page is cut into slices", async () => {
  const all = LOADING.map(([, page]) => page).filter(
    (page) => !/<base|not closed|foreignObject|<svg><p>|<style>p/.test(page),
  );
  const page = all.join("<p>");
  const whole = await loadsOf(page);
  expect(whole).toHaveLength(all.length);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: page.length }), async (at) => {
      expect(await cutLoadsOf(page, at)).toEqual(whole);
    }),
    { numRuns: 30 },
  );
});

test("an address is shown without what could be secret or harmful, and cut", async () => {
  const [address = ""] = await loadsOf(
    `<img src="https://b\u00fccher.example/\u202e::error::${"x".repeat(1_000)}">`,
  );
  expect(address).toMatch(/^https:\/\/xn--bcher-kva\.example\/%E2%80%AE: :error: *:x+…$/);
  expect(address.length).toBeLessThan(310);
});

describe("a style sheet", () => {
  test.each([
    ["an import", `@import "${X}";`],
    ["an import by url()", `@import url(${X}) screen;`],
    ["an import by url() with a text", `@IMPORT/**/ URL( '${X}' ) layer(a) supports(display: grid);`],
    ["a font", `@font-face { src: local("x"), url(${X}) format("woff2") }`],
    ["an image", `p { background: no-repeat url( "${X}" ) }`],
    ["an image under a condition", `@media print { p::before { content: url(${X}) } }`],
    ["an image of several sizes", `p { background: image-set("${X}" type("image/png") 1x) }`],
    ["an image of several sizes by url()", `p { background: -webkit-image-set(url(${X}) 1x) }`],
    [
      "an image of several sizes after the type of another",
      `p { background: image-set("a.png" type("image/png") 1x, "${X}" 2x) }`,
    ],
    ["an image of several sizes after parentheses", `p { background: image-set((a) "${X}" 1x) }`],
    ["an image of several sizes after a lost parenthesis", `p { x: ) image-set("${X}" 1x) }`],
    ["an image of several sizes after a function", `p { x: attr(y) image-set("${X}" 1x) }`],
    ["src()", `p { background: src("${X}") }`],
    ["a variable", `:root { --x: url(${X}) }`],
    ["a hidden url()", `p { background: u\\72 l("${X}") }`],
    ["a hidden import", `@\\69mport "${X}";`],
    ["an image that is not closed", `p { background: url("${X}"`],
    ["an image after a mistake", `@namespace x } p { background: url(${X}) }`],
    ["a style in an address", `@import "data:text/css,@import%20'${X}';";`],
  ])("loads by %s", async (_what, css) => {
    expect(await loadsOf(css, "css")).toEqual([X]);
  });

  test.each([
    ["a comment", `/* @import "${X}"; url(${X}) */`],
    ["a text", `p::before { content: "url(${X})" }`],
    ["a text at its begin", `"${X}"; p { background: none /* url( */ }`],
    ["a namespace", `@namespace url(${X}); @namespace svg "${X}";`],
    ["a condition on the document's address", `@-moz-document url("${X}") { p { color: red } }`],
    ["another function", `p::before { content: attr(x) local("${X}") }`],
    ["a text in parentheses", `p { x: ("${X}") }`],
    ["another rule with a text", `@charset "${X}"; @layer "${X}";`],
    ["a type in a list of images", `p { background: image-set("a.png" type("${X}") 1x) }`],
    ["a text in parentheses in a list of images", `p { background: image-set("a.png" ("${X}") 1x) }`],
    ["a text after a list of images", `p { x: image-set("a.png" 1x) "${X}"; y: "${X}" }`],
    ["a text after a list of images that is not closed", `p { x: image-set("a.png"; y: "${X}" }`],
    ["a text in a block after such a list", `p { x: image-set("a.png" { y "${X}" }`],
    ["a text after the block with such a list", `p { x: image-set("a.png" } "${X}"`],
    ["a mistake", `p { background: url(${X} x) }`],
    ["an image in an address", `p { background: url("data:image/svg+xml,<image href='${X}'/>") }`],
  ])("does not load by %s", async (_what, css) => {
    expect(await loadsOf(css, "css")).toEqual([]);
    // what could load nothing is not read
    expect(await loadsOf(`p { background: url(a.png) } ${css}`, "css")).toEqual([]);
  });
});

test("a list that ends in a million commas is read at once", () => {
  expect([...srcsetAddresses(`a.png 1x${",".repeat(1_000_000)}`)]).toEqual(["a.png"]);
});

test.each([
  ["a.png", ["a.png"]],
  ["a.png 1x, b.png 2x", ["a.png", "b.png"]],
  [" ,a.png 100w,b,c.png 200w 100h ,, d.png,", ["a.png", "b,c.png", "d.png"]],
  ["a.png, b.png 1x, c.png,, d.png", ["a.png", "b.png", "c.png", "d.png"]],
  ["a.png calc(1,2)x, b.png", ["a.png", "b.png"]],
  ["a.png (1, b.png", ["a.png"]],
  ["data:image/png,AAAA 1x, b.png 2x", ["data:image/png,AAAA", "b.png"]],
  ["", []],
  [" , ", []],
])("the list %j is of %j", (srcset, addresses) => {
  expect([...srcsetAddresses(srcset)].filter((address) => address !== "")).toEqual(addresses);
});
