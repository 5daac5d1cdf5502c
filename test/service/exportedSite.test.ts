import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import MarkdownIt from "markdown-it";
import { type DefaultTreeAdapterTypes as Html, parse } from "parse5";
import { beforeAll, describe, expect, test } from "vitest";
import { FASTIFY_MANUAL, listFiles, servedManual } from "./exportedSite.ts";

/** A page as the crawler read it. */
interface CrawledPage {
  elements: Html.Element[];
  ids: Set<string>;
}

const served = servedManual();
let sourcePages: string[];
/** By address in the site. */
let crawled: Map<string, CrawledPage>;

beforeAll(async () => {
  sourcePages = (await listFiles(FASTIFY_MANUAL)).filter((file) => file.endsWith(".md"));
  crawled = await crawl(served.url);
});

describe("the exported fastify manual", () => {
  test("has one page for each Markdown file", () => {
    expect(sourcePages.length).toBeGreaterThan(20);
    expect(served.site.pageCount).toBe(sourcePages.length);
  });

  test("unpacks to exactly the pages, the files that they refer to, and the page for wrong addresses", async () => {
    const pages = sourcePages.map(addressOf);
    const assets = [...crawled.values()].flatMap(({ elements }) => elements.flatMap(loadedUrls));
    expect(assets.length).toBeGreaterThan(0);
    const others = (await listFiles(served.site.folder)).filter(
      (file) => !pages.includes(file) && file !== "404.html",
    );
    expect(others.map((file) => posix.basename(file)).sort()).toEqual(
      [...new Set(assets.map((url) => posix.basename(url)))].sort(),
    );
    expect(await listFiles(served.site.folder)).toEqual(expect.arrayContaining(pages));
  });

  test("reaches every page from the navigation of every page", () => {
    for (const [address, { elements }] of crawled) {
      const navigation = elements.find((element) => attribute(element, "id") === "site-navigation");
      const linked = descendants(navigation)
        .map((element) => attribute(element, "href"))
        .filter((href) => href !== undefined)
        .map((href) => posix.join(posix.dirname(address), href));
      expect(linked.sort(), address).toEqual(sourcePages.map(addressOf).sort());
    }
  });

  test("has no internal link without a target", async () => {
    const files = new Set(await listFiles(served.site.folder));
    const dead: string[] = [];
    let links = 0;
    for (const [address, { elements }] of crawled) {
      for (const element of elements) {
        const href = attribute(element, "href");
        if (href === undefined || /^[a-z]+:/.test(href)) continue;
        const [path = "", fragment = ""] = decodeURIComponent(href).split("#");
        const target = path === "" ? address : posix.join(posix.dirname(address), path);
        const hasPlace = fragment === "" || crawled.get(target)?.ids.has(fragment) === true;
        if (!files.has(target) || !hasPlace) dead.push(`${address} links to ${href}`);
        links++;
      }
    }
    expect(dead).toEqual([]);
    expect(links).toBeGreaterThan(1_000);
  });

  test("warns of exactly the links that are broken in the source", async () => {
    const broken = new Set<string>();
    for (const source of sourcePages) {
      for (const href of linksOf(await readFile(join(FASTIFY_MANUAL, source), "utf8"))) {
        if (/^[a-z]+:/.test(href)) continue;
        const [path = "", fragment = ""] = href.split("#");
        const target = path === "" ? source : posix.join(posix.dirname(source), path);
        const ids = crawled.get(addressOf(target))?.ids;
        const exists = ids && (fragment === "" || ids.has(fragment) || ids.has(fragment.toLowerCase()));
        const isAsset = /\.(svg|png)$/.test(target);
        if (!exists && !isAsset) broken.add(`${source}: ${href}`);
      }
    }
    expect(broken.size).toBeGreaterThan(0);
    expect(served.site.warnings.map((warning) => warning.split(": ").slice(0, 2).join(": ")).sort()).toEqual(
      [...broken].sort(),
    );
  });

  test("loads nothing from another host and nothing from the root of its own", async () => {
    for (const [address, { elements }] of crawled) {
      for (const url of elements.flatMap(loadedUrls)) {
        expect(url, address).not.toMatch(/^([a-z][a-z0-9+.-]*:|\/)/i);
      }
    }
    for (const file of (await listFiles(served.site.folder)).filter((name) => name.endsWith(".css"))) {
      expect(await readFile(join(served.site.folder, file), "utf8")).not.toMatch(/@import|url\(/);
    }
  });

  test("has no inline script and no inline style, and works under a strict content security policy", () => {
    const refused = ({ tagName, attrs, childNodes }: Html.Element): boolean =>
      attrs.some(({ name }) => name === "style" || name.startsWith("on")) ||
      (tagName === "script" && childNodes.length > 0) ||
      ["style", "iframe", "base"].includes(tagName);
    for (const [address, { elements }] of crawled) {
      expect(elements.length, address).toBeGreaterThan(10);
      expect(
        elements.filter(refused).map(({ tagName }) => tagName),
        address,
      ).toEqual([]);
    }
  });

  test("gives every page a title, a language, a viewport and unique identifiers", () => {
    const titles = new Set<string>();
    for (const [address, { elements, ids }] of crawled) {
      const root = elements[0];
      expect(root && attribute(root, "lang"), address).toBe("en");
      expect(elements.some((element) => attribute(element, "name") === "viewport")).toBe(true);
      const title = elements.find(({ tagName }) => tagName === "title")?.childNodes[0];
      titles.add(title && "value" in title ? title.value : "");
      expect(elements.filter((element) => attribute(element, "id") !== undefined)).toHaveLength(ids.size);
    }
    expect(titles.size).toBe(sourcePages.length);
  });

  test("sends no referrer to other sites", () => {
    const links = [...crawled.values()].flatMap(({ elements }) => elements);
    const external = links.filter((element) => attribute(element, "href")?.startsWith("http"));
    expect(external.length).toBeGreaterThan(100);
    for (const link of external) expect(attribute(link, "rel")).toBe("noopener noreferrer");
  });
});

/** Follows the links of the start page until no new page is found. */
async function crawl(url: string): Promise<Map<string, CrawledPage>> {
  const pages = new Map<string, CrawledPage>();
  const waiting = ["index.html"];
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    if (pages.has(address)) continue;
    const response = await fetch(new URL(address, url));
    expect(response.status, address).toBe(200);
    const elements = descendants(parse(await response.text()));
    const ids = elements.map((element) => attribute(element, "id")).filter((id) => id !== undefined);
    pages.set(address, { elements, ids: new Set(ids) });
    for (const element of elements) {
      const href = attribute(element, "href");
      if (element.tagName !== "a" || href === undefined || /^[a-z]+:/.test(href)) continue;
      const path = decodeURIComponent(href.split("#")[0] ?? "");
      if (path.endsWith(".html")) waiting.push(posix.join(posix.dirname(address), path));
    }
  }
  return pages;
}

/** The addresses that a browser loads for this element. */
function loadedUrls(element: Html.Element): string[] {
  const names = ["src", "poster", "data", "background", "xlink:href"];
  if (["link", "use", "image"].includes(element.tagName)) names.push("href");
  const urls = names.map((name) => attribute(element, name)).filter((url) => url !== undefined);
  const sets = ["srcset", "imagesrcset"].flatMap((name) => attribute(element, name)?.split(",") ?? []);
  return [...urls, ...sets.map((candidate) => candidate.trim().split(/\s/)[0] ?? "")];
}

function addressOf(source: string): string {
  const { dir, name } = posix.parse(source);
  return posix.join(dir, name.toLowerCase() === "index" ? "index.html" : `${name}.html`);
}

/** The links of a Markdown text, found in another way than the renderer's. */
function linksOf(markdown: string): string[] {
  const tokens = new MarkdownIt({ html: true }).parse(markdown, {});
  return tokens
    .flatMap((token) => token.children ?? [])
    .filter(({ type }) => type === "link_open" || type === "image")
    .map((token) => String(token.attrGet("href") ?? token.attrGet("src")));
}

function descendants(node: Html.Node | undefined): Html.Element[] {
  if (!node || !("childNodes" in node)) return [];
  return node.childNodes.flatMap((child) => ("tagName" in child ? [child, ...descendants(child)] : []));
}

function attribute(element: Html.Element, name: string): string | undefined {
  return element.attrs.find((candidate) => candidate.name === name)?.value;
}
