// A file system is tried for the names of a site, instead of being guessed.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DestinationError } from "../../../../../provider/base/runtime/messages/errors.ts";
import type { DestinationContext } from "../../../../../provider/publishing/destinations/destination.ts";
import { type NameDisk, tryNames } from "../../../../../provider/publishing/destinations/folder/nameTrial.ts";
import { draftingDestination } from "../../../../simulation/draftingDestination.ts";
import { OWNER } from "../../../../simulation/owners.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../../simulation/virtualClock.ts";
import { notOnWindows } from "../../../../systems.ts";

const { signal } = new AbortController();

function draftFolder(): string {
  const draft = mkdtempSync(join(tmpdir(), "draft-"));
  onTestFinished(() => rmSync(draft, { recursive: true, force: true }));
  return draft;
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** A file system that stores names in its own form, and refuses some. */
function diskOf(stored: (name: string) => string, refused = /$^/, code = "EINVAL"): NameDisk {
  const names = new Map<string, string>();
  return {
    writeFile: (path) => {
      const name = basename(path as string);
      if (refused.test(name)) return Promise.reject(failure(code));
      const key = stored(name).toLowerCase() === stored(name) ? name.toLowerCase() : stored(name);
      if (names.has(key)) return Promise.reject(failure("EEXIST"));
      names.set(key, stored(name));
      return Promise.resolve();
    },
    readdir: (() => Promise.resolve([...names.values()])) as unknown as NameDisk["readdir"],
    rm: () => {
      names.clear();
      return Promise.resolve();
    },
  };
}

const sameName = (name: string): string => name;
const tried = (names: Record<string, string[]>, disk?: NameDisk, draft = draftFolder()): Promise<void> =>
  tryNames(new Map(Object.entries(names).map(([folder, each]) => [folder, new Set(each)])), {
    folder: "./copies",
    draft,
    signal,
    ...(disk && { disk }),
  });

test("this file system holds names that Windows lacks, and names that differ in case", async (context) => {
  notOnWindows(context, "its names");
  const draft = draftFolder();
  const isCaseSensitive = !existsSync(draft.toUpperCase());
  context.skip(!isCaseSensitive, "this file system does not distinguish case");
  await tried({ "": ["drawtext(_:at:).json", "API", "api"], API: ["aux", "a.", "a"] }, fs, draft);
  expect(await fs.readdir(draft)).toEqual([]);
});

test("a site in a folder is tried before it is unpacked, and the trial leaves nothing", async (context) => {
  notOnWindows(context, "its names");
  const folder = join(draftFolder(), "copies");
  const bundle = { path: "x", format: "zip", sha256: "0".repeat(64), size: 1, version: "v1" } as const;
  const draft = await draftingDestination({ folder, layout: "site" }).begin(bundle, {
    signal,
    reporter: recordingReporter(),
    clock: new VirtualClock(),
    owner: OWNER,
  } as unknown as DestinationContext);
  await draft.tryNames?.(new Map([["", new Set(["a:b.html"])]]));
  await expect(draft.tryNames?.(new Map([["", new Set(["a/b"])]]))).rejects.toThrow(
    `the file system of ${folder} cannot hold a name of the site beside its others: «a/b»`,
  );
  expect(await fs.readdir(folder)).toHaveLength(2);
  await draft.abandon?.();
  expect(await fs.readdir(folder)).toEqual([]);
});

test("names that a file system joins are refused, by their path", async () => {
  const joins = diskOf((name) => name.toLowerCase());
  const error = await tried({ "": ["API.html", "api.html"], "a/b": ["X", "y"] }, joins).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DestinationError);
  expect(error).toMatchObject({
    message: expect.stringMatching(
      /^the file system of \.\/copies cannot hold .* of the site beside its others: .*«api\.html»/,
    ) as unknown,
    remedy: expect.stringContaining('`layout: "archive"`') as unknown,
  });
});

test("names that a file system refuses, or stores as others, are refused", async () => {
  const refuses = diskOf(sameName, /[:*]/);
  await expect(tried({ "": ["a:b", "ok"], x: ["*"] }, refuses)).rejects.toThrow(
    "2 names of the site beside its others: «a:b», «x/*»",
  );
  const streams = diskOf((name) => name.replace(/:.*/, ""));
  await expect(tried({ "": ["a:b"] }, streams)).rejects.toThrow(
    "cannot hold a name of the site beside its others: «a:b»",
  );
});

test("a file system that stores accents in another form holds them", async () => {
  await tried(
    { "": ["\u00e9:"] },
    diskOf((name) => name.normalize("NFD")),
  );
});

test("a full disk is no matter of names", async () => {
  await expect(tried({ "": ["a:b"] }, diskOf(sameName, /:/, "ENOSPC"))).rejects.toThrow("ENOSPC");
});

test("without doubtful names nothing is written", async () => {
  await tried({}, diskOf(sameName, /./, "EIO"));
});
