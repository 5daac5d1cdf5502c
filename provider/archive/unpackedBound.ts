import { raise, refusal, UNSAFE } from "./refusal";
import type { SiteLimits } from "./site";

/** Below this a bomb is none. */
const HARMLESS_BYTES = 64 * 1_024 * 1_024;

/** Sites are compressed to a fifth or a twentieth, deflate's best is a thousandth: what is beyond this is made to burst. */
const MOST_RATIO = 200;

/**
 * Refuses an archive that would burst, from what is announced or from what came already.
 *
 * @param unpackedBytes of the whole, so far
 * @param packedBytes that they come from
 * @throws BundleRefusedError
 */
export function boundUnpacked(unpackedBytes: number, packedBytes: number, limits: SiteLimits): void {
  if (unpackedBytes > limits.unpackedBytes) {
    throw refusal(`unpacks to more than ${limits.unpackedBytes} bytes`, raise("unpackedBytes"));
  }
  boundRatio(unpackedBytes, packedBytes);
}

/** Refuses an archive that holds far more than its own size: only bombs do. */
export function boundRatio(unpackedBytes: number, packedBytes: number): void {
  if (unpackedBytes > HARMLESS_BYTES && unpackedBytes > MOST_RATIO * packedBytes) {
    throw refusal(`unpacks to more than ${MOST_RATIO} times its size, which no site does`, UNSAFE);
  }
}
