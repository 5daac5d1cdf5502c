import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { freeName, isOwnerless, ownName } from "../../../provider/disk/owner.ts";

test("what this process has is its own, and no two of its names are the same", () => {
  expect(isOwnerless(ownName())).toBe(false);
  expect(ownName()).not.toBe(ownName());
});

test("what was left to others is nobody's", () => {
  expect(isOwnerless(freeName())).toBe(true);
});

test("what a process of this machine had is nobody's when it has ended, and not before", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  const [system = "", , ...rest] = ownName().split("-");
  // not on Linux nobody knows when a process started: there the same id is the same process
  const started = process.platform === "linux" ? "1" : (rest[0] ?? "");
  const name = (startedAt: string): string => [system, child.pid, startedAt, "0"].join("-");
  if (process.platform === "linux") expect(isOwnerless(name(started))).toBe(true); // the id is another's by now
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isOwnerless(name(started))).toBe(true);
  // of another machine, container or boot nothing can be told: there it may live
  expect(isOwnerless(name(started).replace(/^[0-9a-f]+/, "0123456789abcdef"))).toBe(false);
});
