import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { makeScratch, workFolders } from "../../../provider/source/workFolders.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "work-folders-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

describe("the folders of an operation", () => {
  test("are in Pulumi's own, or below the user's where that is not set or empty", () => {
    expect(workFolders(() => "/p")).toEqual({
      downloads: "/p/docs-hosting/downloads",
      scratches: "/p/docs-hosting/scratch",
    });
    const own = join(homedir(), ".pulumi/docs-hosting");
    for (const unset of [undefined, ""]) {
      expect(workFolders(() => unset).downloads).toBe(join(own, "downloads"));
    }
    const asks: string[] = [];
    workFolders((name) => void asks.push(name));
    expect(asks).toEqual(["PULUMI_HOME"]);
  });

  test("are new, for nobody else to read; what a run a day ago left is gone, what a later one has stays", async () => {
    const scratches = join(folder, "a/scratch");
    const one = await makeScratch(scratches, Date.now());
    const two = await makeScratch(scratches, Date.now());
    expect(one).not.toBe(two);
    writeFileSync(join(one, "file"), "x");
    const day = 24 * 3_600;
    utimesSync(one, 1_000, 1_000);
    utimesSync(two, 1_001, 1_001);
    await makeScratch(scratches, (1_000 + day) * 1_000 + 500);
    expect([existsSync(one), existsSync(two)]).toEqual([false, true]);
  });
});
