// The refusal of an archive without a start page says what to pack.
import { expect, test } from "vitest";
import { BundleRefusedError } from "../../../../provider/base/runtime/messages/errors.ts";
import { forPacker } from "../../../../provider/publishing/archives/refusal.ts";
import { tarGz } from "../../../chart/tarArchive.ts";
import { inspected } from "../archives/bundleOnDisk.ts";

const MISSING =
  "the bundle is refused: it has no index.html, neither at the top nor in its only top-level folder";

test.each([
  [
    ["a/b/index.html"],
    ", only «a/b/index.html»",
    "Pack the content of a/b/: `tar -czf site.tar.gz -C a/b .`.",
  ],
  [
    ["Makefile", "build/html/x/index.html", "build/html/index.html", "build/doctrees/x"],
    ", only «build/html/index.html»",
    "Pack the content of build/html/: `tar -czf site.tar.gz -C build/html .`.",
  ],
  [
    ["a.txt", "the site's/index.html"],
    ", only «the site's/index.html»",
    "Pack the content of the site's/: `tar -czf site.tar.gz -C 'the site'\\''s' .`.",
  ],
  [["Index.html"], ", only «Index.html»", "Name the start page index.html: it is «Index.html»."],
  [["a.txt", "x/index.htm"], ", only «x/index.htm»", "Name the start page index.html: it is «x/index.htm»."],
  [
    ["index.shtml", "guide.html"],
    ", only «index.shtml»",
    "Name the start page index.html: it is «index.shtml».",
  ],
  [
    ["index.xhtml", "guide.xhtml"],
    ", only «index.xhtml»",
    'Add an index.html that leads there: `echo \'<meta http-equiv="refresh" content="0; url=index.xhtml">\' > FOLDER/index.html && tar -czf site.tar.gz -C FOLDER .`.',
  ],
  [
    ["a.txt", "html/index.xht"],
    ", only «html/index.xht»",
    'Add an index.html that leads there: `echo \'<meta http-equiv="refresh" content="0; url=index.xht">\' > html/index.html && tar -czf site.tar.gz -C html .`.',
  ],
  [
    ["guide.html", "__MACOSX/index.html", ".git/index.html"],
    "",
    "Pack the content of the folder with the pages: `tar -czf site.tar.gz -C FOLDER .`.",
  ],
])("an archive of %j", async (names, further, packed) => {
  const archive = tarGz(names.map((name) => ({ name })));
  const ofExport = await inspected(archive).catch((error: unknown) => error);
  expect(ofExport).toBeInstanceOf(BundleRefusedError);
  expect(ofExport).toMatchObject({
    message: MISSING + further,
    remedy: "Check that the domain has pages, and export the site again.",
  });
  const ofFile = await forPacker(() => inspected(archive)).catch((error: unknown) => error);
  expect(ofFile).toBeInstanceOf(BundleRefusedError);
  expect(ofFile).toMatchObject({ message: MISSING + further, remedy: packed });
});

test.each([
  [["Export-1234-Part-1.zip"], "«Export-1234-Part-1.zip»", /^Give that archive itself, or unpack it/],
  [["artifact/site.tar.gz"], "«artifact/site.tar.gz»", /^Give that archive itself/],
  [["Part-1.zip", "Part-2.zip", "notes.txt"], "«Part-1.zip» and 1 more", /^Unpack these into one folder/],
])("an archive in an archive is named: %j", async (names, named, remedy) => {
  const archive = tarGz(names.map((name) => ({ name })));
  const error: unknown = await forPacker(() => inspected(archive)).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: `the bundle is refused: it has no pages, but another archive in it: ${named}`,
    remedy: expect.stringMatching(remedy) as string,
  });
});

test("an archive for readers does not hide that the start page is missing", async () => {
  const archive = tarGz([{ name: "guide.html" }, { name: "examples.zip" }]);
  await expect(inspected(archive)).rejects.toThrow(MISSING);
});
