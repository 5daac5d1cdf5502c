import { describe, expect, test } from "vitest";
import { SiteAddresses } from "../../../../provider/publishing/sitePages/siteAddresses.ts";

const FILES = new Set([
  "index.html",
  "a.html",
  "guide/index.html",
  "guide/b.html",
  "guide/c d.html",
  "guide/app.js",
  "guide/page.html.js",
  "guide/sub/index.html",
  "old.htm",
  "old/index.htm",
]);

/** The addresses of some pages of a site that has these links on its page `guide/b.html`. */
function addresses(links: readonly string[], page = "guide/b.html"): string[] {
  const site = new SiteAddresses((path) => FILES.has(path));
  site.learn(page, links);
  return ["guide/index.html", "guide/b.html"].map((path) => site.addressOf(path));
}

describe("the addresses of a folder and of a page, as the site links to them", () => {
  test.for([
    ["without links", [], "guide/", "guide/b.html"],
    ["as folders", ["./"], "guide/", "guide/b.html"],
    ["as files", ["../index.html", "../a.html"], "guide/index.html", "guide/b.html"],
    ["without their endings", ["../guide", "../a"], "guide", "guide/b"],
    ["with a slash", ["../guide/", "../a/"], "guide/", "guide/b/"],
    ["as most links", ["../a", "../a", "../a.html"], "guide/", "guide/b"],
    ["as most links, in another order", ["../a.html", "../a", "../a"], "guide/", "guide/b"],
    ["as files if as many links are without endings", ["../a", "../a.html"], "guide/", "guide/b.html"],
    ["as folders if as many links are files", ["index.html", "./", "../guide"], "guide/", "guide/b.html"],
    ["from the root of the server", ["/guide", "/a"], "guide", "guide/b"],
    ["from the root of a site below a path", ["/docs/v1/guide", "/docs/v1/a"], "guide", "guide/b"],
    ["with a query and a fragment", ["../a?x=1#y", "../a#../a.html", "../a.html"], "guide/", "guide/b"],
    ["with encoded characters", ["c%20d"], "guide/", "guide/b"],
    ["with characters as they are", ["c d"], "guide/", "guide/b"],
    [
      "as most links to pages, whatever other files are linked",
      ["app.js", "page.html.js", "../a"],
      "guide/",
      "guide/b",
    ],
    [
      "as most links, with the older ending, too",
      ["../old.htm", "../old.htm", "../a"],
      "guide/",
      "guide/b.html",
    ],
    ["as files with the older ending", ["../old/index.htm"], "guide/index.html", "guide/b.html"],
    [
      "as files if fewer links are folders",
      ["index.html", "../index.html", "./"],
      "guide/index.html",
      "guide/b.html",
    ],
    ["of a folder in a folder", ["/docs/guide/sub/", "../guide"], "guide/", "guide/b.html"],
    ["of the start page and of another", ["/", "../guide"], "guide/", "guide/b.html"],
    ["of the start page", ["/"], "guide/", "guide/b.html"],
    ["of the start page as a file", ["/index.html"], "guide/index.html", "guide/b.html"],
  ] as const)("%s", ([, links, folder, page]) => expect(addresses(links)).toEqual([folder, page]));

  test.for([
    ["of other hosts", ["https://example.com/a", "//example.com/a", "mailto:a"]],
    ["within the page", ["#a", "?a", ""]],
    ["to files that are no pages", ["app.js"]],
    ["to nothing", ["../missing"]],
    ["to nothing from the root", ["/missing", "../guide/missing/"]],
    ["with a broken code", ["../a%", "%E0%A4%A"]],
  ] as const)("do not depend on links %s", ([, links]) =>
    expect(addresses(links)).toEqual(["guide/", "guide/b.html"]),
  );

  test("of a page at the root are relative to it", () =>
    expect(addresses(["a", "guide"], "index.html")).toEqual(["guide", "guide/b"]));
});

test("of a folder in a folder, the address without a slash keeps the one between them", () => {
  const site = new SiteAddresses((path) => FILES.has(path));
  site.learn("index.html", ["guide"]);
  expect(site.addressOf("guide/sub/index.html")).toBe("guide/sub");
});

test.for([
  ["index.html", ""],
  ["index.htm", ""],
  ["guide/index.htm", "guide/"],
  ["myindex.html", "myindex.html"],
  ["guide/myindex.html", "guide/myindex.html"],
  ["old.htm", "old.htm"],
  ["a.xhtml", "a.xhtml"],
  ["index.html/a", "index.html/a"],
])("the address of %s is «%s»", ([path = "", address = ""]) =>
  expect(new SiteAddresses(() => false).addressOf(path)).toBe(address),
);

test("of sites whose links have no ending, neither .htm nor .html has one", () => {
  const site = new SiteAddresses((path) => FILES.has(path));
  site.learn("index.html", ["a"]);
  expect(["old.htm", "guide/c d.html", "x.xhtml"].map((path) => site.addressOf(path))).toEqual([
    "old",
    "guide/c d",
    "x.xhtml",
  ]);
});

describe("the path of the site's root on its server", () => {
  const site = new SiteAddresses((path) => FILES.has(path));
  test.for([
    ["is the part before a file of the site", ["/handbook/guide/app.js"], "/handbook/"],
    ["may be several folders", ["/a/b/guide/app.js?v=1#x"], "/a/b/"],
    ["may be the server's root", ["/guide/app.js"], "/"],
    ["may be shown by a later file", ["/x/none.js", "/%", "/y/guide/app.js"], "/y/"],
    ["may have encoded characters", ["/my%20docs/guide/app.js"], "/my docs/"],
    ["is unknown if no file is the site's", ["/x/none.js"], undefined],
    ["is unknown without files", [], undefined],
  ] as const)("%s", ([, loads, root]) => expect(site.rootOf(loads)).toBe(root));
});

test("addresses that no page of a site can have are not looked up, however many folders they name", () => {
  const asked: string[] = [];
  const site = new SiteAddresses((path) => {
    asked.push(path);
    return false;
  });
  const long = ["/".repeat(100_000), `/${"a/".repeat(200)}`, `/${"b".repeat(10_000)}`, "c".repeat(10_000)];
  site.learn("index.html", long);
  expect(site.rootOf(long)).toBeUndefined();
  expect(asked).toEqual([]);
});

test("a link with a slash at its end is to a folder, if there is a page of its name, too", () => {
  const site = new SiteAddresses((path) => ["guide.html", "guide/index.html", "other.html"].includes(path));
  site.learn("index.html", ["guide/"]);
  expect(site.addressOf("other.html")).toBe("other.html");
  expect(site.fileOf("index.html", "guide/")).toBe("guide/index.html");
  expect(site.fileOf("index.html", "guide")).toBe("guide.html");
});
