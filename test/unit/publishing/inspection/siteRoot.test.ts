// Bundles as other exporters make them: the site in a folder or not, and files beside it that start it on a reader's computer.
import { describe, expect, test } from "vitest";
import { reportLeftOut } from "../../../../provider/copies/source/inspect.ts";
import { exported, EXPORTED_FORMS } from "../../../chart/exportedForms.ts";
import { SITE, tarGz } from "../../../chart/tarArchive.ts";
import { zip } from "../../../chart/zipArchive.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { inspected, unpacked } from "../archives/bundleOnDisk.ts";

const paths = SITE.filter(({ type }) => type !== "5").map(({ name }) => name);
const sizeOfSite = SITE.reduce((sum, { content = "" }) => sum + content.length, 0);

describe.each(EXPORTED_FORMS)("a bundle with $what", ({ files, leftOut, root }) => {
  const entries = exported(files);

  test.each([
    ["tar.gz", () => tarGz(entries)],
    ["zip", () => zip(entries.map(({ name: path, content = "" }) => ({ name: path, content })))],
  ])("as %s is published without the files that start it, and they are named", async (_format, pack) => {
    const inspection = await inspected(pack());
    expect(inspection).toMatchObject({ root, files: paths.length, unpackedBytes: sizeOfSite });
    expect([...inspection.leftOut].sort()).toEqual([...leftOut].sort());
    expect(Object.keys(await unpacked(pack())).sort()).toEqual([...paths].sort());
    const reporter = recordingReporter();
    reportLeftOut(inspection, reporter);
    expect(reporter.lines.info).toEqual([
      `not published, because they only start the site on a reader's own computer: ${inspection.leftOut.join(", ")}`,
    ]);
  });
});

test.each<[string, Record<string, string>]>([
  ["a script that no launch file names", { "serve.js": "x" }],
  ["a launch file that names no file beside it", { "start.bat": "node other.js", "serve.js": "x" }],
  ["a document that a launch file names", { "start.bat": "type README.md", "README.md": "x" }],
  ["a batch file for readers, which installs", { "install.bat": "node serve.js", "serve.js": "x" }],
  ["a shell script for readers", { "run.sh": "curl https://docs.example.com/serve.js", "serve.js": "x" }],
  ["launch files in a folder", { "tools/start.bat": "node serve.js", "tools/serve.js": "x" }],
])("%s stays a file of the site", async (_what, files) => {
  const further = Object.entries(files).map(([name, content]) => ({ name, content }));
  const archive = tarGz([...SITE, ...further]);
  expect((await inspected(archive)).leftOut).toEqual([]);
  expect(Object.keys(await unpacked(archive)).sort()).toEqual([...paths, ...Object.keys(files)].sort());
  const reporter = recordingReporter();
  reportLeftOut(await inspected(archive), reporter);
  expect(reporter.lines.info).toEqual([]);
});

test.each<[string, string[]]>([
  ["files of a site beside its folder", ["site/index.html", "robots.txt", "serve.js"]],
  ["a second folder", ["site/index.html", "serve.js", "other/index.html"]],
  ["only a README beside it", ["site/index.html", "README.md"]],
  ["the site two folders deep", ["a/b/index.html"]],
  ["the site three folders deep", ["a/b/c/index.html", "a/b/serve.js", "a/serve.js"]],
])("a start page in a folder is not found with %s", async (_what, names) => {
  await expect(inspected(tarGz(names.map((name) => ({ name }))))).rejects.toThrow("has no index.html");
});

test("many files that were left out are counted instead of named", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `serve${index}.js`);
  const inspection = await inspected(tarGz(["site/index.html", ...names].map((name) => ({ name }))));
  const reporter = recordingReporter();
  reportLeftOut(inspection, reporter);
  expect(reporter.lines.info[0]).toMatch(/: serve0\.js, .*serve7\.js and 2 more$/);
});
