// The one table of media types, and each place that follows it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Yielder } from "../../../../provider/publishing/archives/yielder.ts";
import { headersOf } from "../../../../provider/publishing/destinations/objectStore/fileHeaders.ts";
import { EMPTY_BASE } from "../../../../provider/publishing/images/siteImage/siteImage.ts";
import { webServerFiles } from "../../../../provider/publishing/images/siteImage/webServer.ts";
import { InspectionBudget } from "../../../../provider/publishing/inspection/inspectionBudget.ts";
import { isPage, MEDIA_TYPES, mediaTypeOf } from "../../../../provider/publishing/inspection/mediaTypes.ts";
import { SiteLoads } from "../../../../provider/publishing/inspection/siteLoads.ts";

const CHART = join(import.meta.dirname, "../../../../examples/self-hosted/chart/files");
const CHART_SERVER = readFileSync(join(CHART, "nginx.conf"), "utf8");
const COMPRESS = readFileSync(join(CHART, "compress.sh"), "utf8");
const IMAGE_SERVER = webServerFiles("site", EMPTY_BASE)[0]?.content ?? "";

const ROWS = MEDIA_TYPES.flatMap((row) => row.endings.split(" ").map((ending) => [ending, row] as const));
const wordsIn = (text = ""): string[] => text.split(/[\s\\]+/).filter((word) => word !== "");

/** The types that a configuration of nginx gives, by ending. */
function typesIn(configuration: string): Map<string, string> {
  const [, block = ""] = /\n *types \{\n([^}]*)\}/.exec(configuration) ?? [];
  const rows = block.split(";").map(wordsIn);
  return new Map(rows.flatMap(([type = "", ...endings]) => endings.map((ending) => [ending, type] as const)));
}

const listed = (configuration: string, directive: string): Set<string> =>
  new Set(["text/html", ...wordsIn(new RegExp(`${directive} ([^;]*);`).exec(configuration)?.[1])]);

test("each ending is in one row only", () => {
  const endings = ROWS.map(([ending]) => ending);
  expect(endings).toEqual([...new Set(endings)]);
});

test.each([
  ["the chart's nginx", CHART_SERVER],
  ["that of an image", IMAGE_SERVER],
])("%s has the types of the table, and no others", (_, configuration) => {
  expect(typesIn(configuration)).toEqual(new Map(ROWS.map(([ending, { type }]) => [ending, type])));
  const typesWith = (name: "hasCharset" | "isCompressed"): Set<string> =>
    new Set(MEDIA_TYPES.filter((row) => row[name]).map(({ type }) => type));
  expect(listed(configuration, "charset_types")).toEqual(typesWith("hasCharset"));
  expect(listed(configuration, "gzip_types")).toEqual(typesWith("isCompressed"));
  const encoded = ROWS.filter(([, { encoding }]) => encoding !== undefined).map(([ending]) => ending);
  expect(encoded).toEqual(["svgz"]); // a map and a location of both configurations are for it
  expect(configuration).toMatch(/\.svgz\$" gzip;/);
});

test("the chart compresses the files of the table, and no others", () => {
  const endings = ROWS.filter(([, { isCompressed }]) => isCompressed).map(([ending]) => ending);
  expect(wordsIn(/for ending in ([^;]*);/.exec(COMPRESS)?.[1]).sort()).toEqual(endings.sort());
});

test.each(ROWS)("a bucket sends .%s as the table says", (ending, { type, hasCharset, encoding }) => {
  const { contentType, contentEncoding } = headersOf(`a/B.${ending.toUpperCase()}`);
  expect([contentType, contentEncoding]).toEqual([hasCharset ? `${type}; charset=utf-8` : type, encoding]);
});

test.each(ROWS)(
  "what browsers show of .%s is counted as a page, and what loads is inspected",
  async (ending, row) => {
    const isShown = /html/.test(row.type);
    expect(isPage(`a/b.${ending}`)).toBe(isShown);
    expect(mediaTypeOf(`a/b.${ending.toUpperCase()}`)).toBe(row);
    const texts: Record<string, string> = {
      html: '<script src="https://cdn.example/a.js"></script>',
      xml: '<a xmlns="http://www.w3.org/1999/xhtml"><script src="https://cdn.example/a.js"/></a>',
      css: "@import 'https://cdn.example/a.css';",
      manifest: '{"icons":[{"src":"https://cdn.example/a.png"}]}',
      module: "import 'https://cdn.example/a.js';",
    };
    const text = Buffer.from(texts[row.inspectedAs ?? "html"] ?? "");
    const bytes = row.encoding === "gzip" ? gzipSync(text) : text;
    const loads = new SiteLoads(new InspectionBudget(1_000_000, new Yielder(new AbortController().signal)));
    await loads.inspect(
      `a.${ending}`,
      bytes.length,
      [bytes].values() as unknown as AsyncIterable<Uint8Array>,
    );
    // browsers load a module with the pages that name it
    const page = Buffer.from(`<script type="module" src="a.${ending}"></script>`);
    if (row.inspectedAs === "module") {
      await loads.inspect("b.html", page.length, [page].values() as unknown as AsyncIterable<Uint8Array>);
    }
    loads.followModules("", () => true);
    expect(loads.external.length).toBe(row.inspectedAs === undefined ? 0 : 1);
    if (isShown) expect(row.inspectedAs).toBeDefined();
  },
);

test.each([
  ["rst", "text/plain"],
  ["py", "text/plain"],
  ["sh", "text/plain"],
  ["toml", "text/plain"],
  ["log", "text/plain"],
  ["tsv", "text/tab-separated-values"],
  ["ipynb", "application/x-ipynb+json"],
  ["xsd", "text/xml"],
  ["rdf", "application/rdf+xml"],
  ["rsc", "text/x-component"],
])("a file .%s, which generators write, is %s and never a download of bytes", (ending, type) => {
  expect(mediaTypeOf(`a.${ending}`)?.type).toBe(type);
});
