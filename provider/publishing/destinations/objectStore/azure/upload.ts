import type { BlockBlobUploadOptions } from "@azure/storage-blob";
import { inParallel } from "../../../../base/runtime/concurrency/inParallel";
import { sentParameters } from "../inputs";
import { md5Hash } from "../md5";
import {
  DIGEST_NAME,
  type NewObject,
  type ObjectContent,
  type Revision,
  type SendOptions,
  type UnfinishedUpload,
} from "../objectStore";
import { StoreError, unlessFailed } from "../storeError";
import { abortWithin, uploadPartsOf, wholeOf } from "../uploadParts";
import type { ContainerClient } from "./client";
import type { AzureContainerInputs } from "./inputs";
import { listBlobs } from "./listBlobs";

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

/** An ETag without quotes, which only some replies have. */
export const revisionOf = (etag: string | undefined): Revision => etag?.replace(/^"|"$/g, "") ?? "";

/** Where the destination is. */
type AzurePlace =
  | "azureContainer"
  | "storageAccount"
  | "prefix"
  | "endpoint"
  | "websiteEndpoint"
  | "connectionStringVariable";

/** Sends a blob: in one request, or in blocks that are then committed. The service verifies the MD5 of each request. */
export async function sendBlob(
  client: ContainerClient,
  object: NewObject,
  content: ObjectContent,
  options: SendOptions = {},
): Promise<void> {
  const isWhole = object.size <= BLOCK_SIZE;
  for (let attempt = 1; ; attempt++) {
    try {
      const etag = await (isWhole ? sendWhole : sendBlocks)(client, object, content, options);
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

async function sendWhole(
  { run, blob, inputs }: ContainerClient,
  object: NewObject,
  content: ObjectContent,
  { onlyIf, onProgress }: SendOptions,
): Promise<string | undefined> {
  const { key } = object;
  const bytes = await wholeOf(content);
  const md5 = md5Of(bytes);
  const described = descriptionOf(inputs, object, onlyIf);
  // older versions of the SDK send no other
  const blobContentMD5 = md5 && { blobContentMD5: md5.transactionalContentMD5 };
  const blobHTTPHeaders = { ...described.blobHTTPHeaders, ...blobContentMD5 };
  const { etag } = await run({ action: "write", key }, (options) =>
    blob(key).upload(bytes, bytes.length, { ...options, ...described, ...md5, blobHTTPHeaders }),
  );
  onProgress?.(bytes.length);
  return etag;
}

async function sendBlocks(
  { run, blob, inputs }: ContainerClient,
  object: NewObject,
  content: ObjectContent,
  { onlyIf, onProgress }: SendOptions,
): Promise<string | undefined> {
  const { key } = object;
  const request = { action: "write", key } as const;
  const size = Math.max(BLOCK_SIZE, Math.ceil(object.size / MAX_BLOCKS));
  const ids: string[] = [];
  let sent = 0;
  await inParallel(uploadPartsOf(content, size), CONCURRENCY, async (bytes) => {
    const id = blockId(object, ids.length);
    ids.push(id);
    const md5 = md5Of(bytes);
    await run(request, (options) => blob(key).stageBlock(id, bytes, bytes.length, { ...options, ...md5 }));
    onProgress?.((sent += bytes.length));
  });
  const { etag } = await run(request, ({ abortSignal }) =>
    blob(key).commitBlockList(ids, { abortSignal, ...descriptionOf(inputs, object, onlyIf) }),
  );
  return etag;
}

/** The same for the same content: two runs that send it do not disturb each other. All ids of a blob must have the same length. */
function blockId({ sha256 }: NewObject, index: number): string {
  return Buffer.from(`${sha256.slice(0, 42)}${String(index).padStart(6, "0")}`).toString("base64");
}

function md5Of(bytes: Buffer): { transactionalContentMD5: Uint8Array } | undefined {
  const md5 = md5Hash()?.update(bytes);
  return md5 && { transactionalContentMD5: md5.digest() };
}

/** What each request that makes a blob says about it. */
type Description = Pick<BlockBlobUploadOptions, "metadata" | "blobHTTPHeaders" | "conditions">;

function descriptionOf(
  inputs: AzureContainerInputs,
  { sha256, headers }: NewObject,
  onlyIf: SendOptions["onlyIf"],
): Description {
  return {
    ...sentParameters<AzureContainerInputs, AzurePlace, BlockBlobUploadOptions>(inputs, {}),
    metadata: { [DIGEST_NAME]: sha256 },
    blobHTTPHeaders: {
      blobContentType: headers.contentType,
      blobCacheControl: headers.cacheControl,
      ...(headers.contentEncoding !== undefined && { blobContentEncoding: headers.contentEncoding }),
    },
    conditions: onlyIf ? { ifNoneMatch: "*" } : {},
  };
}

/** The blobs with a prefix that have only blocks, and those that killed runs left while they discarded blocks. */
export async function unfinishedBlobs(client: ContainerClient, prefix: string): Promise<UnfinishedUpload[]> {
  const listed = await listBlobs(client, { prefix, includeUncommitedBlobs: true });
  const empty = listed.filter(({ properties }) => !properties.contentLength);
  const found: UnfinishedUpload[] = [];
  await inParallel(empty, CONCURRENCY, async ({ name: key, properties }) => {
    const isDiscarded = properties.contentType === DISCARDED;
    // without a time (NaN), it counts as new: Azure itself discards blocks after a week
    const startedAtMs = new Date(properties.createdOn ?? properties.lastModified).getTime();
    const isBlob =
      !isDiscarded && (await client.run({ action: "read", key }, () => client.blob(key).exists()));
    if (isBlob) return;
    found.push({
      key,
      startedAtMs,
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
async function discardBlocks(client: ContainerClient, key: string): Promise<void> {
  await abortWithin(client.context, `the blocks of ${key} could not be discarded`, async (signal) => {
    const writing = client.run({ action: "write", key, signal }, ({ abortSignal }) =>
      client.blob(key).commitBlockList([], {
        abortSignal,
        blobHTTPHeaders: { blobContentType: DISCARDED },
        conditions: { ifNoneMatch: "*" },
      }),
    );
    const written = await unlessFailed(writing, "BlobAlreadyExists", "ConditionNotMet");
    if (written?.etag !== undefined) await removeIf(client, key, written.etag, signal);
  });
}

/** Removes an empty blob that stands for no object. @returns whether there was one */
async function removeDiscarded(client: ContainerClient, key: string): Promise<boolean> {
  const { run, blob, context } = client;
  const found = await unlessFailed(
    run({ action: "read", key }, ({ abortSignal }) => blob(key).getProperties({ abortSignal })),
    "missing",
  );
  if (found?.contentType !== DISCARDED || found.etag === undefined) return false;
  await removeIf(client, key, found.etag, context.signal);
  return true;
}

async function removeIf(
  { run, blob }: ContainerClient,
  key: string,
  ifMatch: string,
  signal: AbortSignal,
): Promise<void> {
  const removal = run({ action: "delete", key, signal }, ({ abortSignal }) =>
    blob(key).delete({ abortSignal, conditions: { ifMatch } }),
  );
  await unlessFailed(removal, "BlobNotFound", "ConditionNotMet");
}
