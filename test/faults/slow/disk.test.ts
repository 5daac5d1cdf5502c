// A full disk, and a read-only one: small ones of the test's own.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DestinationError } from "../../../provider/base/runtime/messages/errors.ts";
import { startDeadline, systemClock } from "../../../provider/base/runtime/time/clock.ts";
import { withScratchFolder } from "../../../provider/copies/bundleCopy/scratchFolder.ts";
import { OWNER } from "../../simulation/owners.ts";
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

test("D10 on a full disk a download fails, and continues with the stored bytes when there is room", async () => {
  const store = await bundleStore(CONTENT);
  const folder = disk(2_000_000);
  const old = join(folder, "old");
  writeFileSync(old, "old");
  const { error } = await fetched(store, { folder });
  expect(error).toBeInstanceOf(DestinationError);
  expect(error?.message).toContain(`the folder ${folder} cannot be used: ENOSPC`);
  expect(error?.remedy).toContain("Free space on that disk");
  expect(existsSync(old)).toBe(true);

  execFileSync("mount", ["-o", "remount,size=8000000", folder]);
  expectBundle(await fetched(store, { folder }), CONTENT);
  expect(store.requests[1]?.headers.range).toMatch(/^bytes=[1-9]\d{5,}-$/);
});

test("D10 a read-only disk is reported before any request", async () => {
  const store = await bundleStore(CONTENT);
  const folder = disk(1_000_000);
  execFileSync("mount", ["-o", "remount,ro", folder]);
  const { error } = await fetched(store, { folder });
  expect(error?.message).toContain(`the folder ${folder} cannot be used: EROFS`);
  expect(error?.remedy).toBe("That disk is read-only: set PULUMI_HOME to another folder.");
  expect(store.minted()).toBe(0);
});

/** Runs the work in a folder, with Pulumi's own folder at `home`. */
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
  return withScratchFolder({ ...context, owner: OWNER, deadline }, async ({ scratch }) =>
    run(await scratch()),
  );
}

test("D10 on a full disk, work in a folder fails with its path, and leaves nothing behind", async () => {
  const home = disk(1_000_000);
  const failed = working(home, (scratch) => writeFile(join(scratch, "layer"), CONTENT));
  await expect(failed).rejects.toMatchObject({
    message: expect.stringContaining(
      `the folder ${home}/docs-hosting/scratch cannot be used: ENOSPC`,
    ) as string,
    remedy: "Free space on that disk, and run `pulumi up` again.",
  });
  expect(readdirSync(join(home, "docs-hosting/scratch"))).toEqual([]);
});

test("D10 a scratch folder on a read-only disk is named, with what to do", async () => {
  const home = disk(1_000_000);
  execFileSync("mount", ["-o", "remount,ro", home]);
  await expect(working(home, (scratch) => Promise.resolve(scratch))).rejects.toMatchObject({
    message: expect.stringContaining(
      `the folder ${home}/docs-hosting/scratch cannot be used: EROFS`,
    ) as string,
    remedy: "That disk is read-only: set PULUMI_HOME to another folder.",
  });
});
