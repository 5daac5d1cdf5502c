import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { HttpReply } from "../../../base/http/attempt";
import type { RegistryClient } from "./client";
import { absenceIn, isProven } from "./notFound";
import { isWebPage } from "./webPage";

/** Reads a part of a blob, more than once if asked. @param end offset after the last byte */
export type RangeReader = (start: number, end: number) => AsyncIterable<Uint8Array>;

export const rangesOfFile = (path: string): RangeReader =>
  // opened on read: a request that fails earlier leaves no open file and no unhandled error
  async function* (start, end) {
    const content = createReadStream(path, { start, end: end - 1, highWaterMark: 256 * 1024 });
    yield* content as AsyncIterable<Buffer>;
  };

export const rangesOf =
  (bytes: Buffer): RangeReader =>
  (start, end) =>
    Readable.from([bytes.subarray(start, end)]);

/** The clients whose registry does not answer whether it has a blob. */
const refusing = new WeakSet<RegistryClient>();

/**
 * Whether the repository is known to have a blob. A registry that refuses the question (Amazon's public one does) leaves it open.
 *
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function hasBlob(client: RegistryClient, digest: string): Promise<boolean> {
  if (refusing.has(client)) return false;
  const found = await client.attempt(
    { method: "HEAD", to: client.path("blobs", digest), accepted: [200, 404] },
    (reply) => reply.status === 200 && isOf(digest, reply),
  );
  if ("value" in found) return found.value;
  refusing.add(client);
  return false;
}

/**
 * Whether a reply without its content is about a blob or manifest, as far as it says: the page of a proxy or of a login is not. A reply
 * that names the digest is, whatever its type.
 */
export function isOf(digest: string, reply: Pick<HttpReply, "headers">): boolean {
  const named = reply.headers.get("docker-content-digest");
  return named === null ? !isWebPage(reply) : named === digest;
}

/** Statuses of a reply with a part of a blob; 416 if the blob is empty. */
const HAS_PART = [200, 206, 416];

/**
 * Whether the repository is known to lack a blob. A registry that refuses HEAD is asked for the first byte; one that refuses that, too,
 * or a proxy that answers in its place, leaves it open.
 *
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function lacksBlob(client: RegistryClient, digest: string): Promise<boolean> {
  if (await hasBlob(client, digest)) return false;
  const found = await client.attempt(
    {
      method: "GET",
      to: client.path("blobs", digest),
      headers: { range: "bytes=0-0" },
      accepted: [...HAS_PART, 404],
    },
    async (reply) => (reply.status === 404 ? absenceIn(reply) : undefined),
  );
  return "value" in found && found.value !== undefined && isProven(client, found.value);
}
