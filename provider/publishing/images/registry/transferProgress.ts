import { transferLine } from "../../../base/runtime/messages/transferLine";
import type { Blob } from "./content";
import type { RegistryContext } from "./exchange";

/** Minimum time between two lines, in milliseconds. */
const PACE_MS = 250;

/**
 * Reports the progress of an image's blobs, also of several transferred concurrently.
 *
 * @param verb starts each line: `pulling nginx:1.30`
 * @param blobs all transferred blobs, each once
 * @returns moved: sets how many bytes of a blob have been transferred
 * @returns found: counts a blob that already exists
 */
export function transferProgress(
  { clock, reporter }: Pick<RegistryContext, "clock" | "reporter">,
  verb: string,
  blobs: readonly Blob[],
) {
  const totalBytes = blobs.reduce((total, { size }) => total + size, 0);
  const beganMs = clock.monotonic();
  let shownMs = -Infinity;
  /** Transferred bytes by digest. */
  const doneBytes = new Map<string, number>();
  /** Bytes of them that already existed. */
  let foundBytes = 0;
  return {
    moved({ digest }: Blob, bytes: number): void {
      doneBytes.set(digest, bytes);
      const nowMs = clock.monotonic();
      if (nowMs - shownMs < PACE_MS) return;
      shownMs = nowMs;
      const done = doneBytes.values().reduce((total, each) => total + each, 0);
      reporter.progress(transferLine(verb, done, totalBytes, nowMs - beganMs, done - foundBytes));
    },
    found({ digest, size }: Blob): void {
      doneBytes.set(digest, size);
      foundBytes += size;
    },
  };
}
