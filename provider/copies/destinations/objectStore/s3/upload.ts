import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { PutObjectCommandInput, S3 } from "@aws-sdk/client-s3";
import { DestinationError } from "../../../../runtime/messages/errors";
import {
  DIGEST_NAME,
  type Content,
  type NewObject,
  type SendOptions,
  type UnfinishedUpload,
  type WriteCondition,
} from "../objectStore";
import { contentMd5, withChecksums } from "./checksums";
import type { BucketClient } from "./client";
import { encryptionOf } from "./inputs";
import { readPages } from "../pages";
import { abortWithin } from "../uploadParts";

/** Larger objects are sent in parts of this size, in bytes; in larger parts if there would be more than {@link MAX_PARTS}. */
const PART_SIZE = 8 * 1024 * 1024;
/** See https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MAX_PARTS = 10_000;
/** How many parts of one object are sent concurrently. Memory holds them, and one more that is being read. */
const CONCURRENCY = 4;

/** The store's answers about an upload that another run completed or aborted. */
const GONE_UPLOAD = { NoSuchUpload: undefined, "404": undefined } as const;

/**
 * Sends an object, in parts if it is large. The store verifies each request. Without a checksum, its digest in the metadata, its length
 * and its ETag prove the content. A failed or stopped upload is aborted.
 */
export async function sendObject(
  client: BucketClient,
  object: NewObject,
  content: Content,
  options: SendOptions = {},
): Promise<void> {
  const isSmall = Buffer.isBuffer(content) && content.length < PART_SIZE;
  const revision = await withChecksums(client.destination.endpoint, "write", (hasChecksum) =>
    isSmall
      ? sendSmall(client, object, content, options, hasChecksum)
      : sendLarge(client, object, content, options, hasChecksum),
  );
  if (revision) options.onStored?.(revision);
}

/** What the SDK is asked for an object. */
function parametersOf(
  client: BucketClient,
  { key, sha256, headers }: NewObject,
  onlyIf: WriteCondition | undefined,
  hasChecksum: boolean,
): Omit<PutObjectCommandInput, "Body"> {
  return {
    ...client.named(key),
    ContentType: headers.contentType,
    CacheControl: headers.cacheControl,
    ...(headers.contentEncoding !== undefined && { ContentEncoding: headers.contentEncoding }),
    Metadata: { [DIGEST_NAME]: sha256 },
    ...(hasChecksum && { ChecksumAlgorithm: "SHA256" as const }),
    ...encryptionOf(client.destination),
    ...conditionOf(onlyIf),
  };
}

async function sendSmall(
  client: BucketClient,
  object: NewObject,
  content: Buffer,
  { onlyIf, onProgress }: SendOptions,
  hasChecksum: boolean,
): Promise<string | undefined> {
  const { key, sha256, size } = object;
  client.context.signal.throwIfAborted();
  let revision = await client.direct.send(object, content, onlyIf, hasChecksum);
  if (revision === undefined) {
    if (createHash("sha256").update(content).digest("hex") !== sha256) {
      throw new DestinationError(
        `the content of s3://${client.destination.bucket}/${key} was changed on this machine's disk before it was sent`,
        "Nothing else may write there. Run `pulumi up` again.",
      );
    }
    const input = {
      ...parametersOf(client, object, onlyIf, hasChecksum),
      ...{ Body: content, ...(!hasChecksum && contentMd5(content)) },
    };
    const sent = await client.run("s3:PutObject", key, (options) => client.s3.putObject(input, options));
    revision = sent.ETag;
  }
  onProgress?.(size);
  return revision;
}

async function sendLarge(
  client: BucketClient,
  object: NewObject,
  content: Content,
  { onlyIf, onProgress }: SendOptions,
  hasChecksum: boolean,
): Promise<string | undefined> {
  const { s3, sdk, destination, context } = client;
  const { key, size } = object;
  // the library does not pass the signal, and sends the parts of an upload without an ID as objects
  const send = async (command: never): Promise<unknown> => {
    const { input } = command as { input: { Body?: unknown; ContentMD5?: string } };
    if (!hasChecksum) Object.assign(input, contentMd5(input.Body));
    const answer: object = await s3.send(command, { abortSignal: context.signal });
    const isBegun = (command as object) instanceof sdk.s3.CreateMultipartUploadCommand;
    if (!isBegun || ("UploadId" in answer && answer.UploadId !== undefined)) return answer;
    throw new DestinationError(
      `the store of s3://${destination.bucket} began an upload without an id`,
      "It does not implement S3's protocol as Amazon does.",
    );
  };
  const upload = new (await sdk.storage()).Upload({
    client: Object.create(s3, { send: { value: send } }) as S3,
    params: {
      ...parametersOf(client, object, onlyIf, hasChecksum),
      Body: Buffer.isBuffer(content) ? content : Readable.from(content(), { highWaterMark: 1 }),
    },
    partSize: Math.max(PART_SIZE, Math.ceil(size / MAX_PARTS)),
    queueSize: CONCURRENCY,
    leavePartsOnError: true, // the code below aborts them, even after Ctrl-C
  });
  upload.on("httpUploadProgress", ({ loaded = 0 }) => onProgress?.(loaded));
  try {
    return (await client.run("s3:PutObject", key, () => upload.done())).ETag;
  } catch (error) {
    const { uploadId } = upload;
    // the next run clears an upload that could not be aborted
    if (uploadId !== undefined) await abortUpload(client, key, uploadId).catch(() => undefined);
    throw error;
  }
}

function conditionOf(condition: WriteCondition | undefined): { IfNoneMatch?: "*"; IfMatch?: string } {
  if (condition === undefined) return {};
  return condition === "absent" ? { IfNoneMatch: "*" } : { IfMatch: condition.revision };
}

/** The multipart uploads of keys with a prefix that were neither completed nor aborted. */
export async function unfinishedUploads(client: BucketClient, prefix: string): Promise<UnfinishedUpload[]> {
  const found: UnfinishedUpload[] = [];
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  await readPages(client.uri, async () => {
    const which = { Bucket: client.destination.bucket, Prefix: prefix, ...markers };
    const page = await client.run("s3:ListBucketMultipartUploads", undefined, (options) =>
      client.s3.listMultipartUploads(which, options),
    );
    for (const { Key: key = "", UploadId: uploadId = "", Initiated } of page.Uploads ?? []) {
      const startedAtMs = Initiated?.getTime() ?? 0;
      found.push({
        ...{ key, startedAtMs },
        lastActiveMs: () => lastActiveMs(client, key, uploadId, startedAtMs),
        abort: () => abortUpload(client, key, uploadId),
      });
    }
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    return page.IsTruncated === true ? JSON.stringify(markers) : undefined;
  });
  return found;
}

/** When an upload received its last part. */
async function lastActiveMs(
  client: BucketClient,
  key: string,
  uploadId: string,
  startedAtMs: number,
): Promise<number> {
  let lastMs = startedAtMs;
  await readPages(client.uri, async (PartNumberMarker) => {
    const which = { ...client.named(key), UploadId: uploadId, PartNumberMarker };
    const page = await client.run(
      "s3:ListMultipartUploadParts",
      key,
      (options) => client.s3.listParts(which, options),
      GONE_UPLOAD,
    );
    for (const { LastModified } of page?.Parts ?? []) {
      lastMs = Math.max(lastMs, LastModified?.getTime() ?? 0);
    }
    return page?.IsTruncated === true ? (page.NextPartNumberMarker ?? "") : undefined;
  });
  return lastMs;
}

/** Aborts a multipart upload. One that is already gone is not an error. */
async function abortUpload(client: BucketClient, key: string, UploadId: string): Promise<void> {
  await abortWithin(client.context, `the upload to ${key} could not be aborted`, (signal) =>
    client.run(
      "s3:AbortMultipartUpload",
      key,
      (options) => client.s3.abortMultipartUpload({ ...client.named(key), UploadId }, options),
      GONE_UPLOAD,
      { signal },
    ),
  );
}
