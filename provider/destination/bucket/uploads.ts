import { DestinationError } from "../../words/errors";
import { describe, locate, type NewObject } from "./objects";
import type { Store } from "./store";

/** How long what must be cleared away is waited for after Ctrl-C, in milliseconds. */
const GRACE_MS = 1_500;

/** An upload in parts. */
export interface UploadName {
  readonly key: string;
  readonly uploadId: string;
}

/** An upload in parts that was neither completed nor aborted. */
export interface OpenUpload extends UploadName {
  readonly startedAtMs: number;
}

/** A part that arrived. */
export interface StoredPart {
  readonly number: number;
  readonly size: number;
  readonly etag: string;
  /** Base64; empty when the store has none. */
  readonly checksum: string;
  readonly modifiedAtMs: number;
}

/** What a store answers when an upload was completed or given up by somebody else. */
const GONE_UPLOAD = { NoSuchUpload: undefined, "404": undefined } as const;

/** Uploads in parts whose keys begin with a text. */
export async function openUploads(store: Store, prefix: string): Promise<OpenUpload[]> {
  const found: OpenUpload[] = [];
  let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
  while (after !== undefined) {
    const markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = after;
    const page = await store.run("s3:ListBucketMultipartUploads", undefined, (options) =>
      store.client.send(
        new store.sdk.s3.ListMultipartUploadsCommand({
          Bucket: store.place.bucket,
          Prefix: prefix,
          ...markers,
        }),
        options,
      ),
    );
    for (const { Key: key = "", UploadId: uploadId = "", Initiated } of page.Uploads ?? []) {
      if (key.startsWith(prefix)) found.push({ key, uploadId, startedAtMs: Initiated?.getTime() ?? 0 });
    }
    after =
      page.IsTruncated === true
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
  }
  return found;
}

/** Begins an upload in parts. */
export async function beginUpload(store: Store, object: NewObject): Promise<string> {
  const { UploadId } = await store.run("s3:PutObject", object.key, (options) =>
    store.client.send(
      new store.sdk.s3.CreateMultipartUploadCommand({
        ...describe(store, object),
        ChecksumAlgorithm: "SHA256",
      }),
      options,
    ),
  );
  if (UploadId === undefined) {
    throw new DestinationError(
      `the store of s3://${store.place.bucket} began an upload without a name for it`,
      "It does not speak S3's protocol as Amazon does.",
    );
  }
  return UploadId;
}

/** The parts that arrived, by number; `undefined` when there is no such upload (any more). */
export async function listParts(
  store: Store,
  { key, uploadId }: UploadName,
): Promise<Map<number, StoredPart> | undefined> {
  const found = new Map<number, StoredPart>();
  let marker: string | undefined;
  do {
    const page = await store.run(
      "s3:ListMultipartUploadParts",
      key,
      (options) =>
        store.client.send(
          new store.sdk.s3.ListPartsCommand({
            ...locate(store, key),
            UploadId: uploadId,
            PartNumberMarker: marker,
          }),
          options,
        ),
      GONE_UPLOAD,
    );
    if (page === undefined) return undefined;
    for (const part of page.Parts ?? []) {
      const number = part.PartNumber ?? 0;
      found.set(number, {
        number,
        size: part.Size ?? -1,
        etag: part.ETag ?? "",
        checksum: part.ChecksumSHA256 ?? "",
        modifiedAtMs: part.LastModified?.getTime() ?? 0,
      });
    }
    marker = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return found;
}

/**
 * Sends a part; the store checks it.
 *
 * @param checksum SHA-256 in base64
 * @returns its ETag; `undefined` when there is no such upload (any more)
 */
export async function sendPart(
  store: Store,
  { key, uploadId }: UploadName,
  number: number,
  content: Buffer,
  checksum: string,
): Promise<string | undefined> {
  const answer = await store.run(
    "s3:PutObject",
    key,
    (options) =>
      store.client.send(
        new store.sdk.s3.UploadPartCommand({
          ...locate(store, key),
          UploadId: uploadId,
          PartNumber: number,
          Body: content,
          ContentLength: content.length,
          ChecksumSHA256: checksum,
        }),
        options,
      ),
    GONE_UPLOAD,
  );
  return answer && (answer.ETag ?? "");
}

/**
 * Makes the parts an object.
 *
 * @param onlyNew what is there already stays
 * @returns `"gone"` when there is no such upload (any more), `"there"` when there is an object already
 */
export async function completeUpload(
  store: Store,
  { key, uploadId }: UploadName,
  parts: readonly Pick<StoredPart, "number" | "etag" | "checksum">[],
  onlyNew: boolean,
): Promise<"stored" | "gone" | "there"> {
  return store.run(
    "s3:PutObject",
    key,
    async (options) => {
      await store.client.send(
        new store.sdk.s3.CompleteMultipartUploadCommand({
          ...locate(store, key),
          UploadId: uploadId,
          MultipartUpload: {
            Parts: parts.map(({ number, etag, checksum }) => ({
              PartNumber: number,
              ETag: etag,
              ChecksumSHA256: checksum,
            })),
          },
          ...(onlyNew && { IfNoneMatch: "*" }),
        }),
        options,
      );
      return "stored" as const;
    },
    {
      NoSuchUpload: "gone",
      "404": "gone",
      ConditionalRequestConflict: "gone",
      PreconditionFailed: "there",
      "412": "there",
    } as const,
  );
}

/** Gives up an upload in parts, also when the operation was stopped. One that is gone already is no error. */
export async function abortUpload(store: Store, { key, uploadId }: UploadName): Promise<void> {
  const grace = new AbortController();
  const failed = new DestinationError(
    `the upload to s3://${store.place.bucket}/${key} could not be given up in time`,
    "The next run does it.",
  );
  const stop = store.signal.aborted
    ? store.clock.after(GRACE_MS, () => grace.abort(failed))
    : (): void => undefined;
  try {
    await store.run(
      "s3:AbortMultipartUpload",
      key,
      async (options) => {
        await store.client.send(
          new store.sdk.s3.AbortMultipartUploadCommand({ ...locate(store, key), UploadId: uploadId }),
          options,
        );
      },
      GONE_UPLOAD,
      store.signal.aborted ? grace.signal : store.signal,
    );
  } finally {
    stop();
  }
}
