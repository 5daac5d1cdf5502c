// The program of the thread, in this thread: requests go in and answers come out as through its port.
import { createHash } from "node:crypto";
import fs, { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import threads from "node:worker_threads";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { WriterReply, WriterTask } from "../../../../provider/publishing/download/downloadWriter.ts";
import { MODES, notOnWindows } from "../../../systems.ts";

const MEMORY_BYTES = 16;

let path = "";
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "writer-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, "bundle");
});

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

const PROGRAM = new URL("../../../../provider/publishing/download/downloadWriter.ts", import.meta.url);
let programs = 0;

/** Starts the program. Each has a file of its own, as each thread has. */
async function started() {
  const memory = Buffer.from(new SharedArrayBuffer(MEMORY_BYTES));
  const answers: WriterReply[] = [];
  let receive: (task: WriterTask) => void = () => undefined;
  const parentPort = {
    on: (_event: "message", listener: typeof receive) => (receive = listener),
    postMessage: (answer: WriterReply) => answers.push(answer),
  };
  const builtin = process.getBuiltinModule.bind(process);
  const ofThread = { ...threads, workerData: memory.buffer, parentPort };
  const spy = vi.spyOn(process, "getBuiltinModule");
  spy.mockImplementation((name: string) => (name === "node:worker_threads" ? ofThread : builtin(name)));
  try {
    const again = `${PROGRAM.href}?program=${++programs}`; // a module runs only once
    await import(/* @vite-ignore */ again);
  } finally {
    spy.mockRestore();
  }
  const ask = (task: WriterTask): WriterReply | undefined => {
    receive(task);
    return answers.pop();
  };
  const append = (text: string, from = 0): WriterReply | undefined => {
    const length = memory.write(text, from);
    return ask({ do: "append", from, length });
  };
  return { ask, append };
}

test("bytes from anywhere in the memory are appended in order, and counted in the digest", async () => {
  const { ask, append } = await started();
  expect(ask({ do: "open", path })).toEqual({ ok: true, size: 0, digest: undefined });
  expect(append("one ", 3)).toEqual({ ok: true, size: 4, digest: undefined });
  expect(append("two")).toEqual({ ok: true, size: 7, digest: undefined });
  expect(ask({ do: "finish" })).toEqual({ ok: true, size: 7, digest: sha256("one two") });
  expect(append(" 3")).toMatchObject({ size: 9 });
  expect(ask({ do: "finish" })).toEqual({ ok: true, size: 9, digest: sha256("one two 3") });
  expect(readFileSync(path, "utf8")).toBe("one two 3");
});

test("an existing file is continued, and all of it is in the digest, though it is larger than the memory", async () => {
  const existing = "0123456789".repeat(5);
  writeFileSync(path, existing);
  const { ask, append } = await started();
  expect(ask({ do: "open", path })).toEqual({ ok: true, size: 50, digest: undefined });
  expect(append("end")).toEqual({ ok: true, size: 53, digest: undefined });
  expect(ask({ do: "finish" })).toMatchObject({ digest: sha256(`${existing}end`) });
  expect(readFileSync(path, "utf8")).toBe(`${existing}end`);
});

test("an emptied file begins again, also its digest", async () => {
  writeFileSync(path, "of another bundle");
  const { ask, append } = await started();
  ask({ do: "open", path });
  expect(ask({ do: "empty" })).toEqual({ ok: true, size: 0, digest: undefined });
  expect(readFileSync(path, "utf8")).toBe("");
  expect(append("new")).toMatchObject({ size: 3 });
  expect(ask({ do: "finish" })).toMatchObject({ size: 3, digest: sha256("new") });
  expect(readFileSync(path, "utf8")).toBe("new");
});

test("bytes that the system writes only in part are written piece by piece", async () => {
  const { ask, append } = await started();
  ask({ do: "open", path });
  const whole = fs.writeSync;
  const spy = vi.spyOn(fs, "writeSync");
  onTestFinished(() => spy.mockRestore());
  const inPart = (fd: number, bytes: Buffer, at: number, length: number, position: number): number =>
    whole(fd, bytes, at, Math.min(length, 2), position);
  spy.mockImplementation(inPart as typeof fs.writeSync);
  expect(append("one two", 4)).toEqual({ ok: true, size: 7, digest: undefined });
  expect(spy).toHaveBeenCalledTimes(4);
  expect(ask({ do: "finish" })).toMatchObject({ digest: sha256("one two") });
  expect(readFileSync(path, "utf8")).toBe("one two");
});

test("only its owner can read a new file", async (context) => {
  notOnWindows(context, MODES);
  const { ask } = await started();
  ask({ do: "open", path });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a closed file takes no more bytes", async () => {
  const { ask, append } = await started();
  ask({ do: "open", path });
  append("all");
  expect(ask({ do: "close" })).toEqual({ ok: true, size: 3, digest: undefined });
  expect(append("more")).toMatchObject({ ok: false, message: "no file is open" });
  expect(readFileSync(path, "utf8")).toBe("all");
});

test("an error is the answer, with its code, and a symbolic link is not followed", async () => {
  const { ask } = await started();
  expect(ask({ do: "empty" })).toEqual({ ok: false, code: undefined, message: "no file is open" });
  const missing = ask({ do: "open", path: join(path, "missing") });
  expect(missing).toMatchObject({ ok: false, code: "ENOENT" });
  expect(missing).toMatchObject({ message: expect.stringContaining("no such file") as string });
  const target = `${path}-target`;
  writeFileSync(target, "theirs");
  symlinkSync(target, path);
  expect(ask({ do: "open", path })).toMatchObject({ ok: false, code: "ELOOP" });
  expect(readFileSync(target, "utf8")).toBe("theirs");
});

test("the bytes are flushed to the disk before the digest is known, and the file is closed at the end", async () => {
  const { ask, append } = await started();
  const calls = ["fsyncSync", "closeSync"].map((name) => vi.spyOn(fs, name as "fsyncSync" | "closeSync"));
  onTestFinished(() => calls.forEach((spy) => spy.mockRestore()));
  const counts = (): number[] => calls.map(({ mock }) => mock.calls.length);
  ask({ do: "open", path });
  append("x");
  expect(counts()).toEqual([0, 0]);
  ask({ do: "finish" });
  expect(counts()).toEqual([1, 0]);
  ask({ do: "close" });
  expect(counts()).toEqual([1, 1]);
});
