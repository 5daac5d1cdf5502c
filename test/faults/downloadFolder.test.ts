// The folder of downloads, over real sockets: unusable, with links in it, shared by two downloads.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Semaphore } from "../../provider/base/runtime/concurrency/semaphore.ts";
import { DestinationError } from "../../provider/base/runtime/messages/errors.ts";
import { PATIENTLY } from "../simulation/patience.ts";
import { bundleOf, bundleStore, cutAfter, serve } from "./bundleStore.ts";
import { expectBundle, fetched, ownFolder } from "./downloads.ts";

/** Less than is held back where the disk is slow: all that a store sent before it broke has arrived. */
const CONTENT = bundleOf(1_000_000);
const OTHER = bundleOf(1_000_000, "other");
const HALF = CONTENT.length / 2;

test("D10 a folder that cannot be used is reported, with what to do", async () => {
  const store = await bundleStore(CONTENT);
  const folder = ownFolder();
  writeFileSync(join(folder, "file"), "old");
  const cases = [
    [{ folder: join(folder, "file") }, "ENOTDIR", "is a file: set PULUMI_HOME to another folder"],
    [{ folder: join(folder, "file", "below") }, "ENOTDIR", "set PULUMI_HOME to another folder"],
    [{ folder, name: "n".repeat(250) }, "ENAMETOOLONG", "set PULUMI_HOME to another folder"],
  ] as const;
  for (const [request, code, remedy] of cases) {
    const { error } = await fetched(store, request);
    expect(error).toBeInstanceOf(DestinationError);
    expect(error?.message).toContain(`the folder ${request.folder} cannot be used: ${code}`);
    expect(error?.remedy).toContain(remedy);
  }
  expect(readFileSync(join(folder, "file"), "utf8")).toBe("old");
  expect(store.requests).toEqual([]);
});

/** As a killed process leaves its part. */
function leftPart(folder: string): string {
  const part = join(folder, "job-1.free-00000000.part");
  mkdirSync(part);
  writeFileSync(
    join(part, "note.json"),
    JSON.stringify({ subject: "job job-1 of docs.example.com", etag: '"1"', totalBytes: 1e6 }),
  );
  return part;
}

test("D11 a symbolic link in place of a part's bytes is not followed", async () => {
  const store = await bundleStore(CONTENT);
  const folder = ownFolder();
  const victim = join(folder, "victim");
  writeFileSync(victim, "old");
  symlinkSync(victim, join(leftPart(folder), "bundle"));
  const { error } = await fetched(store, { folder });
  expect(error?.message).toContain("ELOOP");
  expect(error?.remedy).toContain("is not followed");
  expect(readFileSync(victim, "utf8")).toBe("old");
});

test("D11 a folder in place of a part's bytes, and a link in place of a part, are left alone", async () => {
  const store = await bundleStore(CONTENT);
  const folder = ownFolder();
  const elsewhere = ownFolder();
  symlinkSync(elsewhere, join(folder, "job-1.free-11111111.part"));
  expectBundle(await fetched(store, { folder }), CONTENT);
  expect(readdirSync(elsewhere)).toEqual([]);

  mkdirSync(join(leftPart(folder), "bundle"));
  expect((await fetched(store, { folder })).error?.message).toContain("EISDIR");
});

test("D12 two simultaneous downloads of the same bundle have a part each", async () => {
  const store = await bundleStore(CONTENT);
  const folder = ownFolder();
  const outcomes = await Promise.all([fetched(store, { folder }), fetched(store, { folder })]);
  for (const outcome of outcomes) expectBundle(outcome, CONTENT);
  expect(outcomes[0].value?.path).not.toBe(outcomes[1].value?.path);
});

test("D12 a process limits its simultaneous downloads, and those that wait report it", async () => {
  const store = await bundleStore(CONTENT);
  let [open, most] = [0, 0];
  const held: (() => void)[] = [];
  store.misbehave = (response, request) => {
    most = Math.max(most, ++open);
    response.once("close", () => open--);
    held.push(() => setTimeout(() => serve(store, request, response), 50));
    // the first waits for the second, however slow the machine is
    if (most === 2) for (const answer of held.splice(0)) answer();
    return true;
  };
  const downloads = new Semaphore(2);
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => fetched(store, {}, { downloads })));
  for (const outcome of outcomes) expectBundle(outcome, CONTENT);
  expect(most).toBe(2);
  const waited = outcomes.map(({ lines }) => lines.progress[0] === "waiting for other downloads to end");
  expect(waited.filter(Boolean)).toHaveLength(6);
});

test("D12 two downloads of a bundle that changes between them are never mixed", async () => {
  const store = await bundleStore(CONTENT);
  const folder = ownFolder();
  store.misbehave = (...call) => {
    if (call[2] > 1) return false;
    const done = cutAfter(HALF)(store)(...call);
    setTimeout(() => Object.assign(store, { content: OTHER, etag: '"other"' }), 20);
    return done;
  };
  const first = fetched(store, { folder }, { speed: 5 });
  await expect.poll(() => store.etag, PATIENTLY).toBe('"other"');
  expectBundle(await fetched(store, { folder }), OTHER);
  expectBundle(await first, OTHER);
});
