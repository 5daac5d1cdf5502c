import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Checked, CheckTask } from "../../../../../provider/base/runtime/files/checkFiles.ts";
import { Thread } from "../../../../../provider/base/runtime/files/thread.ts";

const NO_DIGEST = "0".repeat(64);

function started(): Thread<CheckTask, Checked> {
  const thread = new Thread<CheckTask, Checked>("base/runtime/files/checkFiles");
  onTestFinished(() => thread.end());
  return thread;
}

test("a thread answers in order, and a failure has the code of the system", async () => {
  const folder = mkdtempSync(join(tmpdir(), "thread-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a"), "a");
  const thread = started();
  const of = (path: string): Promise<Checked> =>
    thread.do({ files: [[join(folder, path), NO_DIGEST]], isRemoved: true });
  const [some, none, failed] = await Promise.allSettled([of("a"), of("gone"), of("a/b")]);
  expect([some, none]).toMatchObject([{ value: { others: [0] } }, { value: { others: [0] } }]);
  expect(failed).toMatchObject({ reason: { code: "ENOTDIR" } });
  expect(readdirSync(folder)).toEqual(["a"]);
});

test("a thread that is ended leaves no task without an answer", async () => {
  const thread = started();
  const task = thread.do({ files: [], isRemoved: false });
  await Promise.all([expect(task).rejects.toThrow("stopped"), thread.end(new Error("stopped"))]);
  await expect(thread.do({ files: [], isRemoved: false })).rejects.toThrow("stopped");
});
