// Copies with Markdown, in folders.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import type { CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import type { CheckFailure } from "../../../../provider/resource/inputTable.ts";
import { localContext, packedSite } from "../../../simulation/packedSite.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "copy-llms-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const context = (): PublicationContext => localContext(folder);

function check(
  given: object,
  more: Record<string, string> = {},
): { inputs: CheckedCopyInputs; failures: CheckFailure[] } {
  const { file } = packedSite(folder, "site", {
    "index.html": "<html><head><title>Start</title></head><body><p>welcome</p></body></html>",
    "guide/index.html": "<title>Guide</title><main><h1>Guide</h1><a href='../'>Start</a></main>",
    ...more,
  });
  const destination = { folder: join(folder, "copies"), layout: "site" };
  const source = { file, version: "v1", fileSha256: "0".repeat(64) };
  return bundleCopy.check({ source, destination, ...given }, context().configuration);
}

const refused = (given: object): CheckFailure[] => check(given).failures;
const current = (path = ""): string => join(folder, "copies/current", path);
const text = (path: string): string => readFileSync(current(path), "utf8");

describe("the input llmsTxt", () => {
  test("false and absent are the same; true and no options are the same", () => {
    expect(check({ llmsTxt: false }).inputs).toEqual(check({}).inputs);
    expect(check({ llmsTxt: {} }).inputs.llmsTxt).toBe(true);
  });

  test.for([
    ["yes", "llmsTxt", "must be true, false, or options"],
    [{ tittle: "a" }, "llmsTxt.tittle", "Options are: title, summary, baseUrl, exclude, full"],
    [{ title: " " }, "llmsTxt.title", "must be a text in one line that is not empty"],
    [{ summary: "a\nb" }, "llmsTxt.summary", "must be a text in one line"],
    [{ baseUrl: "docs.internal" }, "llmsTxt.baseUrl", "must be the address of the site"],
    [{ baseUrl: "https://me:secret@docs.internal" }, "llmsTxt.baseUrl", "without a login"],
    [{ exclude: "v1/**" }, "llmsTxt.exclude", "must be a list of texts that are not empty"],
    [{ full: 1 }, "llmsTxt.full", "must be true or false"],
  ] as const)("%j is refused at %s", ([llmsTxt, property, reason]) => {
    expect(refused({ llmsTxt })).toEqual([{ property, reason: expect.stringContaining(reason) as string }]);
  });

  test("an archive gets none: each addition is refused at its own property", () => {
    const destination = { folder: join(folder, "copies") };
    const failures = refused({ destination, llmsTxt: true, offlineSearch: true });
    expect(failures.map(({ property }) => property)).toEqual(["offlineSearch", "llmsTxt"]);
    expect(failures[1]?.reason).toContain('`layout: "site"`');
  });

  test.for([{ llmsTxt: UNKNOWN }, { llmsTxt: { title: UNKNOWN } }, { llmsTxt: true, destination: UNKNOWN }])(
    "values that are not known yet are accepted: %j",
    (given) => {
      expect(refused(given)).toEqual([]);
    },
  );
});

test("a copy with Markdown has its files beside the pages, which lead to them; the outputs count the pages", async () => {
  const { outputs } = await bundleCopy.create(context(), check({ llmsTxt: true }).inputs);
  expect(outputs).toMatchObject({ llmsPages: 2, llmsVersion: "2", llmsTxt: true, files: 2, pages: 2 });
  expect(outputs.searchPages).toBeUndefined();
  expect(text("llms.txt")).toContain("- [Guide](guide/index.md)");
  expect(text("guide.md")).toBe("# Guide\n\n[Start](index.md)\n");
  expect(text("guide/index.md")).toBe("# Guide\n\n[Start](../index.md)\n");
  expect(text("index.html")).toContain('<link rel="alternate" type="text/markdown" href="index.md"></head>');
  expect(text("guide/index.html")).toMatch(/<\/main><link rel="alternate"[^>]*>$/);
});

test("a page with a base has no link to its Markdown, and an address in a link is escaped", async () => {
  const based = '<head><base href="/docs/"><title>B</title></head><p>b';
  const files = { "base.html": based, "a&b.html": "<head><title>A</title></head><p>a" };
  await bundleCopy.create(context(), check({ llmsTxt: true }, files).inputs);
  expect(text("base.html")).toBe(based);
  expect(text("base.md")).toContain("b");
  expect(text("a&b.html")).toMatch(/href="a(?:&amp;|%26)b\.md"/);
});

test("with a search, each page has both, and the search finds the same pages", async () => {
  const both = await bundleCopy.create(context(), check({ llmsTxt: true, offlineSearch: true }).inputs);
  expect(both.outputs).toMatchObject({ llmsPages: 2, searchPages: 2 });
  expect(text("guide/index.html")).toMatch(/rel="alternate"[^]*docs-hosting-search\/load\.js/);
});

test("the second run changes nothing; other options make another copy", async () => {
  const { inputs } = check({ llmsTxt: true });
  const state = await bundleCopy.create(context(), inputs);
  const now = { name: "docs", nowMs: 0 };
  expect(bundleCopy.diff(inputs, state, now).decision.code).toBe("UP_TO_DATE");
  const other = check({ llmsTxt: { full: true } }).inputs;
  expect(bundleCopy.diff(other, state, now).decision.code).not.toBe("UP_TO_DATE");
  const next = await bundleCopy.update(context(), state, other);
  expect(next.outputs.uri).not.toBe(state.outputs.uri);
  expect(existsSync(current("llms-full.txt"))).toBe(true);
});
