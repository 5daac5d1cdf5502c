// Kits that are there already: whether they are whole, and what goes with them.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compareKit, releaseKits } from "../../../../provider/kits/contents/compareKit.ts";
import { type KitRequest } from "../../../../provider/kits/contents/writeKit.ts";
import { RECORDS_FOLDER as MARKS_FOLDER } from "../../../../provider/publishing/ownership/placeMark.ts";
import { draftingDestination } from "../../../simulation/draftingDestination.ts";
import { otherOwner } from "../../../simulation/owners.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";
import {
  filesOf,
  folder,
  inFoldersOfItsOwn,
  inKit,
  kits,
  operation,
  removed,
  request,
  sha256,
  signer,
  write,
} from "./writtenKits.ts";

inFoldersOfItsOwn();

describe("a check of a kit", () => {
  test.each<[string, string, (kit: string) => void]>([
    ["as it was", "same", () => undefined],
    ["gone", "gone", (kit) => rmSync(kit, { recursive: true })],
    ["without a file", "changed", (kit) => rmSync(join(kit, "values.yaml"))],
    ["with one more, which somebody else put there", "same", (kit) => writeFileSync(join(kit, "more"), "")],
    ["with a file that is longer", "changed", (kit) => appendFileSync(join(kit, "README.md"), "x")],
    [
      "with a file under another name",
      "changed",
      (kit) => renameSync(join(kit, "values.yaml"), join(kit, "v")),
    ],
    ["with another list", "changed", (kit) => appendFileSync(join(kit, "SHA256SUMS"), " ")],
    ["without its list", "changed", (kit) => rmSync(join(kit, "SHA256SUMS"))],
    [
      "with a link in the place of a file, of its size",
      "changed",
      (kit) => {
        const file = join(kit, "values.yaml");
        const { size } = statSync(file);
        rmSync(file);
        symlinkSync("README.md".padStart(size, "./"), file);
      },
    ],
    ["that is a file", "changed", (kit) => (rmSync(kit, { recursive: true }), writeFileSync(kit, ""))],
  ])("finds it %s: %s", async (_, seen, harm) => {
    const kit = await write();
    harm(inKit(kit));
    expect(await compareKit(kits, kit, operation().reporter)).toBe(seen);
  });

  test("with the last kit, the copies go of a resource of which the kit took the folder over", async () => {
    const copies = draftingDestination({ folder: kits });
    const path = join(folder, "copied");
    writeFileSync(path, "archive");
    const archive = { path, format: "zip", sha256: sha256(Buffer.from("archive")), size: 7 } as const;
    const bundle = { ...request().bundle, ...archive };
    const draft = await copies.begin(bundle, { ...operation(), scratch: () => Promise.resolve(folder) });
    await draft.publish();
    const kit = await write();
    expect(await removed([kit])).toEqual([]);
    expect(readdirSync(kits)).toEqual([]);
  });

  test.each<[string, string, (kit: string) => boolean, boolean]>([
    ["kit", "before anything of it is gone", () => true, true],
    ["record of the kit", "when its files are gone", (kit) => !existsSync(kit), false],
  ])("the %s stays where a takeOver overtakes the removal %s", async (_what, _when, isThen, stays) => {
    const kit = await write();
    const other = otherOwner();
    let hasTaken = false;
    const clock = new VirtualClock();
    clock.monotonic = () => {
      if (!hasTaken && isThen(inKit(kit))) {
        hasTaken = true;
        const mark = JSON.stringify({ format: 1, owner: other.id, urn: other.urn });
        writeFileSync(join(kits, MARKS_FOLDER, "owner.json"), mark);
      }
      return 0;
    };
    const context = { ...operation(), clock, reporter: recordingReporter() };
    await releaseKits(kits, [kit], context);
    expect(context.reporter.lines.warn).toEqual([
      expect.stringMatching(`^nothing more is removed from .*: it belongs to ${other.urn ?? ""}`),
    ]);
    expect(existsSync(inKit(kit))).toBe(stays);
    expect(readdirSync(join(kits, MARKS_FOLDER)).sort()).toEqual([`${kit.name}.json`, "owner.json"].sort());
    await releaseKits(kits, [], { ...operation(), owner: other });
    expect(readdirSync(kits)).toEqual([]);
  });

  test("a removed kit leaves files of others, and kept ones", async () => {
    const one = await write();
    const two = await write({ values: {} });
    writeFileSync(join(kits, "of-others"), "");
    expect(await removed([one, two], [two])).toEqual([]);
    expect(readdirSync(kits).sort()).toEqual([MARKS_FOLDER, "of-others", two.name].sort());
    expect(await removed([two])).toEqual([]);
    expect(readdirSync(kits)).toEqual(["of-others"]);
  });
});

describe("of a removed kit", () => {
  test.each<[string, Partial<KitRequest>]>([
    ["one that is signed", { signer: signer }],
    ["one in parts", { partSize: 4_096, signer: signer }],
  ])("%s, nothing is left", async (_, given) => {
    await removed([await write(given)]);
    expect(readdirSync(kits)).toEqual([]);
  });

  test("files stay that others put into it, and those that somebody changed; a line names them", async () => {
    const kit = await write();
    mkdirSync(inKit(kit, "notes"));
    writeFileSync(inKit(kit, "notes/mine.txt"), "mine");
    writeFileSync(inKit(kit, "values.yaml"), "replicas: 7\n");
    writeFileSync(inKit(kit, "SHA256SUMS.sig"), "somebody's own");
    expect(await removed([kit])).toEqual([
      `${inKit(kit)} stays: it has files that this kit did not write or that were changed since: ` +
        "SHA256SUMS.sig, notes/mine.txt, values.yaml. Remove them when they are no longer needed",
    ]);
    expect(filesOf(kit)).toEqual(["SHA256SUMS.sig", "notes/mine.txt", "values.yaml"]);
    expect(await removed([kit])).toHaveLength(1);
  });

  test.each<[string, Partial<KitRequest>]>([
    ["a kit", {}],
    ["a signed kit, its signatures too,", { signer }],
  ])("all of %s stays where its list is another: the owner of its files is unknown", async (_, given) => {
    const kit = await write(given);
    appendFileSync(inKit(kit, "SHA256SUMS"), "x");
    const before = filesOf(kit);
    expect(await removed([kit])).toEqual([
      expect.stringMatching(
        RegExp(`: README\\.md, SHA256SUMS, .* and ${before.length - 3} more\\. Remove`),
      ) as string,
    ]);
    expect(filesOf(kit)).toEqual(before);
  });

  test("a link or a file in its place stays, and so does the link's target", async () => {
    const kit = await write({ signer });
    const elsewhere = join(folder, "elsewhere");
    renameSync(inKit(kit), elsewhere);
    symlinkSync(elsewhere, inKit(kit));
    const before = readdirSync(elsewhere);
    const stays = `${inKit(kit)} stays: this kit was a folder. Remove it when it is no longer needed`;
    expect(await removed([kit])).toEqual([stays]);
    expect(readdirSync(elsewhere)).toEqual(before);
    rmSync(inKit(kit));
    await write({ signer });
    rmSync(inKit(kit), { recursive: true });
    writeFileSync(inKit(kit), "mine");
    expect(await removed([kit])).toEqual([stays]);
    expect(readFileSync(inKit(kit), "utf8")).toBe("mine");
  });

  test("a removal that was stopped is completed by the next", async () => {
    const kit = await write({ signer: signer });
    const stop = AbortSignal.abort(new Error("stopped"));
    await expect(removed([kit], [], stop)).rejects.toThrow("stopped");
    rmSync(inKit(kit, "README.md"));
    rmSync(inKit(kit, "SHA256SUMS.sig"));
    expect(await removed([kit])).toEqual([]);
    expect(readdirSync(kits)).toEqual([]);
  });
});
