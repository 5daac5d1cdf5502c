// Marks that cannot be read, written or trusted, and drafts of them.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownName } from "../../../../provider/base/runtime/files/ownerProcess.ts";
import type { DraftingDestination } from "../../../../provider/publishing/destinations/destination.ts";
import { STUB_BUCKET, stubError } from "../../../simulation/bucketStub.ts";
import { draftingDestination } from "../../../simulation/draftingDestination.ts";
import { OWNER } from "../../../simulation/owners.ts";
import {
  as,
  contentOf,
  operation,
  OTHER,
  OWNER_FILE,
  publish,
  root,
  store,
  withPlaces,
} from "./ownedPlaces.ts";

withPlaces();

describe("a draft of a mark", () => {
  const copies = (): DraftingDestination => draftingDestination({ folder: join(root, "public") });
  const records = (): string => join(root, "public/.docs-hosting");
  const putDraft = (name: string, ageMs: number): string => {
    mkdirSync(records(), { recursive: true });
    const path = join(records(), name);
    writeFileSync(path, "");
    const at = new Date(Date.now() - ageMs);
    utimesSync(path, at, at);
    return path;
  };
  const ELSEWHERE = ".fedcba9876543210-1-1-abcdabcd.draft";
  const DAY_MS = 24 * 3_600_000;

  test("of a run that was killed on another machine goes after a day", async () => {
    const draft = putDraft(ELSEWHERE, 2 * DAY_MS);
    const copy = await publish(copies(), "v1", as());
    expect(existsSync(draft)).toBe(false);
    putDraft(ELSEWHERE, 2 * DAY_MS);
    await copies().release([copy], as());
    expect(readdirSync(join(root, "public"))).toEqual([]);
    expect(operation.reporter.lines.warn).toEqual([]);
  });

  test("that a run on another machine may still write stays, and the last removal names it", async () => {
    const copy = await publish(copies(), "v1", as());
    const draft = putDraft(ELSEWHERE, DAY_MS / 2);
    await copies().release([copy], as());
    expect(readdirSync(join(root, "public"))).toEqual([".docs-hosting"]);
    expect(operation.reporter.lines.warn.at(-1)).toContain(`${draft}. Remove them`);
  });

  test("of a running process of this machine stays without a word", async () => {
    const copy = await publish(copies(), "v1", as());
    const draft = putDraft(`.${ownName()}.draft`, 2 * DAY_MS);
    await copies().release([copy], as());
    expect(existsSync(draft)).toBe(true);
    expect(operation.reporter.lines.warn).toEqual([]);
  });

  test.skipIf(process.geteuid?.() !== 0)("of another user stays, and the last removal names it", async () => {
    const copy = await publish(copies(), "v1", as());
    const draft = putDraft(".free-abcdabcd.draft", 2 * DAY_MS);
    chownSync(draft, 65_534, 65_534);
    await copies().release([copy], as());
    expect(existsSync(draft)).toBe(true);
    expect(operation.reporter.lines.warn.at(-1)).toContain(draft);
  });
});

test("a mark that the store refuses to show is no proof: nothing is written, and nothing removed", async () => {
  const place = draftingDestination({ bucket: STUB_BUCKET, prefix: "public", endpoint: store.endpoint });
  const copy = await publish(place, "v1", as());
  const keys = [...store.objects.keys()];
  store.rule = ({ method, key }) =>
    method === "GET" && key.endsWith("owner.json") ? stubError(403, "AccessDenied") : undefined;
  await expect(publish(place, "v2", as(OWNER, { takeOver: true }))).rejects.toThrow("cannot be read from");
  await place.release([copy], as());
  expect([...store.objects.keys()]).toEqual(keys);
  expect(operation.reporter.lines.warn.at(-1)).toContain(
    "s3:GetObject on s3://docs/public/.docs-hosting/owner.json is not",
  );
});

test.skipIf(process.geteuid?.() !== 0)(
  "a mark that the file system refuses to show is no proof: nothing is written, nothing removed, and the removal ends",
  async () => {
    const place = draftingDestination({ folder: join(root, "public") });
    const copy = await publish(place, "v1", as());
    chmodSync(root, 0o755);
    chmodSync(join(root, "public/.docs-hosting"), 0o700);
    const before = contentOf(join(root, "public"));
    process.seteuid?.(65_534);
    try {
      await expect(place.claim([copy], as(OWNER, { takeOver: true }))).rejects.toThrow(
        "owner.json: permission denied (EACCES)",
      );
      await place.release([copy], as());
    } finally {
      process.seteuid?.(0);
    }
    expect(contentOf(join(root, "public"))).toEqual(before);
    expect(operation.reporter.lines.warn.at(-1)).toMatch(
      /cannot be read: permission denied \(EACCES\)\. These stay: \S+\.tar\.gz\. Remove them by hand/,
    );
  },
);

test("a store that loses the mark is noticed, and of two that make it at once, one is refused", async () => {
  const place = draftingDestination({ bucket: STUB_BUCKET, prefix: "public", endpoint: store.endpoint });
  store.rule = ({ method, key }) =>
    method === "PUT" && key.endsWith("owner.json") ? { status: 200, headers: { etag: "x" } } : undefined;
  await expect(publish(place, "v1", as())).rejects.toThrow("is not there after it was written");
  store.rule = () => undefined;
  const both = await Promise.allSettled([publish(place, "v1", as()), publish(place, "v2", as(OTHER))]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test.each(["archive", "site"] as const)(
  "the mark of who takes a place over right before the mark is removed stays: %s",
  async (layout) => {
    const place = draftingDestination({
      bucket: STUB_BUCKET,
      prefix: "public",
      endpoint: store.endpoint,
      layout,
    });
    const copy = await publish(place, "v1", as());
    const theirs = JSON.stringify({ format: 1, owner: OTHER.id, urn: OTHER.urn });
    store.rule = ({ method, key }) => {
      if (method === "GET" && key.endsWith("owner.json") && store.objects.size === 1) {
        store.put(`public/${OWNER_FILE}`, theirs);
      }
      return undefined;
    };
    await place.release([copy], as());
    expect([...store.objects].map(([key, { body }]) => [key, String(body)])).toEqual([
      [`public/${OWNER_FILE}`, theirs],
    ]);
  },
);

test("a store without conditional writes gets a plain one", async () => {
  const place = draftingDestination({
    bucket: STUB_BUCKET,
    prefix: "public",
    endpoint: store.endpoint,
    layout: "site",
  });
  store.rule = ({ method, key, headers }) =>
    method === "PUT" && key.endsWith("owner.json") && headers["if-none-match"] !== undefined
      ? stubError(501, "NotImplemented")
      : undefined;
  await place.claim([], as());
  expect([...store.objects.keys()]).toEqual(["public/.docs-hosting/owner.json"]);
});

test.skipIf(process.platform === "win32").each(["a link", "a FIFO", "a folder", "a linked folder"])(
  "a mark that is %s is refused at once",
  async (what) => {
    const folder = join(root, "public");
    const records = join(folder, ".docs-hosting");
    mkdirSync(folder);
    writeFileSync(join(root, "users.json"), "mine");
    if (what === "a linked folder") symlinkSync(root, records);
    else mkdirSync(records);
    if (what === "a link") symlinkSync(join(root, "users.json"), join(records, "owner.json"));
    if (what === "a FIFO") execFileSync("mkfifo", [join(records, "owner.json")]);
    if (what === "a folder") mkdirSync(join(records, "owner.json"));
    const place = draftingDestination({ folder, layout: "site" });
    await expect(publish(place, "v1", as(OWNER, { takeOver: true }))).rejects.toThrow("cannot be read from");
    expect(readFileSync(join(root, "users.json"), "utf8")).toBe("mine");
    expect(existsSync(join(folder, "current"))).toBe(false);
  },
);
