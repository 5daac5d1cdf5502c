import { transferLine } from "../../runtime/messages/transferLine";
import type { Blob } from "./content";
import type { RegistryContext } from "./exchange";

/** Minimum time between two lines, in milliseconds. */
const PACE_MS = 250;

/** Reports the progress of an image's blobs, also of several transferred concurrently. */
export class TransferProgress {
  readonly #context: Pick<RegistryContext, "clock" | "reporter">;
  readonly #verb: string;
  readonly #totalBytes: number;
  readonly #beganMs: number;
  #shownMs = -Infinity;
  /** Transferred bytes by digest. */
  readonly #doneBytes = new Map<string, number>();
  /** Bytes of them that already existed. */
  #foundBytes = 0;

  /**
   * @param verb starts each line: `pulling nginx:1.30`
   * @param blobs all transferred blobs, each once
   */
  constructor(context: Pick<RegistryContext, "clock" | "reporter">, verb: string, blobs: readonly Blob[]) {
    this.#context = context;
    this.#verb = verb;
    this.#totalBytes = blobs.reduce((total, { size }) => total + size, 0);
    this.#beganMs = context.clock.monotonic();
  }

  /** Sets how many bytes of a blob have been transferred. */
  moved({ digest }: Blob, bytes: number): void {
    this.#doneBytes.set(digest, bytes);
    const nowMs = this.#context.clock.monotonic();
    if (nowMs - this.#shownMs < PACE_MS) return;
    this.#shownMs = nowMs;
    const done = [...this.#doneBytes.values()].reduce((total, each) => total + each, 0);
    const elapsedMs = nowMs - this.#beganMs;
    const line = transferLine(this.#verb, done, this.#totalBytes, elapsedMs, done - this.#foundBytes);
    this.#context.reporter.progress(line);
  }

  /** Counts a blob that already exists. */
  found({ digest, size }: Blob): void {
    this.#doneBytes.set(digest, size);
    this.#foundBytes += size;
  }
}
