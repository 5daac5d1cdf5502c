// A disk that is full, and one that is read-only: small ones of the test's own.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withScratch } from "../../../provider/source/workFolders.ts";
import { systemClock } from "../../../provider/time/clock.ts";
import { startDeadline } from "../../../provider/time/deadline.ts";
import { DestinationError } from "../../../provider/messages/errors.ts";
import { testContext } from "../../simulation/testContext.ts";
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
  expect(error).toBeInstanceOf(DestinationError);
  expect(error?.message).toContain(`the folder ${folder} cannot be used: ENOSPC`);
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
  expect(error?.message).toContain(`the folder ${folder} cannot be used: EROFS`);
  expect(error?.remedy).toBe("That disk can only be read: set PULUMI_HOME to another folder.");
  expect(store.minted()).toBe(0);
});

/** Works in a folder where Pulumi's own is at `home`. */
function working<T>(home: string, run: (scratch: string) => Promise<T>): Promise<T> {
  const configuration = {
    environment: (name: string) => (name === "PULUMI_HOME" ? home : undefined),
    stackConfig: () => undefined,
  };
  const context = testContext({
    fetch: () => Promise.reject(new Error()),
    clock: systemClock,
    configuration,
  });
  const deadline = startDeadline(systemClock, 60_000);
  return withScratch({ ...context, deadline }, async ({ scratch }) => run(await scratch()));
}

test("D10 on a full disk what works in a folder fails with its path, and leaves nothing behind", async () => {
  const home = disk(1_000_000);
  const failed = working(home, (scratch) => writeFile(join(scratch, "layer"), CONTENT));
  await expect(failed).rejects.toMatchObject({
    message: expect.stringContaining(
      `the folder ${home}/docs-hosting/scratch cannot be used: ENOSPC`,
    ) as string,
    remedy: "Make room on that disk, and run `pulumi up` again.",
  });
  expect(readdirSync(join(home, "docs-hosting/scratch"))).toEqual([]);
});

test("D10 a folder to work in on a read-only disk is named, with what to do", async () => {
  const home = disk(1_000_000);
  execFileSync("mount", ["-o", "remount,ro", home]);
  await expect(working(home, (scratch) => Promise.resolve(scratch))).rejects.toMatchObject({
    message: expect.stringContaining(
      `the folder ${home}/docs-hosting/scratch cannot be used: EROFS`,
    ) as string,
    remedy: "That disk can only be read: set PULUMI_HOME to another folder.",
  });
});
