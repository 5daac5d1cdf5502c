// The life of a copy of a local file, in folders: all but the download, which the tests of download/ cover.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import { RECORDS_FOLDER as MARKS_FOLDER } from "../../../../provider/publishing/ownership/placeMark.ts";
import { decisionLine } from "../../../../provider/resource/decision.ts";
import { checkByTable } from "../../../../provider/resource/inputTable.ts";
import { localContext, packedSite } from "../../../simulation/packedSite.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";

let folder: string;
let reporter: ReturnType<typeof recordingReporter>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bundle-copy-"));
  reporter = recordingReporter();
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const context = (signal = new AbortController().signal): PublicationContext =>
  localContext(folder, { reporter, signal });

function inputsOf(
  name: string,
  given: object = {},
  files: Readonly<Record<string, string>> = {},
): CheckedCopyInputs {
  const { inputs, failures } = checkByTable<CheckedCopyInputs>(
    BUNDLE_COPY_INPUTS,
    {
      source: {
        ...packedSite(folder, name, {
          "index.html": "<h1>Docs</h1>",
          "page.html": `<p>${name}</p>`,
          ...files,
        }),
        version: name,
      },
      destination: { folder: join(folder, "copies") },
      ...given,
    },
    context().configuration,
  );
  expect(failures).toEqual([]);
  return inputs;
}

const left = (): string[] => readdirSync(join(folder, "copies")).sort();
/** Without the marks of their owners. */
const copies = (): string[] => left().filter((name) => name !== MARKS_FOLDER);
const shaOf = ({ source }: CheckedCopyInputs): string =>
  "fileSha256" in source ? (source.fileSha256 ?? "") : "";
const verdict = (inputs: CheckedCopyInputs, state: BundleCopyState, nowMs = 0): unknown => {
  const { replaces, hidden, decision } = bundleCopy.diff(inputs, state, { name: "m", nowMs });
  return { replaces, hidden, decided: decisionLine(decision) };
};
const SAME = { replaces: [], hidden: false };

describe("a bundle with files that start it on a reader's computer", () => {
  const LAUNCHED = { "serve.js": "x", "Start Docs.bat": "node serve.js" };

  test("is copied as a site without them, and a line names them", async () => {
    const destination = { folder: join(folder, "copies"), layout: "site" };
    const { outputs } = await bundleCopy.create(context(), inputsOf("v1", { destination }, LAUNCHED));
    expect(readdirSync(outputs.sitePath ?? "").sort()).toEqual(["index.html", "page.html"]);
    expect(outputs).toMatchObject({ files: 2, pages: 2 });
    expect(reporter.lines.info).toContainEqual(
      expect.stringMatching(/^not published, .*: (?:serve\.js, Start Docs\.bat|Start Docs\.bat, serve\.js)$/),
    );
  });

  test("is copied as an archive with them, byte for byte", async () => {
    const inputs = inputsOf("v1", {}, LAUNCHED);
    await bundleCopy.create(context(), inputs);
    const archive = readFileSync(join(folder, "copies", `${shaOf(inputs)}.tar.gz`));
    expect(createHash("sha256").update(archive).digest("hex")).toBe(shaOf(inputs));
    expect(reporter.lines.info.join()).not.toContain("not published");
  });
});

describe("a copy", () => {
  test("is the archive byte for byte, named by its digest, and described by its outputs", async () => {
    const inputs = inputsOf("v1", {}, { "a.css": "body { color: red }", "deep/b.html": "<p>b</p>" });
    const { outputs, bookkeeping } = await bundleCopy.create(context(), inputs);
    const sha256 = shaOf(inputs);
    expect(copies()).toEqual([`${sha256}.tar.gz`]);
    const archive = readFileSync(join(folder, "copies", `${sha256}.tar.gz`));
    expect(createHash("sha256").update(archive).digest("hex")).toBe(sha256);
    expect(outputs).toEqual({
      ...inputs,
      version: "v1",
      sha256,
      size: archive.length,
      files: 4,
      pages: 3,
      uri: join(folder, "copies", `${sha256}.tar.gz`),
      selfContained: true,
      externalLoads: [],
      copiedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
      earlier: [],
    });
    expect(bundleCopy.idOf({ outputs, bookkeeping })).toBe(join(folder, "copies"));
    expect(verdict(inputs, { outputs, bookkeeping })).toEqual({
      ...SAME,
      decided: `UP_TO_DATE: ${outputs.uri} is the copy`,
    });
    // nothing was signed or packed
    expect(existsSync(join(folder, "home/docs-hosting/scratch"))).toBe(false);
  });

  test("of new content is kept beside the one before, and earlier ones are removed", async () => {
    let state = await bundleCopy.create(context(), inputsOf("v1"));
    const [first] = copies();
    const names = [first];
    for (const version of ["v2", "v3"]) {
      const inputs = inputsOf(version);
      expect(verdict(inputs, state)).toMatchObject({
        decided: expect.stringContaining("NEW_CONTENT: source changed") as string,
      });
      state = await bundleCopy.update(context(), state, inputs);
      names.push(`${shaOf(inputs)}.tar.gz`);
    }
    expect(copies()).toEqual(names.slice(1).sort());
    expect(state.bookkeeping.copies.map(({ bundle }) => bundle.version)).toEqual(["v3", "v2"]);

    // going back makes no second one
    const back = await bundleCopy.update(context(), state, inputsOf("v2"));
    expect(copies()).toEqual(names.slice(1).sort());
    expect(back.bookkeeping.copies.map(({ bundle }) => bundle.version)).toEqual(["v2", "v3"]);
    expect(back.outputs.version).toBe("v2");

    const none = { ...inputsOf("v2"), keep: 0 };
    expect(verdict(none, back)).toEqual({
      ...SAME,
      decided: `SETTINGS: earlier copies at ${join(folder, "copies")} are removed: 1`,
    });
    const alone = await bundleCopy.update(context(), back, none);
    expect(copies()).toEqual([names[1]]);
    await bundleCopy.remove(context(), alone);
    expect(left()).toEqual([]);
  });

  test("that is missing leaves the state; a changed one is made again; an unchanged one stays", async () => {
    const inputs = inputsOf("v1");
    const state = await bundleCopy.create(context(), inputs);
    const path = state.outputs.uri;
    expect((await bundleCopy.read(context(), state))?.state).toEqual(state);

    writeFileSync(path, "something else");
    const drifted = (await bundleCopy.read(context(), state))?.state;
    expect(drifted?.bookkeeping.drifted).toBe("changed");
    if (!drifted) return;
    expect(verdict(inputs, drifted)).toMatchObject({
      hidden: true,
      decided: expect.stringMatching(
        /^DRIFTED: .* has changed since it was made, so the file .* is copied to/,
      ) as string,
    });
    const mended = await bundleCopy.update(context(), drifted, inputs);
    expect(mended.bookkeeping.drifted).toBeUndefined();
    expect((await bundleCopy.read(context(), mended))?.state).toEqual(mended);

    rmSync(path);
    expect(await bundleCopy.read(context(), mended)).toBeUndefined();
    expect(decisionLine(bundleCopy.gone(mended))).toMatch(
      /^DRIFTED: .*\.tar\.gz no longer exists\. It is removed from/,
    );
  });
});

test("a site is unpacked as a whole, and the earlier copy stays beside it", async () => {
  const place = (): object => ({ destination: { folder: join(folder, "copies"), layout: "site" } });
  const first = inputsOf("v1", place(), { "deep/a.css": "a{}" });
  const state = await bundleCopy.create(context(), { ...first, sha256: shaOf(first) });
  const current = (path: string): string => readFileSync(join(folder, "copies/current", path), "utf8");
  expect([current("page.html"), current("deep/a.css")]).toEqual(["<p>v1</p>", "a{}"]);
  expect(state.bookkeeping.wantedSha256).toBe(shaOf(first));
  const second = inputsOf("v2", place());
  await bundleCopy.update(context(), state, second);
  expect(current("page.html")).toBe("<p>v2</p>");
  const names = [first, second].flatMap((each) => [shaOf(each), `${shaOf(each)}.json`]);
  expect(copies()).toEqual([...names, "current"].sort());
  expect(reporter.lines.info).toEqual([expect.stringMatching(/^NEW: /)]); // an update's decision is in its diff
});

describe("a bundle is refused, and the existing copy stays,", () => {
  test.each([
    [
      "of another digest",
      { sha256: "0".repeat(64) },
      {},
      /the file .*v2\.tar\.gz has the SHA-256 [0-9a-f]{64}, not 0{64} as `sha256` requires\. .*Check which of the two/,
    ],
    [
      "that loads from elsewhere, where that is not wanted",
      { requireSelfContained: true },
      { "page.html": `<script src="https://cdn.example.net/x.js?key=1"></script>` },
      "load from other hosts, such as https://cdn.example.net/x.js on page.html",
    ],
    ["that is too large", { limits: { archiveBytes: 10 } }, {}, "10 B"],
    ["of too many files", { limits: { files: 1 } }, {}, "1"],
  ])("%s", async (_, given, files, message) => {
    const state = await bundleCopy.create(context(), inputsOf("v1"));
    const before = copies();
    const run = bundleCopy.update(context(), state, inputsOf("v2", given, files));
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toThrow(/stays as it is/);
    expect(copies()).toEqual(before);
  });

  test("that is no archive", async () => {
    const inputs = inputsOf("v1");
    if ("file" in inputs.source) writeFileSync(inputs.source.file, "<html>Log in</html>");
    await expect(bundleCopy.create(context(), inputs)).rejects.toThrow(/Nothing was published/);
    expect(readdirSync(folder)).not.toContain("copies");
  });

  test.runIf(existsSync("/proc/self"))("for a folder that can never be created", async () => {
    const inputs = inputsOf("v1", { destination: { folder: "/proc/never/copies" } });
    await expect(bundleCopy.create(context(), inputs)).rejects.toThrow(
      /the folder \/proc\/never\/copies cannot be used: ENOENT/,
    );
  });

  test("whose file is missing", async () => {
    const inputs = inputsOf("v1");
    if ("file" in inputs.source) rmSync(inputs.source.file);
    await expect(bundleCopy.create(context(), inputs)).rejects.toThrow(/v1\.tar\.gz/);
  });
});

test("the loads of pages from other hosts are reported once, and are no reason to refuse by themselves", async () => {
  const page = `<img src="https://cdn.example.net/a.png?sig=1">`;
  const { outputs } = await bundleCopy.create(context(), inputsOf("v1", {}, { "page.html": page }));
  expect(outputs.selfContained).toBe(false);
  expect(outputs.externalLoads).toEqual([
    { page: "page.html", address: "https://cdn.example.net/a.png", pages: 1 },
  ]);
  expect(reporter.lines.warn).toEqual([
    expect.stringContaining("https://cdn.example.net/a.png on page.html"),
  ]);
});

test("a run that was stopped throws the reason", async () => {
  const stop = new AbortController();
  stop.abort(new Error("stopped"));
  await expect(bundleCopy.create(context(stop.signal), inputsOf("v1"))).rejects.toThrow();
  expect(readdirSync(folder)).not.toContain("copies");
});

test("it has no lookup", async () => {
  await expect(bundleCopy.lookUp(context(), "./copies", {})).rejects.toThrow("declare it");
});
