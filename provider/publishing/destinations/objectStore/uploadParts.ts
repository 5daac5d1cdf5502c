import { DestinationError } from "../../../base/runtime/messages/errors";
import { inBlocks } from "../../archives/blocks";
import type { DestinationContext } from "../destination";
import type { ObjectContent } from "./objectStore";

/** How long aborting an upload may take after Ctrl-C or the deadline, in milliseconds. */
const GRACE_MS = 1_500;

/** Content in parts of one size, of which the last may be shorter. */
export const uploadPartsOf = (content: ObjectContent, size: number): AsyncGenerator<Buffer> =>
  inBlocks(Buffer.isBuffer(content) ? [content] : content(), size);

/** Small content as a whole. */
export async function wholeOf(content: ObjectContent): Promise<Buffer> {
  return Buffer.isBuffer(content) ? content : Buffer.concat(await Array.fromAsync(content()));
}

/** Aborts what was begun, even after the operation was stopped: then it has little time. @param failure if that is too short */
export async function abortWithin(
  { signal, clock }: Pick<DestinationContext, "signal" | "clock">,
  failure: string,
  abort: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const grace = new AbortController();
  const tooLate = new DestinationError(failure, "The next run does it.");
  const stop = clock.after(GRACE_MS, () => grace.abort(tooLate));
  await abort(signal.aborted ? grace.signal : signal).finally(stop);
}
