import { md5Hash } from "../md5";
import { StoreError } from "../storeError";

/** What a request does with a checksum: asks for that of an object, or sends that of content. */
type ChecksumUse = "read" | "write";

/** Whether a store supports checksums, as far as this run knows; `undefined` after a first request that did not find it out. */
const known = new Map<string, Promise<boolean | undefined>>();

const USES: readonly ChecksumUse[] = ["read", "write"];
const keyOf = (endpoint: string, use: ChecksumUse): string => `${use} ${endpoint}`;

/** Codes that have nothing to do with a header that the store does not support. */
const OTHER_REASONS =
  /^(?:BadDigest|XAmzContent.*|AuthorizationHeaderMalformed|Expired.*|InvalidToken|TokenRefreshRequired|RequestTimeout|EntityTooLarge|.*Quota.*|Invalid(?:Bucket|Object)Name|KeyTooLong.*|KMS\..*|Invalid.*Encryption.*)$/;

/**
 * Sends a request with a checksum, or without one to a store that refuses the headers for it. A store of Amazon has them. For another
 * one, the first request finds it out, and the run remembers the result. A store that refuses them later, such as another one at the same
 * address, gets the request again without them.
 *
 * @throws what the last request throws
 */
export async function withChecksums<T>(
  endpoint: string | undefined,
  use: ChecksumUse,
  send: (areUsed: boolean) => Promise<T>,
): Promise<T> {
  if (endpoint === undefined) return send(true);
  const key = keyOf(endpoint, use);
  let isKnown = false;
  for (let found; !isKnown && (found = known.get(key)) !== undefined;) {
    const areUsed = await found;
    if (areUsed === false) return send(false);
    isKnown = areUsed === true;
  }
  const trial = Promise.withResolvers<boolean | undefined>();
  if (!isKnown) known.set(key, trial.promise);
  let areSupported: boolean | undefined;
  try {
    const result = await send(true);
    areSupported = true;
    return result;
  } catch (error) {
    if (!mayBeAboutChecksums(error)) throw error;
    const result = await send(false);
    areSupported = false;
    for (const each of USES) known.set(keyOf(endpoint, each), trial.promise);
    return result;
  } finally {
    if (areSupported === undefined && !isKnown) known.delete(key);
    trial.resolve(areSupported);
  }
}

/** Stores refuse a header that they do not support with the status 400 or 501. */
function mayBeAboutChecksums(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return (error.status === 400 || error.status === 501) && !OTHER_REASONS.test(error.code);
}

/** The header that all stores verify content by, for those that know no newer one. */
export function contentMd5(content: unknown): { ContentMD5?: string } {
  const md5 =
    Buffer.isBuffer(content) || typeof content === "string" ? md5Hash()?.update(content) : undefined;
  return md5 ? { ContentMD5: md5.digest("base64") } : {};
}
