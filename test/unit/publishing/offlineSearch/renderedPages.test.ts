// Sites whose pages scripts render: the search finds no text in them, and says so.
import { expect, test } from "vitest";
import { editionOf } from "../../../../provider/publishing/additions/additions.ts";
import { unpackSite } from "../../../../provider/publishing/additions/unpackSite.ts";
import { tarGz } from "../../../chart/tarArchive.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { bundleOnDisk, inspected, LIMITS } from "../archives/bundleOnDisk.ts";

const SCRIPT = '<script type="module" src="/app.js"></script>';
const shell = (title = "App"): string => `<title>${title}</title><div id="root"></div>${SCRIPT}`;
const article = (name: string): string =>
  `<title>${name}</title><main><h1>${name}</h1><p>${`The article ${name} says much. `.repeat(20)}</p></main>${SCRIPT}`;

async function warningsOf(files: Record<string, string>, exclude: string[] = []): Promise<string[]> {
  const bundle = bundleOnDisk(tarGz(Object.entries(files).map(([name, content]) => ({ name, content }))));
  const inspection = await inspected(bundle);
  const reporter = recordingReporter();
  const file = async (_file: unknown, content: AsyncIterable<Uint8Array>): Promise<void> => {
    let size = 0;
    for await (const piece of content) size += piece.length;
    expect(size).toBeGreaterThan(0);
  };
  const { signal } = new AbortController();
  const wanted = { ...inspection, offlineSearch: { exclude }, reporter };
  await unpackSite(bundle, LIMITS, { file }, { ...inspection, signal }, wanted);
  expect(editionOf(bundle.sha256, { offlineSearch: true })).toHaveLength(64);
  return reporter.lines.warn;
}

const many = (count: number, page: (index: number) => string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}/index.html`, page(index)]));
const FRAME = `<h1>Handbook</h1><p>${"The same words on each page. ".repeat(20)}</p>${SCRIPT}`;

test.each<[string, Record<string, string>, string]>([
  [
    "162 pages with the same shell",
    { "index.html": article("Start"), ...many(161, () => shell()) },
    "161 of 162 pages",
  ],
  ["shells with titles of their own", { "index.html": shell("a"), "b.html": shell("b") }, "2 of 2 pages"],
  ["one page", { "index.html": shell() }, "1 of 1 pages"],
  ["a page that waits", { "index.html": `<p>Loading…</p>${SCRIPT}` }, "1 of 1 pages"],
  [
    "a long frame around nothing",
    { "index.html": article("Start"), ...many(30, () => FRAME) },
    "30 of 31 pages",
  ],
  [
    "a long frame around nothing, on few pages",
    Object.fromEntries(["index", "a/b", "a/c", "d"].map((path) => [`${path}.html`, FRAME])),
    "4 of 4 pages",
  ],
])("a search of %s is warned of", async (_what, files, counts) => {
  expect(await warningsOf(files)).toEqual([
    expect.stringMatching(new RegExp(`^offlineSearch finds no text of ${counts}, such as .*prerendering`)),
  ]);
});

test.each<[string, Record<string, string>]>([
  ["articles", { "index.html": article("Start"), ...many(10, (index) => article(`A${index}`)) }],
  [
    "short articles",
    {
      "index.html": `<main><h1>Welcome</h1><p>Hello.</p></main>${SCRIPT}`,
      "guide.html": `<main><h1>Guide</h1><p>Brakes.</p></main>${SCRIPT}`,
    },
  ],
  ["short pages without scripts", { "index.html": "<p>short", "a.html": "<p>also short" }],
  ["some pages of scripts", { "index.html": article("Start"), "b.html": article("B"), "try.html": shell() }],
  [
    "short pages with data for search engines",
    { "index.html": '<p>short<script type="application/ld+json">{}</script>' },
  ],
  [
    "versions with the same pages",
    {
      "index.html": '<meta http-equiv="refresh" content="0; url=v2/">',
      ...Object.fromEntries(
        ["v1", "v2", "v3", "latest"].flatMap((version) =>
          ["index", "guide"].map((name) => [`${version}/${name}.html`, article(name)]),
        ),
      ),
    },
  ],
])("a search of %s is not", async (_what, files) => {
  expect(await warningsOf(files)).toEqual([]);
});

test("pages that are left out of the search do not count", async () => {
  const files = { "index.html": article("Start"), ...many(10, () => shell()) };
  expect(await warningsOf(files, ["p*/**"])).toEqual([]);
});
