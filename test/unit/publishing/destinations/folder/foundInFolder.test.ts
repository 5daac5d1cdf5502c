// Copies in a folder as they are found, compared and read.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type {
  Copy,
  DraftingDestination,
} from "../../../../../provider/publishing/destinations/destination.ts";
import type { Bundle } from "../../../../../provider/publishing/inspection/bundle.ts";
import { type StubOperation, stubOperation } from "../../../../simulation/bucketStub.ts";
import { draftingDestination } from "../../../../simulation/draftingDestination.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const DIGEST = sha256("an archive");

let root: string;
let folder: string;
let bundle: Bundle;
let operation: StubOperation;
beforeEach(async (context) => {
  root = mkdtempSync(join(tmpdir(), "found-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  folder = join(root, "www");
  operation = await stubOperation(context);
  writeFileSync(join(root, "bundle"), "an archive");
  bundle = { path: join(root, "bundle"), format: "zip", sha256: DIGEST, size: 10, version: "v1" };
});

describe("an archive", () => {
  const place = (): DraftingDestination => draftingDestination({ folder, layout: "archive" });
  const file = `${DIGEST}.zip`;
  const path = (): string => join(folder, file);
  const publish = async (placing?: (copy: Copy) => void): Promise<Copy> =>
    (await place().begin(bundle, operation)).publish(placing);

  test("is announced before it is visible, and each time that it is published; it is not written a second time", async () => {
    const seen: [Copy, boolean][] = [];
    const copy = await publish((each) => seen.push([each, existsSync(path())]));
    expect(copy).toEqual({ sha256: DIGEST, uri: path(), parts: { file, size: 10 } });
    expect(seen).toEqual([[copy, false]]);
    expect(operation.reporter.lines.progress[0]).toBe(`writing ${path()}`);
    const { ino } = statSync(path());
    expect(await publish((each) => seen.push([each, true]))).toEqual(copy);
    expect(seen.slice(1)).toEqual([[copy, true]]);
    expect(statSync(path()).ino).toBe(ino);
  });

  test("is the same, has changed, or is gone", async () => {
    const copy = await publish();
    expect(await place().compare(copy, operation)).toBe("same");
    expect(await place().read(copy, operation)).toEqual({ archive: path() });
    writeFileSync(path(), "damaged");
    expect(await place().compare(copy, operation)).toBe("changed");
    rmSync(path());
    expect(await place().compare(copy, operation)).toBe("gone");
    expect(await place().read(copy, operation)).toBeUndefined();
  });

  test.each([
    ["symbolic link", () => symlinkSync(join(root, "bundle"), path())],
    ["folder", () => mkdirSync(path())],
  ])("in whose place is a %s is an error", async (what, make) => {
    mkdirSync(folder);
    make();
    await expect(publish()).rejects.toMatchObject({
      message: `${path()} is a ${what}, but the archive must be there`,
      remedy: "Remove it, or give another folder.",
    });
  });

  test("is found by its name, if it has the content", async () => {
    const { sha256: digest, ...copy } = await publish();
    expect(await place().find(file, operation)).toEqual({
      copy,
      edition: digest,
      sha256: digest,
      archive: path(),
    });
    writeFileSync(path(), "damaged");
    await expect(place().find(file, operation)).rejects.toMatchObject({
      message: `${path()} is not the archive that its name says: its SHA-256 is ${sha256("damaged")}`,
      remedy: "It is unchanged. Import another copy, or make a new one.",
    });
    rmSync(path());
    await expect(place().find(file, operation)).rejects.toMatchObject({
      message: `there is no file ${path()}`,
      remedy: "Check the path and the digest.",
    });
  });

  test("that is gone is removed without a message", async () => {
    const copy = await publish();
    rmSync(path());
    await place().release([copy], operation);
    expect(operation.reporter.lines.warn).toEqual([]);
  });
});

describe("a site", () => {
  const FILES = { "index.html": "<h1>Docs</h1>", "guide/a.html": "a" };
  const place = (): DraftingDestination => draftingDestination({ folder, layout: "site" });
  const at = (...path: string[]): string => join(folder, DIGEST, ...path);
  const publish = async (placing?: (copy: Copy) => void, edition?: string): Promise<Copy> => {
    const draft = await place().begin(bundle, operation, edition);
    for (const [path, text] of Object.entries(FILES)) {
      await draft.sink?.file({ path, size: text.length }, Readable.from([Buffer.from(text)]));
    }
    return draft.publish(placing);
  };
  const files = new Map(Object.entries(FILES).map(([path, text]) => [path, sha256(text)]));

  test("is announced before it is visible, with what its state needs", async () => {
    const seen: [Copy, boolean][] = [];
    const copy = await publish((each) => seen.push([each, existsSync(at())]));
    expect(copy).toEqual({
      sha256: DIGEST,
      uri: at(),
      sitePath: join(folder, "current"),
      parts: { site: DIGEST },
    });
    expect(seen).toEqual([[copy, false]]);
    expect(operation.reporter.lines.progress).toEqual([
      `unpacking to ${folder}: 1 files`,
      `unpacking to ${folder}: 2 files`,
    ]);
    expect(place().id).toBe(folder);
  });

  test("has the edition that it was begun with", async () => {
    const edition = "cd".repeat(32);
    const copy = await publish(undefined, edition);
    expect(copy).toMatchObject({ sha256: edition, uri: join(folder, edition) });
    expect(await place().compare(copy, operation)).toBe("same");
  });

  test("is read from its list", async () => {
    const copy = await publish();
    expect(await place().read(copy, operation)).toEqual({ files });
    rmSync(`${at()}.json`);
    expect(await place().read(copy, operation)).toBeUndefined();
  });

  test("is found with its files", async () => {
    const { sha256: digest, ...copy } = await publish();
    expect(await place().find(digest, operation)).toEqual({ copy, edition: digest, files });
  });

  test.each<[string, () => void, () => string]>([
    ["that is gone", () => rmSync(at(), { recursive: true }), () => `there is no folder ${at()}`],
    [
      "without its list",
      () => rmSync(`${at()}.json`),
      () => `${at()} has no list of its files beside it, ${DIGEST}.json`,
    ],
    [
      "with another file",
      () => writeFileSync(at("index.html"), "x"),
      () => `the files in ${at()} are not those of its list, ${DIGEST}.json`,
    ],
    [
      "that is not the newest",
      () => {
        rmSync(join(folder, "current"));
        symlinkSync("f".repeat(64), join(folder, "current"));
      },
      () => `the link ${join(folder, "current")} leads to ${"f".repeat(64)}, not to this copy`,
    ],
    [
      "that has no link",
      () => rmSync(join(folder, "current")),
      () => `the link ${join(folder, "current")} leads nowhere, not to this copy`,
    ],
  ])("%s is not found, and the error says why", async (_what, change, message) => {
    await publish();
    change();
    await expect(place().find(DIGEST, operation)).rejects.toThrow(message());
  });
});
