import { raise, refusal, UNSAFE } from "./refusal";
import type { SiteLimits } from "./site";

/** A smaller archive is not a zip bomb. */
const HARMLESS_BYTES = 64 * 1_024 * 1_024;

/** Sites compress to between a fifth and a twentieth, deflate's limit is a thousandth: a higher ratio indicates a zip bomb. */
const MAX_RATIO = 200;

/**
 * Refuses an archive that unpacks to too much, by its declared sizes or by the bytes so far, or to far more than its own size: only
 * a zip bomb does.
 *
 * @param unpackedBytes of the whole, so far
 * @param packedBytes that they come from
 * @param furtherBytes allowed beside the content of the files
 * @throws BundleRefusedError
 */
export function boundUnpacked(
  unpackedBytes: number,
  packedBytes: number,
  limits: SiteLimits,
  furtherBytes = 0,
): void {
  if (unpackedBytes > limits.unpackedBytes + furtherBytes) {
    throw refusal(`unpacks to more than ${limits.unpackedBytes} bytes`, raise("unpackedBytes"));
  }
  if (unpackedBytes > HARMLESS_BYTES && unpackedBytes > MAX_RATIO * packedBytes) {
    throw refusal(`unpacks to more than ${MAX_RATIO} times its size: no site does`, UNSAFE);
  }
}
