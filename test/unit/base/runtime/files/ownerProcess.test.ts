import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  freeName,
  hasNoOwner,
  isAbandoned,
  ownName,
} from "../../../../../provider/base/runtime/files/ownerProcess.ts";
import { findCommand } from "../../../../programs/commands.ts";
import { PATIENTLY } from "../../../../simulation/patience.ts";

test("names of this process are its own, and no two of them are the same", () => {
  expect(hasNoOwner(ownName())).toBe(false);
  expect(ownName()).not.toBe(ownName());
});

test("a released name belongs to no process", () => {
  expect(hasNoOwner(freeName())).toBe(true);
});

test("a released name is kept for a day, that of a living process as long as it lives", () => {
  const DAY_MS = 24 * 3_600_000;
  const far = "0123456789abcdef-1-1-00000000"; // of an unknown machine
  for (const name of [freeName(), far, "copy-of-an-earlier-release"]) {
    expect([isAbandoned(name, 1, DAY_MS + 1), isAbandoned(name, 1, DAY_MS + 2)]).toEqual([false, true]);
  }
  expect(isAbandoned(ownName(), 1, 9 * DAY_MS)).toBe(false);
});

test("a name of a process of this machine belongs to no process after its end, and not before", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  const [system = "", , ...rest] = ownName().split("-");
  // except on Linux the start time of a process is unknown: there the same id is the same process
  const started = process.platform === "linux" ? "1" : (rest[0] ?? "");
  const name = (startedAt: string): string => [system, child.pid, startedAt, "0"].join("-");
  if (process.platform === "linux") expect(hasNoOwner(name(started))).toBe(true); // the id is another's by now
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(hasNoOwner(name(started))).toBe(true);
  // a process of another machine, container or boot cannot be checked: it may live
  expect(hasNoOwner(name(started).replace(/^[0-9a-f]+/, "0123456789abcdef"))).toBe(false);
});

test.runIf(process.platform === "linux")(
  "processes recognize each other where host, boot and process ids are the same",
  () => {
    const system = createHash("sha256")
      .update(hostname())
      .update(readFileSync("/proc/sys/kernel/random/boot_id"))
      .update(readlinkSync("/proc/self/ns/pid"));
    expect(ownName()).toMatch(
      new RegExp(`^${system.digest("hex").slice(0, 16)}-${process.pid}-[1-9][0-9]*-[0-9a-f]{8}$`),
    );
    expect(freeName()).toMatch(/^free-[0-9a-f]{8}$/);
  },
);

/** The system's line about a process, from its state on. */
function fieldsOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  return text.slice(text.lastIndexOf(") ") + 2).split(" ");
}

test.runIf(process.platform === "linux")("a zombie process owns nothing", async () => {
  const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  await vi.waitFor(() => expect(fieldsOf(pid)[0]).toBe("Z"), { ...PATIENTLY, interval: 5 });
  const [system = ""] = ownName().split("-");
  expect(hasNoOwner([system, pid, fieldsOf(pid)[19], "0"].join("-"))).toBe(true);
});

test.runIf(process.platform === "linux")(
  "a process counts as living with any name of its program",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "owner-"));
    const program = join(folder, "a) Z 1");
    copyFileSync(findCommand("sleep") ?? "", program);
    const child = spawn(program, ["60"], { stdio: "ignore" });
    onTestFinished(() => {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    expect(readFileSync(`/proc/${pid}/comm`, "latin1")).toBe("a) Z 1\n");
    const [system = ""] = ownName().split("-");
    expect(hasNoOwner([system, pid, fieldsOf(pid)[19], "0"].join("-"))).toBe(false);
  },
);
