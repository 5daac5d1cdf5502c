/**
 * A thread that does to a part what takes its time: it writes and hashes, while the other receives. Node loads this file
 * by its name, in tests as it is written; so nothing is imported at run time.
 */
import type { Hash } from "node:crypto";

/** What is asked of the thread; each is answered in turn. */
export type PartTask =
  /** Opens the file, as it is or new, and hashes what is in it. */
  | { do: "open"; path: string }
  /** Empties it. */
  | { do: "empty" }
  /** Appends what stands in the shared memory. */
  | { do: "append"; from: number; length: number }
  /** Sees that it is on the disk, and gives its digest. */
  | { do: "finish" }
  | { do: "close" };

/** Answer to a task. */
export type PartAnswer =
  | { ok: true; size: number; digest: string | undefined }
  | { ok: false; code: string | undefined; message: string };

const { createHash } = process.getBuiltinModule("node:crypto");
const fs = process.getBuiltinModule("node:fs");
const threads = process.getBuiltinModule("node:worker_threads");

const memory = Buffer.from(threads.workerData as SharedArrayBuffer);
let file: number | undefined;
let size = 0;
let hash: Hash = createHash("sha256");

/** Does one task. @returns the digest, where it was asked for */
function work(task: PartTask): string | undefined {
  if (task.do === "open") {
    // where the system has no O_NOFOLLOW, it is `undefined`, which counts for nothing here
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

threads.parentPort?.on("message", (task: PartTask) => {
  let answer: PartAnswer;
  try {
    const digest = work(task);
    answer = { ok: true, size, digest };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    answer = { ok: false, code, message };
  }
  threads.parentPort?.postMessage(answer);
});
