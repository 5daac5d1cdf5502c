// A disk that is full, and one that is read-only: small ones of the test's own.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DownloadError } from "../../../provider/words/errors.ts";
import { bundleOf, bundleStore } from "../bundleStore.ts";
import { expectBundle, fetched, ownFolder } from "../downloads.ts";

const CONTENT = bundleOf(3_000_000);

function disk(sizeBytes: number): string {
  const folder = ownFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes}`, "none", folder]);
  onTestFinished(() => void execFileSync("umount", [folder]));
  return folder;
}

test("D10 on a full disk a download fails, and goes on from what fitted when there is room", async () => {
  const store = await bundleStore(CONTENT);
  const folder = disk(2_000_000);
  const old = join(folder, "old");
  writeFileSync(old, "old");
  const { error } = await fetched(store, { folder });
  expect(error).toBeInstanceOf(DownloadError);
  expect(error?.message).toBe(`the bundle cannot be written to ${folder} (ENOSPC)`);
  expect(error?.remedy).toContain("Make room on that disk");
  expect(existsSync(old)).toBe(true);

  execFileSync("mount", ["-o", "remount,size=8000000", folder]);
  expectBundle(await fetched(store, { folder }), CONTENT);
  expect(store.requests[1]?.headers.range).toMatch(/^bytes=[1-9]\d{5,}-$/);
});

test("D10 a read-only disk is told of before anything is asked", async () => {
  const store = await bundleStore(CONTENT);
  const folder = disk(1_000_000);
  execFileSync("mount", ["-o", "remount,ro", folder]);
  const { error } = await fetched(store, { folder });
  expect(error?.message).toBe(`what is downloaded cannot be kept in ${folder} (EROFS)`);
  expect(store.minted()).toBe(0);
});
