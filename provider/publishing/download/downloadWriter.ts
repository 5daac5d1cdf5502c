/**
 * A worker thread that writes and hashes a partial download while the main thread receives. Node.js loads this file by its name, in tests
 * uncompiled, so it imports nothing at run time.
 */
import type { Hash } from "node:crypto";
import type { ThreadReply } from "../../base/runtime/files/thread";

/** A request to the thread; it answers requests in order. */
export type WriterTask =
  /** Opens or creates the file, and hashes its content. */
  | { do: "open"; path: string }
  /** Truncates the file. */
  | { do: "empty" }
  /** Appends bytes from the shared memory. */
  | { do: "append"; from: number; length: number }
  /** Flushes the file to the disk, and returns its digest. */
  | { do: "finish" }
  | { do: "close" };

/** The size of the file, and its digest if the task requests it. */
export interface Written {
  readonly size: number;
  readonly digest: string | undefined;
}
/** The reply to a request. */
export type WriterReply = ThreadReply<Written>;

const { createHash } = process.getBuiltinModule("node:crypto");
const fs = process.getBuiltinModule("node:fs");
const threads = process.getBuiltinModule("node:worker_threads");

const memory = Buffer.from(threads.workerData as SharedArrayBuffer);
let file: number | undefined;
let size = 0;
let hash: Hash = createHash("sha256");

/** Runs one task. @returns the digest, if the task requests it */
function work(task: WriterTask): string | undefined {
  if (task.do === "open") {
    // on systems without O_NOFOLLOW it is `undefined`, which has no effect here
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = fs.constants;
    const opened = fs.openSync(task.path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
    file = opened;
    for (;;) {
      const count = fs.readSync(opened, memory, 0, memory.length, size);
      if (count === 0) return undefined;
      hash.update(memory.subarray(0, count));
      size += count;
    }
  }
  if (file === undefined) throw new Error("no file is open");
  switch (task.do) {
    case "empty":
      fs.ftruncateSync(file, 0);
      size = 0;
      hash = createHash("sha256");
      return undefined;
    case "append": {
      const bytes = memory.subarray(task.from, task.from + task.length);
      for (let at = 0; at < bytes.length;) {
        const count = fs.writeSync(file, bytes, at, bytes.length - at, size);
        hash.update(bytes.subarray(at, at + count));
        at += count;
        size += count;
      }
      return undefined;
    }
    case "finish":
      fs.fsyncSync(file);
      return hash.copy().digest("hex");
    case "close":
      fs.closeSync(file);
      file = undefined;
      return undefined;
  }
}

threads.parentPort?.on("message", (task: WriterTask) => {
  let reply: WriterReply;
  try {
    const digest = work(task);
    reply = { ok: true, size, digest };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    reply = { ok: false, code, message };
  }
  threads.parentPort?.postMessage(reply);
});
