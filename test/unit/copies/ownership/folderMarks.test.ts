// Marks in a folder: what others put there, and runs that write and remove at the same time.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { folderMarks, MARKS_FOLDER } from "../../../../provider/copies/ownership/folderMarks.ts";
import type { Marks } from "../../../../provider/copies/ownership/marks.ts";
import { newOwner } from "../../../../provider/copies/ownership/owner.ts";

const URN = "urn:pulumi:dev::docs::docs-hosting:index:BundleCopy::copy";
const ITEM = "v1.tar.gz";
const [ONE, TWO] = [newOwner(URN), newOwner(URN)];

let folder: string;
let marks: Marks;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "marks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  marks = folderMarks(folder);
});

const at = (...path: string[]): string => join(folder, MARKS_FOLDER, ...path);
const listed = async (item = ITEM): Promise<[owner: string, isLeaving: boolean][]> =>
  ((await marks.list(item)) ?? [])
    .map(({ owner, isLeaving }): [string, boolean] => [owner, isLeaving])
    .sort(([one], [other]) => (one < other ? -1 : 1));
/** Puts a file where marks are. */
const put = (name: string, text = ""): void => {
  mkdirSync(at(ITEM), { recursive: true });
  writeFileSync(at(ITEM, name), text);
};

test("a mark is a small file for each owner, and the last one takes the folder with it", async () => {
  await marks.write(ITEM, ONE);
  await marks.write(ITEM, TWO);
  expect(readdirSync(at(ITEM)).sort()).toEqual([`${ONE.id}.json`, `${TWO.id}.json`].sort());
  expect(marks.nameOf(ITEM, ONE.id)).toBe(at(ITEM, `${ONE.id}.json`));
  expect(JSON.parse((await marks.read(ITEM, ONE.id)) ?? "")).toMatchObject({ urn: URN, stack: "docs/dev" });
  await marks.remove(ITEM, ONE.id);
  expect(await listed()).toEqual([[TWO.id, false]]);
  await marks.remove(ITEM, TWO.id);
  expect(readdirSync(folder)).toEqual([]);
  await marks.remove(ITEM, TWO.id);
});

test("an owner that is leaving is listed once, and is back when it writes its mark again", async () => {
  await marks.write(ITEM, ONE);
  await marks.leave(ITEM, ONE);
  expect(await listed()).toEqual([[ONE.id, true]]);
  await marks.write(ITEM, ONE);
  expect(await listed()).toEqual([[ONE.id, false]]);
  await marks.leave(ITEM, ONE);
  await marks.stay(ITEM, ONE.id);
  expect(await listed()).toEqual([[ONE.id, false]]);
  await marks.leave(ITEM, ONE);
  await marks.remove(ITEM, ONE.id);
  expect(readdirSync(folder)).toEqual([]);
});

test("an owner that is leaving without a mark is leaving", async () => {
  await marks.leave(ITEM, ONE);
  expect(await listed()).toEqual([[ONE.id, true]]);
  expect(await marks.read(ITEM, ONE.id)).toBeUndefined();
  expect([...(await marks.all()).keys()]).toEqual([ITEM]);
});

test("the time of a mark is that of the file, and not that of an announcement", async () => {
  await marks.write(ITEM, ONE);
  await marks.leave(ITEM, ONE);
  utimesSync(at(ITEM, `${ONE.id}.json`), 1_000, 1_000);
  utimesSync(at(ITEM, `${ONE.id}.leaving`), 2_000, 2_000);
  expect(await marks.list(ITEM)).toEqual([{ owner: ONE.id, isLeaving: true, writtenAt: 1_000_000 }]);
});

test("a folder without marks has none", async () => {
  expect(await listed()).toEqual([]);
  expect([...(await marks.all())]).toEqual([]);
  expect(await marks.read(ITEM, ONE.id)).toBeUndefined();
});

describe("what others put there", () => {
  test.each(["mine", "notes.txt", "x.json", "x.leaving", ".keep", `${"A".repeat(32)}.leaving`])(
    "counts as an owner who stays: %s",
    async (name) => {
      put(name);
      expect((await listed()).map(([, isLeaving]) => isLeaving)).toEqual([false]);
    },
  );

  test("stays when the last mark goes", async () => {
    await marks.write(ITEM, ONE);
    put("notes.txt", "mine");
    await marks.remove(ITEM, ONE.id);
    expect(readFileSync(at(ITEM, "notes.txt"), "utf8")).toBe("mine");
  });

  test("in the place of the folder of marks is no mark, and is not replaced", async () => {
    writeFileSync(join(folder, MARKS_FOLDER), "mine");
    expect(await listed()).toEqual([]);
    await expect(marks.write(ITEM, ONE)).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(readFileSync(join(folder, MARKS_FOLDER), "utf8")).toBe("mine");
  });

  test("in the place of a mark is an owner without a text: a link, a folder, a large file", async () => {
    writeFileSync(join(folder, "secret"), "secret");
    mkdirSync(at(ITEM, "folder.json"), { recursive: true });
    symlinkSync(join(folder, "secret"), at(ITEM, "link.json"));
    symlinkSync(join(folder, "nowhere"), at(ITEM, "dangling.json"));
    put("large.json", "x".repeat(70_000));
    expect((await listed()).map(([owner]) => owner)).toEqual(["dangling", "folder", "large", "link"]);
    for (const [owner] of await listed()) expect(await marks.read(ITEM, owner)).toBeUndefined();
  });
});

test("a folder in which marks cannot be written is an error of the file system", async () => {
  writeFileSync(join(folder, "file"), "");
  await expect(folderMarks(join(folder, "file")).write(ITEM, ONE)).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:ENOTDIR|EEXIST)$/) as string,
  });
});

test("while some write marks and others remove the last one, no mark is lost and nothing is left", async () => {
  const staying = Array.from({ length: 8 }, () => newOwner(URN));
  const leaving = Array.from({ length: 8 }, () => newOwner(URN));
  await Promise.all([
    ...staying.map(async (owner) => {
      for (let times = 0; times < 20; times++) {
        await marks.write(ITEM, owner);
        expect(existsSync(at(ITEM, `${owner.id}.json`))).toBe(true);
        if (times < 19) await marks.remove(ITEM, owner.id);
      }
    }),
    ...leaving.map(async (owner) => {
      for (let times = 0; times < 20; times++) {
        await marks.leave(ITEM, owner);
        await marks.remove(ITEM, owner.id);
      }
    }),
  ]);
  expect(await listed()).toEqual(staying.map(({ id }): [string, boolean] => [id, false]).sort());
  for (const { id } of staying) await marks.remove(ITEM, id);
  expect(readdirSync(folder)).toEqual([]);
});
