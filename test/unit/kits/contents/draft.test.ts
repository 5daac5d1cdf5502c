import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { freeName } from "../../../../provider/base/runtime/files/ownerProcess.ts";
import { claimDraft, type KitDraft, removeKitDrafts } from "../../../../provider/kits/contents/draft.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { notOnWindows } from "../../../systems.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "draft-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

let reporter = recordingReporter();
beforeEach(() => {
  reporter = recordingReporter();
});
const BLOB = "ab".repeat(32);
const claim = (owner = "a"): Promise<KitDraft> => claimDraft(folder, owner, reporter);
const drafts = (): string[] => readdirSync(folder).filter((name) => name.startsWith("."));

/** As if the process of a draft had been killed: its name shows no living owner. */
function kill(): void {
  for (const name of drafts()) {
    renameSync(
      join(folder, name),
      join(folder, name.replace(/^(\.docs-hosting-\w+\.).*(\.draft)$/, `$1${freeName()}$2`)),
    );
  }
}

const isWhole = (): Promise<boolean> => Promise.resolve(false);

test("a kit appears under its name by one rename, and nothing is left but files of others", async () => {
  const draft = await claim();
  writeFileSync(join(draft.kit, "README.md"), "x");
  writeFileSync(join(draft.blobs, BLOB), "x");
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.docs-hosting-[0-9a-f]{16}\..*\.draft$/)]);
  await draft.publish(draft.kit, "v1", isWhole);
  expect(readdirSync(folder)).toEqual(["v1"]);
  const next = await claim();
  writeFileSync(join(next.kit, "other"), "x");
  writeFileSync(join(next.kit, "README.md"), "y");
  writeFileSync(join(folder, "v1/transfer.log"), "mine");
  await next.publish(next.kit, "v1", isWhole);
  expect(readdirSync(folder)).toEqual(["v1"]);
  const kit = readdirSync(join(folder, "v1")).map((name) => [
    name,
    readFileSync(join(folder, "v1", name), "utf8"),
  ]);
  expect(kit).toEqual([
    ["README.md", "y"],
    ["other", "x"],
    ["transfer.log", "mine"],
  ]);
  expect(reporter.lines.warn).toEqual([
    `${join(folder, "v1")} has files that this kit did not write: transfer.log. They stay`,
  ]);
});

test("of a killed run, only the blobs are reused, also those that were in the layout already", async () => {
  const draft = await claim();
  writeFileSync(join(draft.blobs, BLOB), "one");
  mkdirSync(join(draft.kit, "images/blobs/sha256"), { recursive: true });
  writeFileSync(join(draft.kit, "images/blobs/sha256/two"), "two");
  writeFileSync(join(draft.scratch, "layer"), "");
  kill();
  const next = await claim();
  expect(readdirSync(next.blobs).sort()).toEqual([BLOB, "two"]);
  expect(readFileSync(join(next.blobs, "two"), "utf8")).toBe("two");
  expect([readdirSync(next.kit), readdirSync(next.scratch)]).toEqual([[], []]);
  expect(drafts()).toHaveLength(1);
});

test("a draft of a living process, or of another resource, is left alone", async () => {
  const mine = await claim();
  writeFileSync(join(mine.blobs, BLOB), "one");
  const second = await claim();
  expect(readdirSync(second.blobs)).toEqual([]);
  kill();
  const others = await claim("b");
  expect(readdirSync(others.blobs)).toEqual([]);
  expect(drafts()).toHaveLength(3);
  await removeKitDrafts(folder, "a", reporter);
  expect(drafts()).toHaveLength(1);
});

test("a failed one keeps its blobs for the next try, and leaves nothing when it has none", async () => {
  const draft = await claim();
  mkdirSync(join(draft.kit, "images/blobs/sha256"), { recursive: true });
  writeFileSync(join(draft.kit, "images/blobs/sha256", BLOB), "one");
  writeFileSync(join(draft.kit, "bundle.tar.gz"), "a large file");
  await draft.release();
  const [left = ""] = drafts();
  expect(readdirSync(join(folder, left))).toEqual(["blobs"]);
  const next = await claim();
  expect(readdirSync(next.blobs)).toEqual([BLOB]);
  rmSync(join(next.blobs, BLOB));
  await next.release();
  expect(readdirSync(folder)).toEqual([]);
});

test("a draft of an ended process is removed after a day, of any resource; a living process keeps its own; other folders stay", async () => {
  await claim("b");
  kill();
  const [left = ""] = drafts();
  const living = await claim("c");
  writeFileSync(join(folder, ".docs-hosting-x.kit"), "");
  for (const each of [join(folder, left), join(living.kit, "..")]) utimesSync(each, 1_000, 1_000);
  const draft = await claim();
  expect(existsSync(join(folder, left))).toBe(false);
  expect(existsSync(living.kit)).toBe(true);
  expect(existsSync(join(folder, ".docs-hosting-x.kit"))).toBe(true);
  await draft.release();
});

test("a draft of an earlier release is continued", async () => {
  const draft = await claim();
  writeFileSync(join(draft.blobs, BLOB), "one");
  kill();
  const [left = ""] = drafts();
  renameSync(join(folder, left), join(folder, left.replace(/draft$/, "kit")));
  const next = await claim();
  expect(readdirSync(next.blobs)).toEqual([BLOB]);
  await removeKitDrafts(folder, "a", reporter);
  expect(drafts()).toHaveLength(1);
});

test.for(["blobs", "kit", "scratch"])(
  "a draft whose %s is a link elsewhere is not continued",
  async (part, context) => {
    notOnWindows(context, "a link needs rights there");
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(join(elsewhere, "images/blobs/sha256"), { recursive: true });
    for (const path of ["theirs", "images/blobs/sha256/theirs"]) {
      writeFileSync(join(elsewhere, path), "theirs");
    }
    const killed = await claim();
    writeFileSync(join(killed.blobs, BLOB), "one");
    rmSync(killed[part as "kit"], { recursive: true });
    symlinkSync(elsewhere, killed[part as "kit"]);
    kill();
    const [left = ""] = drafts();
    const next = await claim();
    expect(readdirSync(next.blobs)).toEqual([]);
    expect(reporter.lines.info).toEqual([
      `${join(folder, left)} is left alone: it has a link, ${part}. Remove it when nobody needs it`,
    ]);
    await removeKitDrafts(folder, "a", reporter);
    expect([drafts().includes(left), readdirSync(elsewhere).sort()]).toEqual([true, ["images", "theirs"]]);
    expect(readdirSync(join(elsewhere, "images/blobs/sha256"))).toEqual(["theirs"]);
  },
);

test("a draft whose files of others cannot be put back is left to a later run, and another one is begun", async () => {
  const killed = await claim();
  mkdirSync(join(killed.scratch, "replaced-1-v1"));
  writeFileSync(join(killed.scratch, "replaced-1-v1/transfer.log"), "mine");
  writeFileSync(join(killed.blobs, BLOB), "one");
  kill();
  writeFileSync(join(folder, "v1"), "no folder");
  const next = await claim();
  expect([readdirSync(next.blobs), drafts().length]).toEqual([[], 2]);
  expect(reporter.lines.info).toEqual([
    expect.stringMatching(/ stays: what it has of others cannot be put back: EEXIST/),
  ]);
  rmSync(join(folder, "v1"));
  await next.release();
  const third = await claim();
  expect(readdirSync(third.blobs)).toEqual([BLOB]);
  expect(readFileSync(join(folder, "v1/transfer.log"), "utf8")).toBe("mine");
});
