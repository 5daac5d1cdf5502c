import { createHash } from "node:crypto";
import { StoreError } from "../storeError";

/** What a request does with a checksum: asks for that of an object, or sends that of content. */
export type ChecksumUse = "read" | "write";

/** Whether a store supports checksums, as far as this run knows: a promise while a first request finds it out. */
const known = new Map<string, boolean | Promise<void>>();

const USES: readonly ChecksumUse[] = ["read", "write"];
const keyOf = (endpoint: string, use: ChecksumUse): string => `${use} ${endpoint}`;

/** Codes that have nothing to do with a header that the store does not support. */
const OTHER_REASONS =
  /^(?:BadDigest|XAmzContent.*|AuthorizationHeaderMalformed|Expired.*|InvalidToken|TokenRefreshRequired|RequestTimeout|EntityTooLarge|.*Quota.*|Invalid(?:Bucket|Object)Name|KeyTooLong.*|KMS\..*|Invalid.*Encryption.*)$/;

/**
 * Sends a request with a checksum, or without one to a store that refuses the headers for it. A store of Amazon has them. For another
 * one, the first request finds it out, and the run remembers the result.
 *
 * @param send `isTrial`: after a failure of {@link isOfUnknownHeader}, it is called again
 * @throws what the last request throws
 */
export async function withChecksums<T>(
  endpoint: string | undefined,
  use: ChecksumUse,
  send: (areUsed: boolean, isTrial: boolean) => Promise<T>,
): Promise<T> {
  if (endpoint === undefined) return send(true, false);
  const key = keyOf(endpoint, use);
  for (;;) {
    const state = known.get(key);
    if (typeof state === "boolean") return send(state, false);
    if (state === undefined) break;
    await state;
  }
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  known.set(key, promise);
  try {
    const result = await send(true, true);
    known.set(key, true);
    return result;
  } catch (error) {
    if (!mayBeAboutChecksums(error)) throw error;
    const result = await send(false, false);
    for (const each of USES) known.set(keyOf(endpoint, each), false);
    return result;
  } finally {
    if (known.get(key) === promise) known.delete(key);
    resolve();
  }
}

function mayBeAboutChecksums(error: unknown): boolean {
  return error instanceof StoreError && isOfUnknownHeader(error.status) && !OTHER_REASONS.test(error.code);
}

/** Whether stores refuse a header that they do not support with this status. */
export function isOfUnknownHeader(status: number | undefined): boolean {
  return status === 400 || status === 501;
}

/** The header that all stores verify content by, for those that know no newer one; none where MD5 is switched off (FIPS). */
export function contentMd5(content: unknown): { ContentMD5?: string } {
  if (!Buffer.isBuffer(content) && typeof content !== "string") return {};
  try {
    return { ContentMD5: createHash("md5").update(content).digest("base64") };
  } catch {
    return {};
  }
}
