import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { DestinationError } from "../../../../provider/base/runtime/messages/errors.ts";
import { startDeadline, systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import { withScratchFolder } from "../../../../provider/copies/bundleCopy/scratchFolder.ts";
import type { DestinationContext } from "../../../../provider/publishing/destinations/destination.ts";
import { OWNER } from "../../../simulation/owners.ts";
import { testContext } from "../../../simulation/testContext.ts";
import { MODES, notOnWindows } from "../../../systems.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "work-folders-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
});

/** Runs work in a folder, with Pulumi's own folder at `pulumiHome`. */
function working<T>(run: (context: DestinationContext) => Promise<T>, pulumiHome = home): Promise<T> {
  const configuration = {
    environment: (name: string) => (name === "PULUMI_HOME" ? pulumiHome : undefined),
    stackConfig: () => undefined,
  };
  const context = testContext({
    fetch: () => Promise.reject(new Error()),
    clock: systemClock,
    configuration,
  });
  return withScratchFolder({ ...context, owner: OWNER, deadline: startDeadline(systemClock, 60_000) }, run);
}

const scratches = (): string => join(home, "docs-hosting/scratch");

test("without a request for a folder none is created", async () => {
  expect(await working(() => Promise.resolve("signed"))).toBe("signed");
  expect(existsSync(join(home, "docs-hosting"))).toBe(false);
});

test("a folder is created once, readable for its owner only, and is removed at any end", async (context) => {
  notOnWindows(context, MODES);
  const fill = async ({ scratch }: DestinationContext): Promise<string> => {
    const path = await scratch();
    expect(await scratch()).toBe(path);
    expect(dirname(path)).toBe(scratches());
    expect(statSync(path).mode & 0o777).toBe(0o700);
    writeFileSync(join(path, "file"), "x");
    return path;
  };
  await working(fill);
  const mistake = new TypeError("a mistake of the provider's own");
  const failed = working(async (context) => {
    await fill(context);
    throw mistake;
  });
  await expect(failed).rejects.toBe(mistake);
  expect(readdirSync(scratches())).toEqual([]);
});

test("folders that killed runs left a day ago are removed, those of later or living ones stay", async () => {
  mkdirSync(scratches(), { recursive: true });
  const [old, young] = [join(scratches(), "copy-old"), join(scratches(), "copy-young")];
  for (const path of [old, young]) mkdirSync(path);
  utimesSync(old, 1_000, 1_000);
  await working(async ({ scratch }) => {
    const living = await scratch();
    utimesSync(living, 1_000, 1_000);
    await working((other) => other.scratch());
    expect([old, young, living].map((path) => existsSync(path))).toEqual([false, true, true]);
  });
});

const CASES: [string, () => string, string, string][] = [
  ["is below a file", () => join(home, "file"), "ENOTDIR", "A part of that path is a file"],
];
if (process.platform === "linux") {
  CASES.push(["is where nothing can be made", () => "/proc/docs-hosting", "ENOENT", "Check that path"]);
}

test.each(CASES)("a folder that %s is named, with what to do", async (_where, pulumiHome, code, remedy) => {
  writeFileSync(join(home, "file"), "");
  const failed = working(({ scratch }) => scratch(), pulumiHome());
  await expect(failed).rejects.toMatchObject({
    name: "DestinationError",
    message: expect.stringContaining(
      `the folder ${join(pulumiHome(), "docs-hosting/scratch")} cannot be used: ${code}`,
    ) as string,
    remedy: expect.stringMatching(`^${remedy}.*set PULUMI_HOME to another folder`) as string,
  });
});

test("a failure while a file is written is reported as the folder's; before the folder is created, unchanged", async () => {
  const missing = join(home, "missing/file");
  const written = working(async ({ scratch }) => {
    await scratch();
    await writeFile(missing, "x");
  });
  await expect(written).rejects.toBeInstanceOf(DestinationError);
  await expect(working(() => writeFile(missing, "x"))).rejects.toMatchObject({ code: "ENOENT" });
});
