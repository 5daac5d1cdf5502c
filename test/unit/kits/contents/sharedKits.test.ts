// Two resources that write kits to one folder: whose kit is there, and what each of them removes.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { compareKit, removeKits } from "../../../../provider/kits/contents/compareKit.ts";
import { folderOwnership } from "../../../../provider/copies/ownership/folderMarks.ts";
import { writeKit } from "../../../../provider/kits/contents/writeKit.ts";
import type { WrittenKit } from "../../../../provider/kits/contents/compareKit.ts";
import { MARKS_FOLDER } from "../../../../provider/copies/ownership/folderMarks.ts";
import type { Owner } from "../../../../provider/copies/ownership/owner.ts";
import { stubBundle, stubOperation, type StubOperation } from "../../../simulation/bucketStub.ts";
import { otherOwner, OWNER } from "../../../simulation/owners.ts";

const OTHER = otherOwner();

let kits: string;
let operation: StubOperation;
let bundle: Awaited<ReturnType<typeof stubBundle>>;
beforeEach(async (context) => {
  kits = mkdtempSync(join(tmpdir(), "kits-"));
  onTestFinished(() => rmSync(kits, { recursive: true, force: true }));
  operation = await stubOperation(context);
  bundle = await stubBundle(context, 10);
});

const as = (owner: Owner): StubOperation => ({ ...operation, owner });
const names = (): string[] => readdirSync(kits).sort();
const inKit = ({ name }: WrittenKit, path: string): string => join(kits, name, path);
const write = (owner: Owner, values: Record<string, unknown>, placing?: () => void): Promise<WrittenKit> =>
  writeKit(
    {
      bundle: { ...bundle, root: "", leftOut: [] },
      limits: { unpackedBytes: 1e6, files: 10 },
      images: [],
      platforms: ["linux/amd64"],
      values,
      earlier: [],
      chart: undefined,
    },
    { folder: kits, owner: owner.id, ...(placing && { placing }) },
    as(owner),
  );
const remove = (owner: Owner, gone: WrittenKit[], kept: WrittenKit[] = []): Promise<void> =>
  removeKits(kits, gone, kept, as(owner));

test("a kit of two owners stays until the last of them removes it, and then nothing is left", async () => {
  const kit = await write(OWNER, {});
  await write(OTHER, {});
  await remove(OWNER, [kit]);
  expect(operation.reporter.lines.info).toEqual([
    `${join(kits, kit.name)} stays: it also belongs to ${OTHER.urn ?? ""} (stack website/prod)`,
  ]);
  expect(existsSync(inKit(kit, "manifest.json"))).toBe(true);
  await remove(OTHER, [kit]);
  expect(names()).toEqual([]);
});

test("marks are not among the files of a kit", async () => {
  const kit = await write(OWNER, {});
  expect(readdirSync(join(kits, kit.name), { recursive: true }).join()).not.toContain(MARKS_FOLDER);
  expect(readFileSync(inKit(kit, "SHA256SUMS"), "utf8")).not.toContain(MARKS_FOLDER);
});

test("a transfer log that somebody put into a kit stays when the kit is checked, written again and removed", async () => {
  const kit = await write(OWNER, {});
  writeFileSync(inKit(kit, "transfer.log"), "mine");
  expect(await compareKit(kits, kit, as(OWNER))).toBe("same");
  rmSync(inKit(kit, "README.md"));
  await write(OWNER, {});
  expect(existsSync(inKit(kit, "README.md"))).toBe(true);
  const line = `${join(kits, kit.name)} has files that this kit did not write: transfer.log. They stay`;
  expect(operation.reporter.lines.warn).toEqual([line, line]);
  await remove(OWNER, [kit]);
  expect(names()).toEqual([kit.name]);
  expect(readdirSync(join(kits, kit.name))).toEqual(["transfer.log"]);
});

test("a kit that an interrupted run left is removed with the last one of its owner, and another owner's stays", async () => {
  const [kit, , theirs] = [
    await write(OWNER, {}),
    await write(OWNER, { a: 1 }),
    await write(OTHER, { b: 1 }),
  ];
  await remove(OWNER, [kit], [kit]);
  expect(names()).toHaveLength(4);
  await remove(OWNER, [kit]);
  expect(names()).toEqual([MARKS_FOLDER, theirs.name]);
});

test("a kit without its mark is found, and is marked again", async () => {
  const kit = await write(OWNER, {});
  rmSync(join(kits, MARKS_FOLDER), { recursive: true });
  expect(await compareKit(kits, kit, as(OWNER))).toBe("unmarked");
  await folderOwnership(kits, as(OWNER)).claim(kit.name);
  expect(await compareKit(kits, kit, as(OWNER))).toBe("same");
});

test("a kit of a state of a version without marks is removed without one, and stays with another owner's", async () => {
  const EARLIER = { ...OWNER, hasMarks: false };
  const kit = await write(OTHER, {});
  await remove(EARLIER, [kit]);
  expect(names()).toContain(kit.name);
  rmSync(join(kits, MARKS_FOLDER), { recursive: true });
  await remove(EARLIER, [kit]);
  expect(names()).toEqual([]);
});

test("a kit whose publication fails leaves no mark", async () => {
  const loseDraft = (): void => {
    for (const name of names()) {
      if (name.endsWith(".draft")) rmSync(join(kits, name, "kit"), { recursive: true });
    }
  };
  await expect(write(OWNER, {}, loseDraft)).rejects.toThrow("ENOENT");
  expect(names()).toEqual([]);
});

test("a kit whose mark cannot be written is not published", async () => {
  writeFileSync(join(kits, MARKS_FOLDER), "mine");
  await expect(write(OWNER, {})).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect(names()).toEqual([MARKS_FOLDER]);
});
