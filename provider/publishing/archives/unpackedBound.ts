import { bundleRefusal, raise } from "./refusal";
import type { SiteLimits } from "./siteSink";

/** The limit of the unpacked size that applies if the user gives none, in bytes. */
export const DEFAULT_UNPACKED_BYTES: number = 8 * 2 ** 30;

/** A smaller archive is not a zip bomb. */
const HARMLESS_BYTES = 64 * 1_024 * 1_024;

/**
 * Sites compress to between a fifth and a twentieth, deflate's limit is a thousandth: a higher ratio indicates a zip bomb, or thousands of
 * pages with the same content. So it counts only while the user has given no limit.
 */
const MAX_RATIO = 200;

const REMEDY =
  "If the site is meant to be like that, give `limits.unpackedBytes`, the size that it may have, such as 4000000000: it is then the only limit of the size.";
const GIVE_LIMIT = { exported: REMEDY, packed: REMEDY };

/**
 * Refuses an archive that unpacks to too much, by its declared sizes or by the bytes so far, or to far more than its own size, unless
 * the user has given the limit.
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
    throw bundleRefusal(`unpacks to more than ${limits.unpackedBytes} bytes`, raise("unpackedBytes"));
  }
  const isGiven = limits.unpackedBytes !== DEFAULT_UNPACKED_BYTES;
  if (!isGiven && unpackedBytes > HARMLESS_BYTES && unpackedBytes > MAX_RATIO * packedBytes) {
    throw bundleRefusal(`unpacks to more than ${MAX_RATIO} times its size, as a zip bomb does`, GIVE_LIMIT);
  }
}
