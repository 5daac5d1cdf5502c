import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { PutObjectCommandInput, S3 } from "@aws-sdk/client-s3";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import { sentParameters } from "../inputs";
import {
  DIGEST_NAME,
  type NewObject,
  type ObjectContent,
  type SendOptions,
  type UnfinishedUpload,
} from "../objectStore";
import { readPagedList } from "../pagedList";
import { unlessFailed } from "../storeError";
import { abortWithin } from "../uploadParts";
import { contentMd5, withChecksums } from "./checksums";
import type { BucketClient } from "./client";
import type { BucketInputs } from "./inputs";

/** Larger objects are sent in parts of this size, in bytes; in larger parts if there would be more than {@link MAX_PARTS}. */
const PART_SIZE = 8 * 1024 * 1024;
/** See https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MAX_PARTS = 10_000;
/** How many parts of one object are sent concurrently. Memory holds them, and one more that is being read. */
const CONCURRENCY = 4;

/** Where the destination is. */
type S3Place = "bucket" | "prefix" | "endpoint" | "pathStyle" | "region";

/**
 * Sends an object, in parts if it is large. The store verifies each request. Without a checksum, its digest in the metadata, its length
 * and its ETag prove the content. A failed or stopped upload is aborted.
 */
export async function sendS3Object(
  client: BucketClient,
  object: NewObject,
  content: ObjectContent,
  { onlyIf, onProgress, onStored }: SendOptions = {},
): Promise<void> {
  const { destination, context, direct, s3 } = client;
  const { key, sha256, size, headers } = object;
  const revision = await withChecksums(destination.endpoint, "write", async (hasChecksum) => {
    const input: PutObjectCommandInput = {
      ...client.named(key),
      ContentType: headers.contentType,
      CacheControl: headers.cacheControl,
      ContentEncoding: headers.contentEncoding,
      Metadata: { [DIGEST_NAME]: sha256 },
      ChecksumAlgorithm: hasChecksum ? "SHA256" : undefined,
      ...sentParameters<BucketInputs, S3Place, PutObjectCommandInput>(destination, {
        encryption: "ServerSideEncryption",
        kmsKeyId: "SSEKMSKeyId",
      }),
      IfNoneMatch: onlyIf && "*",
    };
    if (!Buffer.isBuffer(content) || content.length >= PART_SIZE) {
      const Body = Buffer.isBuffer(content) ? content : Readable.from(content(), { highWaterMark: 1 });
      return sendParts(client, key, { ...input, Body }, size, hasChecksum, onProgress);
    }
    context.signal.throwIfAborted();
    let sent = await direct.send(object, content, onlyIf, hasChecksum);
    if (sent === undefined) {
      if (createHash("sha256").update(content).digest("hex") !== sha256) {
        throw new DestinationError(
          `the content of s3://${destination.bucket}/${key} was changed on this machine's disk before it was sent`,
          "Nothing else may write there. Run `pulumi up` again.",
        );
      }
      const whole = { ...input, Body: content, ...(!hasChecksum && contentMd5(content)) };
      const request = { action: "s3:PutObject", key } as const;
      sent = (await client.run(request, (options) => s3.putObject(whole, options))).ETag;
      // every store's reply has one; a login page has none
      if (sent === undefined) throw client.notAnswered(request);
    }
    onProgress?.(size);
    return sent;
  });
  if (revision) onStored?.(revision);
}

async function sendParts(
  client: BucketClient,
  key: string,
  params: PutObjectCommandInput,
  size: number,
  hasChecksum: boolean,
  onProgress: SendOptions["onProgress"],
): Promise<string | undefined> {
  const { s3, sdk, context } = client;
  // the library does not pass the signal, and sends the parts of an upload without an ID as objects
  const send = async (command: never): Promise<unknown> => {
    const { input } = command as { input: { Body?: unknown; ContentMD5?: string } };
    if (!hasChecksum) Object.assign(input, contentMd5(input.Body));
    const reply: object = await s3.send(command, { abortSignal: context.signal });
    const isBegun = (command as object) instanceof sdk.s3.CreateMultipartUploadCommand;
    if (!isBegun || ("UploadId" in reply && reply.UploadId !== undefined)) return reply;
    throw new DestinationError(
      `the store of s3://${client.destination.bucket} began an upload without an id`,
      "It does not implement S3's protocol as Amazon does.",
    );
  };
  const upload = new (await sdk.storage()).Upload({
    client: Object.create(s3, { send: { value: send } }) as S3,
    params,
    partSize: Math.max(PART_SIZE, Math.ceil(size / MAX_PARTS)),
    queueSize: CONCURRENCY,
    leavePartsOnError: true, // the code below aborts them, even after Ctrl-C
  });
  upload.on("httpUploadProgress", ({ loaded = 0 }) => onProgress?.(loaded));
  try {
    return (await client.run({ action: "s3:PutObject", key }, () => upload.done())).ETag;
  } catch (error) {
    const { uploadId } = upload;
    // the next run clears an upload that could not be aborted
    if (uploadId !== undefined) await abortUpload(client, key, uploadId).catch(() => undefined);
    throw error;
  }
}

/** The multipart uploads of keys with a prefix that were neither completed nor aborted. */
export async function unfinishedMultipartUploads(
  client: BucketClient,
  prefix: string,
): Promise<UnfinishedUpload[]> {
  const { s3, destination } = client;
  const found: UnfinishedUpload[] = [];
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  await readPagedList(client.uri, async () => {
    const which = { Bucket: destination.bucket, Prefix: prefix, ...markers };
    const page = await client.run({ action: "s3:ListBucketMultipartUploads" }, (options) =>
      s3.listMultipartUploads(which, options),
    );
    for (const { Key: key = "", UploadId: uploadId = "", Initiated } of page.Uploads ?? []) {
      const startedAtMs = Initiated?.getTime() ?? 0;
      found.push({
        key,
        startedAtMs,
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
  { uri, named, run, s3 }: BucketClient,
  key: string,
  UploadId: string,
  startedAtMs: number,
): Promise<number> {
  let lastMs = startedAtMs;
  await readPagedList(uri, async (PartNumberMarker) => {
    const which = { ...named(key), UploadId, PartNumberMarker };
    const listing = run({ action: "s3:ListMultipartUploadParts", key }, (options) =>
      s3.listParts(which, options),
    );
    const page = await unlessFailed(listing, "missing");
    for (const { LastModified } of page?.Parts ?? []) {
      lastMs = Math.max(lastMs, LastModified?.getTime() ?? 0);
    }
    return page?.IsTruncated === true ? (page.NextPartNumberMarker ?? "") : undefined;
  });
  return lastMs;
}

/** Aborts a multipart upload. One that is already gone is not an error. */
async function abortUpload(client: BucketClient, key: string, UploadId: string): Promise<void> {
  const which = { ...client.named(key), UploadId };
  await abortWithin(client.context, `the upload to ${key} could not be aborted`, (signal) =>
    unlessFailed(
      client.run({ action: "s3:AbortMultipartUpload", key, signal }, (options) =>
        client.s3.abortMultipartUpload(which, options),
      ),
      "missing",
    ),
  );
}
