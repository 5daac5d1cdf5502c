import { createHash } from "node:crypto";
import { inParallel } from "../../../../runtime/concurrency/inParallel";
import {
  DIGEST_NAME,
  type Content,
  type NewObject,
  type Revision,
  type SendOptions,
  type UnfinishedUpload,
  type WriteCondition,
} from "../objectStore";
import { StoreError } from "../storeError";
import { abortWithin, partsOf, wholeOf } from "../uploadParts";
import type { ContainerAccess } from "./client";
import { listBlobs } from "./pages";
import { ABSENT } from "./removal";

/** Larger blobs are sent in blocks of this size, in bytes; in larger blocks if there would be more than {@link MAX_BLOCKS}. */
const BLOCK_SIZE = 8 * 1024 * 1024;
/** See https://learn.microsoft.com/rest/api/storageservices/put-block-list */
const MAX_BLOCKS = 50_000;
/** How many blocks of one blob are sent concurrently. Memory holds them, and one more that is being read. */
const CONCURRENCY = 4;
/** How often a blob is sent whose blocks another run discards, by committing its own. */
const ATTEMPTS = 3;

/**
 * The content type of an empty blob that stands for no object: Azure discards blocks only when a blob of that name is written, or after a
 * week. It is removed at once; one that a killed run left counts as an unfinished upload.
 */
export const DISCARDED = "application/x-docs-hosting-discarded";

/** An ETag without quotes, which only some answers have. */
export const revisionOf = (etag: string | undefined): Revision => etag?.replace(/^"|"$/g, "") ?? "";

/** Sends a blob: in one request, or in blocks that are then committed. The service verifies the MD5 of each request. */
export async function sendBlob(
  client: ContainerAccess,
  object: NewObject,
  content: Content,
  options: SendOptions = {},
): Promise<void> {
  const isWhole = object.size <= BLOCK_SIZE;
  for (let attempt = 1; ; attempt++) {
    try {
      const { etag } = await (isWhole ? sendWhole : sendBlocks)(client, object, content, options);
      return options.onStored?.(revisionOf(etag));
    } catch (error) {
      if (!isWhole) await discardBlocks(client, object.key).catch(() => undefined);
      if (!(error instanceof StoreError) || attempt === ATTEMPTS) throw error;
      const isDiscarded =
        error.failure === "conflict" &&
        options.onlyIf === "absent" &&
        (await removeDiscarded(client, object.key));
      if (error.code !== "InvalidBlockList" && !isDiscarded) throw error;
    }
  }
}

interface Sent {
  readonly etag?: string | undefined;
}

async function sendWhole(
  client: ContainerAccess,
  object: NewObject,
  content: Content,
  { onlyIf, onProgress }: SendOptions,
): Promise<Sent> {
  const bytes = await wholeOf(content);
  const md5 = md5Of(bytes);
  const { blobHTTPHeaders, metadata } = propertiesOf(object);
  const sent = await client.run("write", object.key, (request) =>
    client.blob(object.key).upload(bytes, bytes.length, {
      ...request,
      ...md5,
      metadata,
      // older versions of the SDK send no other
      blobHTTPHeaders: {
        ...blobHTTPHeaders,
        ...(md5 && { blobContentMD5: md5.transactionalContentMD5 }),
      },
      conditions: conditionOf(onlyIf),
    }),
  );
  onProgress?.(bytes.length);
  return sent;
}

async function sendBlocks(
  client: ContainerAccess,
  object: NewObject,
  content: Content,
  { onlyIf, onProgress }: SendOptions,
): Promise<Sent> {
  const blob = client.blob(object.key);
  const size = Math.max(BLOCK_SIZE, Math.ceil(object.size / MAX_BLOCKS));
  const ids: string[] = [];
  let sent = 0;
  await inParallel(partsOf(content, size), CONCURRENCY, async (bytes) => {
    const id = blockId(object, ids.length);
    ids.push(id);
    await client.run("write", object.key, (request) =>
      blob.stageBlock(id, bytes, bytes.length, { ...request, ...md5Of(bytes) }),
    );
    onProgress?.((sent += bytes.length));
  });
  return client.run("write", object.key, ({ abortSignal }) =>
    blob.commitBlockList(ids, { abortSignal, ...propertiesOf(object), conditions: conditionOf(onlyIf) }),
  );
}

/** The same for the same content: two runs that send it do not disturb each other. All ids of a blob must have the same length. */
function blockId({ sha256 }: NewObject, index: number): string {
  return Buffer.from(`${sha256.slice(0, 42)}${String(index).padStart(6, "0")}`).toString("base64");
}

/** None where MD5 is switched off (FIPS). */
function md5Of(bytes: Buffer): { transactionalContentMD5: Uint8Array } | undefined {
  try {
    return { transactionalContentMD5: createHash("md5").update(bytes).digest() };
  } catch {
    return undefined;
  }
}

function propertiesOf({ sha256, headers }: NewObject) {
  return {
    metadata: { [DIGEST_NAME]: sha256 },
    blobHTTPHeaders: {
      blobContentType: headers.contentType,
      blobCacheControl: headers.cacheControl,
      ...(headers.contentEncoding !== undefined && { blobContentEncoding: headers.contentEncoding }),
    },
  };
}

/** A revision is an ETag without its quotes, as lists have it. */
function conditionOf(condition: WriteCondition | undefined): { ifNoneMatch?: string; ifMatch?: string } {
  if (condition === undefined) return {};
  return condition === "absent" ? { ifNoneMatch: "*" } : { ifMatch: `"${condition.revision}"` };
}

/** The blobs with a prefix that have only blocks, and those that killed runs left while they discarded blocks. */
export async function unfinishedUploads(
  client: ContainerAccess,
  prefix: string,
): Promise<UnfinishedUpload[]> {
  const empty: { key: string; startedAtMs: number; isDiscarded: boolean }[] = [];
  for (const { name, properties } of await listBlobs(client, { prefix, includeUncommitedBlobs: true })) {
    if ((properties.contentLength ?? 0) > 0) continue;
    // without a time (NaN), it counts as new: Azure itself discards blocks after a week
    const startedAtMs = new Date(properties.createdOn ?? properties.lastModified).getTime();
    empty.push({ key: name, startedAtMs, isDiscarded: properties.contentType === DISCARDED });
  }
  const found: UnfinishedUpload[] = [];
  await inParallel(empty, CONCURRENCY, async ({ key, startedAtMs, isDiscarded }) => {
    const isBlob = !isDiscarded && (await client.run("read", key, () => client.blob(key).exists()));
    if (isBlob) return;
    found.push({
      ...{ key, startedAtMs },
      lastActiveMs: () => Promise.resolve(startedAtMs),
      abort: async () => {
        if (isDiscarded) await removeDiscarded(client, key);
        else await discardBlocks(client, key);
      },
    });
  });
  return found;
}

/** Discards the blocks of a blob that does not exist. */
async function discardBlocks(client: ContainerAccess, name: string): Promise<void> {
  await abortWithin(client.context, `the blocks of ${name} could not be discarded`, async (signal) => {
    const written = await client.run(
      "write",
      name,
      ({ abortSignal }) =>
        client.blob(name).commitBlockList([], {
          ...{ abortSignal, blobHTTPHeaders: { blobContentType: DISCARDED } },
          conditions: { ifNoneMatch: "*" },
        }),
      { BlobAlreadyExists: undefined, ConditionNotMet: undefined },
      signal,
    );
    if (written?.etag !== undefined) await removeIf(client, name, written.etag, signal);
  });
}

/** Removes an empty blob that stands for no object. @returns whether there was one */
async function removeDiscarded(client: ContainerAccess, name: string): Promise<boolean> {
  const found = await client.run(
    "read",
    name,
    ({ abortSignal }) => client.blob(name).getProperties({ abortSignal }),
    ABSENT,
  );
  if (found?.contentType !== DISCARDED || found.etag === undefined) return false;
  await removeIf(client, name, found.etag);
  return true;
}

async function removeIf(
  client: ContainerAccess,
  name: string,
  etag: string,
  signal?: AbortSignal,
): Promise<void> {
  await client.run(
    "delete",
    name,
    ({ abortSignal }) => client.blob(name).delete({ abortSignal, conditions: { ifMatch: etag } }),
    { BlobNotFound: undefined, ConditionNotMet: undefined },
    signal,
  );
}
