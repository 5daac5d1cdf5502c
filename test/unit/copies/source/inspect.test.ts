// The messages about a bundle that loads something from other hosts, or could not be inspected.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BundleRefusedError } from "../../../../provider/base/runtime/messages/errors.ts";
import { noTracer } from "../../../../provider/base/runtime/tracing/tracer.ts";
import { inspect } from "../../../../provider/copies/source/inspect.ts";
import type { LimitedContext } from "../../../../provider/resource/withinLimit.ts";
import { type Entry, SITE, tarGz } from "../../../chart/tarArchive.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";

const LOAD: Entry = { name: "page.html", content: '<img src="https://cdn.example/x">' };
const UNKNOWN: Entry = { name: "guide.html.zst", content: "x" };
const LOADS = "pages of v1 load from other hosts, such as https://cdn.example/x on page.html";
const NOT_INSPECTED =
  "files of v1 were not inspected, such as guide.html.zst (not inspected: its compressed data is invalid, or has more than 16 MiB)";

async function warningsOf(entries: readonly Entry[], requireSelfContained: boolean): Promise<string[]> {
  return (await linesOf(entries, { requireSelfContained })).warn;
}

/** What the inspection of an archive reports. @param jobId of the export, if it is one */
async function linesOf(
  entries: readonly Entry[],
  { requireSelfContained = false, jobId }: { requireSelfContained?: boolean; jobId?: string } = {},
): Promise<{ warn: string[]; info: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "inspect-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const archive = tarGz([...SITE, ...entries]);
  const path = join(folder, "bundle");
  writeFileSync(path, archive);
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const reporter = recordingReporter();
  const context = { reporter, tracer: noTracer, signal: new AbortController().signal };
  const limits = { archiveBytes: 1e6, unpackedBytes: 1e6, files: 100 };
  await inspect(
    context as unknown as LimitedContext,
    { requireSelfContained, limits },
    { path, format: "tar.gz", sha256, size: archive.length, version: "v1", jobId },
  );
  return reporter.lines;
}

test.each([
  ["nothing of a site that needs nobody", [], []],
  [
    "a load",
    [LOAD],
    [
      `${LOADS}: where these hosts cannot be reached, the pages lack what they load; the output externalLoads names them`,
    ],
  ],
  [
    "a file that was not inspected",
    [UNKNOWN],
    [`${NOT_INSPECTED}: what they load from other hosts is not known; the output externalLoads names them`],
  ],
  [
    "both",
    [UNKNOWN, LOAD],
    [
      `${LOADS}; ${NOT_INSPECTED}: where these hosts cannot be reached, the pages lack what they load; the output externalLoads names them`,
    ],
  ],
])("%s is reported", async (_what, entries, warnings) => {
  expect(await warningsOf(entries, false)).toEqual(warnings);
});

test.each([
  ["a load", [LOAD], `${LOADS} (1 found)`],
  ["a file that was not inspected", [UNKNOWN], `${NOT_INSPECTED} (1 found)`],
  ["both", [UNKNOWN, LOAD], `${LOADS}; ${NOT_INSPECTED} (2 found)`],
])("with requireSelfContained, %s is refused", async (_what, entries, message) => {
  await expect(warningsOf(entries, true)).rejects.toThrow(message);
  expect(await warningsOf([], true)).toEqual([]);
});

test("names that Windows cannot unpack are counted in one line", async () => {
  const names = ["a:b.html", "aux.html", "Guide.html", "x?"];
  const { info } = await linesOf(names.map((name) => ({ name })));
  expect(info).toEqual(["4 names of the site cannot be unpacked on Windows: a:b.html, aux.html and 2 more"]);
  expect((await linesOf([{ name: "a:b.html" }])).info).toEqual([
    "1 name of the site cannot be unpacked on Windows: a:b.html",
  ]);
});

test("instructions for another host, and data of the generator, have one line each on what they do here", async () => {
  const names = ["_redirects", "_headers", ".doctrees/a.doctree", ".doctrees/b.doctree"];
  const { info } = await linesOf(names.map((name) => ({ name })));
  expect(info).toEqual([
    expect.stringMatching(
      /^instructions for another host are published as files, and do nothing here: _redirects, _headers\./,
    ),
    expect.stringMatching(
      /^folders of the site's generator are published, although no page needs them: \.doctrees\./,
    ),
  ]);
});

test("files that usually hold secrets are warned of, with what their owner can do", async () => {
  const entries = [{ name: ".env" }, { name: "keys/id_rsa" }];
  const begin =
    "files that usually hold secrets are published with the site: .env, keys/id_rsa. If they do, ";
  expect((await linesOf(entries)).warn).toEqual([
    `${begin}leave them out when you pack the site, and replace the secrets`,
  ]);
  expect((await linesOf(entries, { jobId: "7f3a" })).warn).toEqual([
    `${begin}remove them from the site's sources, and replace the secrets`,
  ]);
});

test.each<[string, Entry[], RegExp]>([
  ["a symbolic link", [{ name: "stable", type: "2", linkName: "v1" }], /`tar -chzf .*`zip -r` without `-y`/],
  ["a hard link to nothing", [{ name: "stable", type: "1", linkName: "v1" }], /--hard-dereference/],
  ["a backslash", [{ name: "a\\b" }], /PowerShell 5\.1/],
  ["a way out", [{ name: "../a" }], /Pack from within the site's folder/],
  ["a device", [{ name: "a", type: "3" }], /--exclude=NAME/],
  ["rights of an owner", [{ name: "a", mode: 0o4755 }], /chmod ug-s/],
  ["a name twice", [{ name: "index.html" }], /`tar -r`/],
  ["a volume's label", [{ name: "a", type: "V" }], /`-V`/],
])(
  "the remedy for %s tells the owner of a file how to pack, and others to export again",
  async (_, entries, packed) => {
    const remedyFor = async (options: { jobId?: string }): Promise<string> => {
      const error = await linesOf(entries, options).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(BundleRefusedError);
      return (error as BundleRefusedError).remedy;
    };
    expect(await remedyFor({})).toMatch(packed);
    expect(await remedyFor({})).not.toMatch(/export|support/i);
    expect(await remedyFor({ jobId: "7f3a" })).toMatch(/^Export the site again/);
  },
);
