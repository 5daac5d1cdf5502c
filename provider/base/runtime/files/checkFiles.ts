/**
 * A worker thread that compares files with their digests, because each of the calls for a small file costs less than the way to a thread
 * and back. Node.js loads this file by its name, in tests uncompiled, so it imports nothing at run time.
 */
import type { ThreadReply } from "./thread";

/** A request to the thread; it answers requests in order. */
export interface CheckTask {
  /** Paths of files, with the SHA-256 that each must have. */
  readonly files: readonly (readonly [path: string, sha256: string])[];
  /** Whether to remove each file that has its digest. */
  readonly isRemoved: boolean;
}

/** Which files do not have their digest, or are not files: their numbers. */
export interface Checked {
  readonly others: readonly number[];
}

const { createHash, hash } = process.getBuiltinModule("node:crypto");
const fs = process.getBuiltinModule("node:fs");
const threads = process.getBuiltinModule("node:worker_threads");

/** No link is followed, and a pipe in the place of a file is not waited for. Windows has neither: `undefined` has no effect. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** A file that is gone, and since it was listed a link (`EMLINK` on FreeBSD) or a socket in its place. */
const NO_FILE = ["ENOENT", "ELOOP", "EMLINK", "ENXIO"];

const block = Buffer.allocUnsafe(1 << 20);

/** Runs a call for a file that may be gone, or replaced. */
function unlessGone<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (!NO_FILE.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return undefined;
  }
}

function hasDigest(path: string, sha256: string): boolean {
  const file = unlessGone(() => fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (file === undefined) return false;
  try {
    const stats = fs.fstatSync(file);
    if (!stats.isFile()) return false;
    const first = fs.readSync(file, block, 0, block.length, 0);
    // a short read up to the stated size is the end, without another one that reads nothing
    if (first === stats.size && first < block.length) {
      return hash("sha256", block.subarray(0, first)) === sha256;
    }
    const digest = createHash("sha256").update(block.subarray(0, first));
    for (let size = first, count = first; count > 0; size += count) {
      count = fs.readSync(file, block, 0, block.length, size);
      digest.update(block.subarray(0, count));
    }
    return digest.digest("hex") === sha256;
  } finally {
    fs.closeSync(file);
  }
}

threads.parentPort?.on("message", ({ files, isRemoved }: CheckTask) => {
  let reply: ThreadReply<Checked>;
  try {
    const others: number[] = [];
    for (const [at, [path, sha256]] of files.entries()) {
      if (!hasDigest(path, sha256)) others.push(at);
      else if (isRemoved) unlessGone(() => fs.unlinkSync(path));
    }
    reply = { ok: true, others };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    reply = { ok: false, code, message };
  }
  threads.parentPort?.postMessage(reply);
});
