// Two resources that copy to one folder: whose copy is there, what `current` leads to, and what each of them removes.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Copy, Destination } from "../../../../../provider/copies/destinations/destination.ts";
import { destinationOf } from "../../../../../provider/copies/destinations/destinationOf.ts";
import { MARKS_FOLDER } from "../../../../../provider/copies/ownership/folderMarks.ts";
import type { Owner } from "../../../../../provider/copies/ownership/owner.ts";
import { stubOperation, type StubOperation } from "../../../../simulation/bucketStub.ts";
import { otherOwner, OWNER } from "../../../../simulation/owners.ts";

const OTHER = otherOwner();
const OTHER_NAME = `${OTHER.urn ?? ""} (stack website/prod)`;

let root: string;
let folder: string;
let operation: StubOperation;
beforeEach(async (context) => {
  root = mkdtempSync(join(tmpdir(), "shared-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  folder = join(root, "www");
  operation = await stubOperation(context);
});

const as = (owner: Owner): StubOperation => ({ ...operation, owner });
const names = (): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);
const warnings = (): string[] => operation.reporter.lines.warn;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("a site", () => {
  const site = (): Destination => destinationOf({ folder, layout: "site" });
  const current = (): string => readlinkSync(join(folder, "current"));
  /** Sets when a mark was written: clocks of file systems are coarse. */
  const markedAt = (copy: Copy, owner: Owner, seconds: number): void =>
    utimesSync(join(folder, MARKS_FOLDER, copy.sha256, `${owner.id}.json`), seconds, seconds);

  async function publish(
    owner: Owner,
    text: string,
    files: readonly string[] = ["index.html"],
    placing?: () => void,
  ): Promise<Copy> {
    const bundle = {
      path: "/nowhere",
      format: "tar.gz",
      sha256: sha256(text),
      size: 1,
      version: "v",
    } as const;
    const draft = await site().begin(bundle, as(owner));
    try {
      for (const path of files) {
        await draft.sink?.file({ path, size: text.length }, Readable.from([Buffer.from(text)]));
      }
      return await draft.publish(placing);
    } finally {
      await draft.abandon?.();
    }
  }
  const remove = (owner: Owner, copies: Copy[], kept: Copy[] = []): Promise<void> =>
    site().remove(copies, kept, as(owner));

  test("of two owners stays until the last of them removes it, and then nothing is left", async () => {
    const copy = await publish(OWNER, "v1");
    await publish(OTHER, "v1");
    expect(warnings()).toEqual([]);
    await remove(OWNER, [copy]);
    expect(await site().compare(copy, as(OTHER))).toBe("same");
    expect(current()).toBe(copy.sha256);
    expect(operation.reporter.lines.info).toEqual([
      `${join(folder, copy.sha256)} stays: it also belongs to ${OTHER_NAME}`,
    ]);
    await remove(OTHER, [copy]);
    expect(names()).toEqual([]);
  });

  test("that is published over another owner's says so; `current` goes back to that one when it is removed", async () => {
    const theirs = await publish(OTHER, "theirs");
    const ours = await publish(OWNER, "ours");
    expect(warnings()).toEqual([
      `${join(folder, "current")} led to a copy of ${OTHER_NAME}: it leads to this copy now. Give each resource a folder of its own`,
    ]);
    expect(current()).toBe(ours.sha256);
    expect(await site().compare(theirs, as(OTHER))).toBe("changed");
    await remove(OWNER, [ours]);
    expect(current()).toBe(theirs.sha256);
    expect(await site().compare(theirs, as(OTHER))).toBe("same");
    await remove(OTHER, [theirs]);
    expect(names()).toEqual([]);
  });

  test("that `current` no longer leads to is removed without a change of it", async () => {
    const theirs = await publish(OTHER, "theirs");
    const ours = await publish(OWNER, "ours");
    await remove(OTHER, [theirs]);
    expect(current()).toBe(ours.sha256);
    expect(await site().compare(ours, as(OWNER))).toBe("same");
  });

  test("that leaves gives `current` to the newest whole one: not to one that is broken or is being removed", async () => {
    const THIRD = otherOwner("third");
    const [oldest, older, newer, broken, ours] = [
      await publish(OTHER, "1"),
      await publish(OTHER, "2"),
      await publish(THIRD, "3"),
      await publish(THIRD, "4"),
      await publish(OWNER, "5"),
    ];
    for (const [copy, owner, seconds] of [
      [oldest, OTHER, 1],
      [older, OTHER, 2],
      [newer, THIRD, 3],
      [broken, THIRD, 4],
    ] as const)
      markedAt(copy, owner, seconds);
    rmSync(join(folder, `${broken.sha256}.json`));
    writeFileSync(join(folder, MARKS_FOLDER, newer.sha256, `${THIRD.id}.leaving`), "");
    await remove(OWNER, [ours]);
    expect(current()).toBe(older.sha256);
  });

  test("of a resource that is replaced warns of nobody, and the old one leaves `current` to the new one", async () => {
    const before = await publish(OWNER, "v1");
    const replacement = { ...OWNER, id: "f".repeat(32) };
    const copy = await publish(replacement, "v2");
    expect(warnings()).toEqual([]);
    await remove(OWNER, [before]);
    expect(current()).toBe(copy.sha256);
    await remove(replacement, [copy]);
    expect(names()).toEqual([]);
  });

  test("that an earlier version of this resource keeps loses `current` when the newer one is removed first", async () => {
    const [first, second] = [await publish(OWNER, "v1"), await publish(OWNER, "v2")];
    const theirs = await publish(OTHER, "v1");
    expect([theirs.sha256, current()]).toEqual([first.sha256, first.sha256]);
    await remove(OWNER, [second, first]);
    expect([current(), names().includes(second.sha256)]).toEqual([first.sha256, false]);
  });

  test("without its mark is found, is marked again without being sent, and is removed as its owner's", async () => {
    const copy = await publish(OWNER, "v1");
    rmSync(join(folder, MARKS_FOLDER), { recursive: true });
    expect(await site().compare(copy, as(OWNER))).toBe("unmarked");
    await site().mark([copy, { ...copy, sha256: "e".repeat(64) }], as(OWNER));
    expect(await site().compare(copy, as(OWNER))).toBe("same");
    expect(readdirSync(join(folder, MARKS_FOLDER))).toEqual([copy.sha256]);
    await remove(OWNER, [copy]);
    expect(names()).toEqual([]);
  });

  test("whose publication fails before anything of it is there leaves no mark", async () => {
    const loseDraft = (): void => {
      for (const name of names())
        if (name.endsWith(".draft")) rmSync(join(folder, name), { recursive: true });
    };
    await expect(publish(OWNER, "v1", ["index.html"], loseDraft)).rejects.toThrow("ENOENT");
    expect(names()).toEqual([]);
  });

  test("that has something of others in its place is not published, and leaves no mark", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, sha256("v1")), "in the way");
    await expect(publish(OWNER, "v1")).rejects.toThrow(
      "exists already, and is not a folder that a copy made",
    );
    expect(names()).toEqual([sha256("v1")]);
    expect(readFileSync(join(folder, sha256("v1")), "utf8")).toBe("in the way");
  });

  test("keeps files of others when it is published again, changed files are written again, and a line names each", async () => {
    const copy = await publish(OWNER, "v1", ["index.html", "guide/a.html"]);
    const at = (path: string): string => join(folder, copy.sha256, path);
    writeFileSync(at("robots.txt"), "mine");
    mkdirSync(at(".well-known"));
    writeFileSync(at(".well-known/security.txt"), "mine");
    symlinkSync("robots.txt", at("link.txt"));
    writeFileSync(at("guide/a.html"), "edited");
    rmSync(at("index.html"));
    await publish(OWNER, "v1", ["index.html", "guide/a.html"]);
    expect(warnings()).toEqual([
      `${join(folder, copy.sha256)} has files that this copy did not write: .well-known/security.txt, link.txt, robots.txt. They stay`,
      `${join(folder, copy.sha256)} has files that were changed since they were copied. They are written again: guide/a.html`,
    ]);
    for (const path of ["robots.txt", ".well-known/security.txt", "link.txt"]) {
      expect([path, readFileSync(at(path), "utf8")]).toEqual([path, "mine"]);
    }
    expect(readlinkSync(at("link.txt"))).toBe("robots.txt");
    expect([readFileSync(at("guide/a.html"), "utf8"), readFileSync(at("index.html"), "utf8")]).toEqual([
      "v1",
      "v1",
    ]);
    expect(await site().compare(copy, as(OWNER))).toBe("same");
    await remove(OWNER, [copy]);
    expect(names()).toEqual([copy.sha256]);
    expect(readdirSync(join(folder, copy.sha256)).sort()).toEqual([".well-known", "link.txt", "robots.txt"]);
  });
});

describe("an archive", () => {
  const archive = (): Destination => destinationOf({ folder, layout: "archive" });
  async function publish(owner: Owner, text: string): Promise<Copy> {
    const path = join(root, "bundle");
    writeFileSync(path, text);
    const bundle = { path, format: "zip", sha256: sha256(text), size: text.length, version: "v" } as const;
    return (await archive().begin(bundle, as(owner))).publish();
  }
  const remove = (owner: Owner, copies: Copy[], kept: Copy[] = []): Promise<void> =>
    archive().remove(copies, kept, as(owner));

  test("of two owners stays until the last of them removes it, and then nothing is left", async () => {
    const copy = await publish(OWNER, "v1");
    await publish(OTHER, "v1");
    await remove(OWNER, [copy]);
    expect(await archive().compare(copy, as(OTHER))).toBe("same");
    expect(operation.reporter.lines.info).toEqual([`${copy.uri} stays: it also belongs to ${OTHER_NAME}`]);
    await remove(OTHER, [copy]);
    expect(names()).toEqual([]);
  });

  test("that an interrupted run left is removed with the last one of its owner", async () => {
    const [copy, theirs] = [await publish(OWNER, "v1"), await publish(OTHER, "v2")];
    await publish(OWNER, "v3");
    await remove(OWNER, [copy]);
    expect(names()).toEqual([MARKS_FOLDER, `${theirs.sha256}.zip`]);
  });

  test("that is marked is marked again where the mark is gone", async () => {
    const copy = await publish(OWNER, "v1");
    rmSync(join(folder, MARKS_FOLDER), { recursive: true });
    expect(await archive().compare(copy, as(OWNER))).toBe("unmarked");
    await archive().mark([copy], as(OWNER));
    expect(await archive().compare(copy, as(OWNER))).toBe("same");
  });

  test("that was not what its name says is replaced, and a warning says so", async () => {
    const copy = await publish(OWNER, "v1");
    writeFileSync(copy.uri, "edited");
    await publish(OWNER, "v1");
    expect(warnings()).toEqual([`${copy.uri} was not the archive that its name says: it is replaced`]);
    expect(readFileSync(copy.uri, "utf8")).toBe("v1");
  });

  test("whose mark cannot be written is not published, and what to do is said", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, MARKS_FOLDER), "mine");
    await expect(publish(OWNER, "v1")).rejects.toMatchObject({
      name: "DestinationError",
      message: expect.stringContaining(`the folder ${folder} cannot be used: `) as string,
    });
    expect(names()).toEqual([MARKS_FOLDER]);
  });
});
