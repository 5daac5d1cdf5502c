// Which entries are never published, by their names.
import { expect, test } from "vitest";
import { reportLeftOut } from "../../../../provider/copies/source/inspect.ts";
import { unpublished } from "../../../../provider/publishing/archives/unpublished.ts";
import { SITE, tarGz } from "../../../chart/tarArchive.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { inspected, unpacked } from "./bundleOnDisk.ts";

test.each([
  ...["__MACOSX/a", "a/__MACOSX/b", "a/._b", "._b", "._.", ".DS_Store", "a/b/.DS_Store", "a/Icon\r"],
  ...["Thumbs.db", "a/thumbs.db", "Desktop.ini", ".directory", ".Trashes/a", "@eaDir/a/b", "$RECYCLE.BIN/x"],
])("the file %j is metadata", (path) => {
  expect(unpublished(path, "file")).toEqual({ what: "metadata" });
});

test.each([
  ...[
    "__MACOSX",
    "__MACOSX2/a",
    "a__MACOSX/b",
    "a._b",
    "._a/b",
    "a.DS_Store",
    ".DS_Store/a",
    ".DS_Store2",
    "Icon",
  ],
  ...[
    "a.git/b",
    ".gitignore",
    ".github/x",
    ".well-known/x",
    "CVS/index.html",
    "guide/CVS/Entries.html/x",
    "git/x",
  ],
])("the file %j is published", (path) => {
  expect(unpublished(path, "file")).toBeUndefined();
});

test("a folder is metadata by the name of a folder only", () => {
  expect(unpublished("__MACOSX", "folder")).toEqual({ what: "metadata" });
  expect(unpublished("._a", "folder")).toBeUndefined();
});

test.each([
  [".git/config", ".git"],
  ["theme/.git", "theme/.git"],
  ["a/.svn/entries", "a/.svn"],
  [".hg/store/data/x.i", ".hg"],
  ["a/CVS/Root", "a/CVS"],
  ["CVS/Entries.Log", "CVS"],
])("%s is of version control", (path, folder) => {
  expect(unpublished(path, "file")).toEqual({ what: "version control", folder });
});

const WITH_GIT = tarGz([
  ...SITE,
  { name: ".git/", type: "5", mode: 0o755 },
  { name: ".git/config", content: "[remote] url = https://x-token:secret@git.example/x" },
  { name: ".git/refs/heads/a:b", content: "x" },
  { name: "theme/.svn/entries", content: "x" },
]);

test("folders of version control are left out of a site, and named on its row", async () => {
  const inspection = await inspected(WITH_GIT);
  expect(inspection).toMatchObject({ files: 3, versionControl: [".git", "theme/.svn"], notOnWindows: [] });
  expect(Object.keys(await unpacked(WITH_GIT)).filter((path) => /git|svn/.test(path))).toEqual([]);
  const reporter = recordingReporter();
  reportLeftOut(inspection, reporter);
  expect(reporter.lines.info).toEqual([
    "not published, because they are of version control: .git, theme/.svn",
  ]);
  expect(reporter.lines.warn).toEqual([]);
});

test("an archive that is published as it is, with a folder of version control, is warned of", async () => {
  const reporter = recordingReporter();
  reportLeftOut(await inspected(WITH_GIT), reporter, { isSitePublished: false, isArchivePublished: true });
  expect(reporter.lines.warn).toEqual([expect.stringContaining("a token: .git, theme/.svn. Leave them out")]);
});
