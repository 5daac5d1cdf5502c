// Drafts of ended processes that the file system does not show now: they may have files of others.
import * as fs from "node:fs";
import type * as promises from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import {
  draftPath,
  removeDrafts,
  removeEndedDraft,
} from "../../../../../provider/base/runtime/files/drafts.ts";
import { freeName } from "../../../../../provider/base/runtime/files/ownerProcess.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";

/** What the file system refuses: the path, and how often it answers before. */
let refused: { readonly path: string; readonly code: string; after: number } | undefined;
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof promises>();
  const lstat = (path: string): Promise<fs.Stats> => {
    if (refused === undefined || path !== refused.path || refused.after-- > 0) return real.lstat(path);
    return Promise.reject(Object.assign(new Error(refused.code), { code: refused.code }));
  };
  return { ...real, lstat };
});
afterEach(() => {
  refused = undefined;
});

/** The draft of a killed process that was replacing a folder with a file of somebody else. */
function draftWithSite(): { folder: string; draft: string; file: string } {
  const folder = fs.mkdtempSync(join(tmpdir(), "drafts-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  const draft = draftPath(folder, undefined, freeName());
  fs.mkdirSync(join(draft, "replaced-1-site"), { recursive: true });
  fs.writeFileSync(join(draft, "replaced-1-site", "robots.txt"), "theirs");
  return { folder, draft, file: join(draft, "replaced-1-site", "robots.txt") };
}

test.for(["EACCES", "EIO", "ESTALE"])(
  "a draft that cannot be looked into (%s) stays with the files of others, and they come back later",
  async (code) => {
    const { folder, draft, file } = draftWithSite();
    const reporter = recordingReporter();
    refused = { path: draft, code, after: 0 };
    await removeEndedDraft(draft, reporter);
    expect(fs.existsSync(file)).toBe(true);
    expect(reporter.lines.info).toEqual([
      `${draft} stays: what it has of others cannot be put back: ${code}`,
    ]);
    refused = undefined;
    await removeDrafts(folder, reporter);
    expect(fs.readdirSync(folder)).toEqual(["site"]);
    expect(fs.readFileSync(join(folder, "site/robots.txt"), "utf8")).toBe("theirs");
  },
);

test("a draft whose folder for temporary files cannot be looked into is not removed", async () => {
  const { folder, draft } = draftWithSite();
  const scratch = join(draft, "scratch");
  fs.mkdirSync(join(scratch, "replaced-2-kit"), { recursive: true });
  const reporter = recordingReporter();
  refused = { path: scratch, code: "EIO", after: 1 };
  await removeDrafts(folder, reporter);
  expect(fs.existsSync(join(scratch, "replaced-2-kit"))).toBe(true);
  expect(reporter.lines.info).toHaveLength(1);
});

test("a file in the place of a draft is removed", async () => {
  const { folder, draft } = draftWithSite();
  fs.rmSync(draft, { recursive: true });
  fs.writeFileSync(draft, "");
  const reporter = recordingReporter();
  await removeDrafts(folder, reporter);
  expect(fs.readdirSync(folder)).toEqual([]);
  expect(reporter.lines.info).toEqual([]);
});
