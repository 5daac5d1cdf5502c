// Copies with a search, in folders.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  folder = mkdtempSync(join(tmpdir(), "copy-search-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const context = (): PublicationContext => localContext(folder);

function check(given: object): { inputs: CheckedCopyInputs; failures: CheckFailure[] } {
  const { file } = packedSite(folder, "site", {
    "index.html": "<title>Start</title><p>welcome</p>",
    "guide/a.html": "<title>A</title><p>installation</p>",
  });
  const destination = { folder: join(folder, "copies"), layout: "site" };
  const source = { file, version: "v1", fileSha256: "0".repeat(64) };
  return bundleCopy.check({ source, destination, ...given }, context().configuration);
}

const refused = (given: object): CheckFailure[] => check(given).failures;
const current = (path = ""): string => join(folder, "copies/current", path);

describe("the input offlineSearch", () => {
  test("false and absent are the same; true and no options are the same", () => {
    expect(check({ offlineSearch: false }).inputs).toEqual(check({}).inputs);
    expect(check({ offlineSearch: {} }).inputs.offlineSearch).toBe(true);
    expect(check({ offlineSearch: { button: false, exclude: null } }).inputs.offlineSearch).toEqual({
      button: false,
    });
  });

  test.for([
    ["yes", "offlineSearch", "must be true, false, or options"],
    [
      { buton: true },
      "offlineSearch.buton",
      "there is no such option. Options are: button, shortcuts, openFrom, exclude",
    ],
    [{ button: 1 }, "offlineSearch.button", "must be true or false"],
    [{ exclude: "v1/**" }, "offlineSearch.exclude", "must be a list of texts that are not empty"],
    [{ openFrom: [""] }, "offlineSearch.openFrom", "must be a list of texts that are not empty"],
  ] as const)("%j is refused at %s", ([offlineSearch, property, reason]) => {
    expect(refused({ offlineSearch })).toEqual([
      { property, reason: expect.stringContaining(reason) as string },
    ]);
  });

  test("an archive gets none: the message names the layout that does", () => {
    const destination = { folder: join(folder, "copies") };
    expect(refused({ destination, offlineSearch: true })).toEqual([
      { property: "offlineSearch", reason: expect.stringContaining('`layout: "site"`') as string },
    ]);
    expect(refused({ destination, offlineSearch: false })).toEqual([]);
    expect(refused({ destination: { repository: "r.internal/docs" }, offlineSearch: true })).toEqual([]);
  });

  test.for([
    { offlineSearch: UNKNOWN },
    { offlineSearch: { button: UNKNOWN, exclude: [UNKNOWN] } },
    { offlineSearch: true, destination: UNKNOWN },
    { offlineSearch: true, destination: { folder: "copies", layout: UNKNOWN } },
  ])("values that are not known yet are accepted: %j", (given) => {
    expect(refused(given)).toEqual([]);
  });
});

test("a copy with a search has its files, and the outputs count the pages that it finds", async () => {
  const { inputs } = check({ offlineSearch: true });
  const { outputs } = await bundleCopy.create(context(), inputs);
  expect(outputs).toMatchObject({
    searchPages: 2,
    searchVersion: "5",
    offlineSearch: true,
    files: 2,
    pages: 2,
  });
  expect(readdirSync(current("docs-hosting-search"))).toContain("load.js");
  expect(readFileSync(current("guide/a.html"), "utf8")).toMatch(
    /<script defer src="\.\.\/docs-hosting-search\/load\.js">/,
  );
});

test("a read notices a changed file of the index, and the next run publishes the copy again", async () => {
  const { inputs } = check({ offlineSearch: true });
  const state = await bundleCopy.create(context(), inputs);
  const [name = ""] = readdirSync(current("docs-hosting-search")).filter((each) => each.startsWith("words-"));
  const before = readFileSync(current(`docs-hosting-search/${name}`));
  writeFileSync(current(`docs-hosting-search/${name}`), "changed");
  const found = await bundleCopy.read(context(), state);
  const seen = found?.state ?? state;
  expect(bundleCopy.diff(inputs, seen, { name: "m", nowMs: 0 }).decision.code).toBe("DRIFTED");
  await bundleCopy.update(context(), seen, inputs);
  expect(readFileSync(current(`docs-hosting-search/${name}`))).toEqual(before);
});

test("a site with a folder of the search's name is refused as a whole: the copy before it stays the published one", async () => {
  const state = await bundleCopy.create(context(), check({ offlineSearch: true }).inputs);
  const before = readdirSync(join(folder, "copies"));
  mkdirSync(join(folder, "site-site/docs-hosting-search"));
  writeFileSync(join(folder, "site-site/docs-hosting-search/a.txt"), "of the site");
  writeFileSync(join(folder, "site-site/guide/a.html"), "<title>A</title><p>changed</p>");
  const source = { file: join(folder, "site.tar.gz"), version: "v2", fileSha256: "1".repeat(64) };
  const { inputs } = check({ offlineSearch: true, source });
  await expect(bundleCopy.update(context(), state, inputs)).rejects.toThrow(
    /the site has a file docs-hosting-search\/a\.txt[^]*switch `offlineSearch` off/,
  );
  expect(readdirSync(join(folder, "copies"))).toEqual(before);
  expect(readFileSync(current("guide/a.html"), "utf8")).toContain("installation");
});
