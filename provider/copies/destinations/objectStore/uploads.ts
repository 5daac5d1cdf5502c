import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { S3 } from "@aws-sdk/client-s3";
import { diskFailure } from "../../../runtime/files/diskFailure";
import { DestinationError } from "../../../runtime/messages/errors";
import { contentMd5, withChecksums } from "./checksums";
import { encryptionOf } from "./inputs";
import { headObject, isSameContent, locate, DIGEST_NAME, readPages, type NewObject } from "./objects";
import type { Store } from "./store";

/** Larger objects are sent in parts of this size, in bytes; in larger parts if there would be more than {@link MAX_PARTS}. */
const PART_SIZE = 8 * 1024 * 1024;
/** See https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MAX_PARTS = 10_000;
/** How many parts of one object are sent concurrently. Memory holds them, and one more that is being read. */
const CONCURRENCY = 4;
/** An upload without activity for this time belongs to a killed run, in milliseconds. */
export const ABANDONED_AFTER_MS = 3_600_000;
/** How long aborting an upload may take after Ctrl-C or the deadline, in milliseconds. */
const GRACE_MS = 1_500;

/** Where content begins in a file. */
export interface Content {
  readonly path: string;
  readonly offset: number;
}

/** A multipart upload that was neither completed nor aborted. */
interface OpenUpload {
  readonly key: string;
  /** Below the prefix. */
  readonly path: string;
  readonly uploadId: string;
  readonly startedAtMs: number;
}

/** The store's answers about an upload that another run completed or aborted. */
const GONE_UPLOAD = { NoSuchUpload: undefined, "404": undefined } as const;

/**
 * Sends an object, in parts if it is large. The store verifies each request, and this function verifies the whole content: a file
 * that changed during the upload does not become an object. A failed or stopped upload is aborted.
 *
 * @param onlyNew keeps an existing object at the key
 * @param onProgress gets the number of bytes that arrived
 * @returns whether the store has this content now; `false` when it keeps other content
 * @throws DestinationError; the signal's reason
 */
export async function sendObject(
  store: Store,
  object: NewObject,
  content: Content | Buffer,
  onlyNew: boolean,
  onProgress: (bytes: number) => void = () => undefined,
): Promise<boolean> {
  return withChecksums(store.destination.endpoint, "write", (hasChecksum) =>
    sendOnce(store, object, content, { onlyNew, hasChecksum, onProgress }),
  );
}

/** Sends an object. Without a checksum, its digest in the metadata, its length and its ETag prove the content. */
async function sendOnce(
  store: Store,
  object: NewObject,
  content: Content | Buffer,
  {
    onlyNew,
    hasChecksum,
    onProgress,
  }: { onlyNew: boolean; hasChecksum: boolean; onProgress: (bytes: number) => void },
): Promise<boolean> {
  const { key, sha256, size, headers } = object;
  // the library does not pass the signal, and sends the parts of an upload without an ID as objects
  const send = async (command: never): Promise<unknown> => {
    const { input } = command as { input: { Body?: unknown; ContentMD5?: string } };
    if (!hasChecksum) Object.assign(input, contentMd5(input.Body));
    const answer: object = await store.client.send(command, { abortSignal: store.context.signal });
    const isBegun = (command as object) instanceof store.sdk.s3.CreateMultipartUploadCommand;
    if (!isBegun || ("UploadId" in answer && answer.UploadId !== undefined)) return answer;
    throw new DestinationError(
      `the store of s3://${store.destination.bucket} began an upload without an id`,
      "It does not implement S3's protocol as Amazon does.",
    );
  };
  const upload = new store.sdk.storage.Upload({
    client: Object.create(store.client, { send: { value: send } }) as S3,
    params: {
      ...locate(store, key),
      ContentType: headers.contentType,
      CacheControl: headers.cacheControl,
      ...(headers.contentEncoding !== undefined && { ContentEncoding: headers.contentEncoding }),
      Metadata: { [DIGEST_NAME]: sha256 },
      ...(hasChecksum && { ChecksumAlgorithm: "SHA256" as const }),
      ...encryptionOf(store.destination),
      Body: Buffer.isBuffer(content)
        ? content
        : Readable.from(readChecked(content, object, store.context.signal), { highWaterMark: 1 }),
      ...(onlyNew && { IfNoneMatch: "*" }),
    },
    partSize: Math.max(PART_SIZE, Math.ceil(size / MAX_PARTS)),
    queueSize: CONCURRENCY,
    leavePartsOnError: true, // the code below aborts them, even after Ctrl-C
  });
  upload.on("httpUploadProgress", ({ loaded = 0 }) => onProgress(loaded));
  try {
    await store.run("s3:PutObject", key, () => upload.done());
    return true;
  } catch (error) {
    const { uploadId } = upload;
    // the next run clears an upload that could not be aborted
    if (uploadId !== undefined) await abortUpload(store, { key, uploadId }).catch(() => undefined);
    store.context.signal.throwIfAborted();
    // the answer was lost, or another run was faster
    const stored = await headObject(store, key).catch(() => undefined);
    if (stored !== undefined && isSameContent(stored, object)) return true;
    if (stored !== undefined && onlyNew) return false;
    throw error;
  }
}

async function* readChecked(
  { path, offset }: Content,
  { size, sha256 }: NewObject,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  if (size > 0) {
    const range = { start: offset, end: offset + size - 1 };
    try {
      for await (const bytes of createReadStream(path, range) as AsyncIterable<Buffer>) {
        hash.update(bytes);
        yield bytes;
      }
    } catch (error) {
      throw diskFailure(error, path, signal, { kind: "file" });
    }
  }
  if (hash.digest("hex") === sha256) return;
  throw new DestinationError(
    `${path} was changed while it was sent`,
    "Nothing else may write there. Run `pulumi up` again.",
  );
}

/**
 * Aborts multipart uploads below the prefix that killed runs left. Aborts none if the credentials do not allow to list them.
 *
 * @param isUnneeded whether an upload belongs to a killed run
 */
export async function clearUploads(
  store: Store,
  isUnneeded: (upload: OpenUpload) => boolean | Promise<boolean>,
): Promise<void> {
  try {
    for (const upload of await openUploads(store)) {
      if (await isUnneeded(upload)) await abortUpload(store, upload);
    }
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    store.context.reporter.debug(`unfinished uploads at ${store.uri} stay: ${error.message}`);
  }
}

async function openUploads(store: Store): Promise<OpenUpload[]> {
  const prefix = store.key("");
  const found: OpenUpload[] = [];
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  await readPages(store, async () => {
    const which = { Bucket: store.destination.bucket, Prefix: prefix, ...markers };
    const page = await store.run("s3:ListBucketMultipartUploads", undefined, (options) =>
      store.client.listMultipartUploads(which, options),
    );
    for (const { Key: key = "", UploadId: uploadId = "", Initiated } of page.Uploads ?? []) {
      if (!key.startsWith(prefix)) continue;
      const path = key.slice(prefix.length);
      found.push({ key, path, uploadId, startedAtMs: Initiated?.getTime() ?? 0 });
    }
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    return page.IsTruncated === true ? JSON.stringify(markers) : undefined;
  });
  return found;
}

/** Whether an upload had no activity for an hour. */
export async function isAbandoned(
  store: Store,
  { key, uploadId, startedAtMs }: OpenUpload,
): Promise<boolean> {
  const since = store.context.clock.now() - ABANDONED_AFTER_MS;
  let lastMs = startedAtMs;
  if (lastMs > since) return false;
  await readPages(store, async (PartNumberMarker) => {
    const which = { ...locate(store, key), UploadId: uploadId, PartNumberMarker };
    const page = await store.run(
      "s3:ListMultipartUploadParts",
      key,
      (options) => store.client.listParts(which, options),
      GONE_UPLOAD,
    );
    for (const { LastModified } of page?.Parts ?? []) {
      lastMs = Math.max(lastMs, LastModified?.getTime() ?? 0);
    }
    return page?.IsTruncated === true ? (page.NextPartNumberMarker ?? "") : undefined;
  });
  return lastMs < since;
}

/** Aborts a multipart upload, even after the operation was stopped. An upload that is already gone is not an error. */
async function abortUpload(
  store: Store,
  { key, uploadId }: Pick<OpenUpload, "key" | "uploadId">,
): Promise<void> {
  const { signal, clock } = store.context;
  const grace = new AbortController();
  const tooLate = new DestinationError(`the upload to ${key} could not be aborted`, "The next run does it.");
  const stop = clock.after(GRACE_MS, () => grace.abort(tooLate));
  try {
    await store.run(
      "s3:AbortMultipartUpload",
      key,
      (options) => store.client.abortMultipartUpload({ ...locate(store, key), UploadId: uploadId }, options),
      GONE_UPLOAD,
      { signal: signal.aborted ? grace.signal : signal },
    );
  } finally {
    stop();
  }
}
