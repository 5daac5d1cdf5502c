import type { Readable } from "node:stream";
import type { HeadObjectCommandInput } from "@aws-sdk/client-s3";
import type { DestinationContext, DraftingDestination } from "../../destination";
import { bucketDestination } from "../bucketDestination";
import { DIGEST_NAME, type ListedObject, type ObjectStore } from "../objectStore";
import { readPagedList } from "../pagedList";
import { signedLink } from "../signedLink";
import { StoreError, unlessFailed } from "../storeError";
import { withChecksums } from "./checksums";
import { type BucketClient, bucketClient } from "./client";
import { type BucketInputs, LONGEST_KEY_BYTES, objectAddress, s3BucketUri } from "./inputs";
import { archiveTierOf, readPlainEntries } from "./listPage";
import { s3Removal } from "./removal";
import { loadS3Sdk } from "./sdk";
import { sendS3Object, unfinishedMultipartUploads } from "./upload";

/**
 * Copies in a bucket of S3 or of a compatible store. The AWS SDK finds the credentials as AWS's own tools do:
 * environment, profiles, single sign-on, the role of a pod or machine.
 *
 * @param inputs that the rules of {@link BucketInputs} accept
 */
export const s3Destination = (inputs: BucketInputs): DraftingDestination =>
  bucketDestination(inputs, s3BucketUri(inputs), openS3);

/**
 * Connects to a bucket of S3 or of a compatible store. The revision of an object is its ETag.
 *
 * @throws ConfigurationError if the SDK is not installed
 */
export async function openS3(destination: BucketInputs, context: DestinationContext): Promise<ObjectStore> {
  const sdk = await loadS3Sdk();
  const client = bucketClient(destination, sdk, context);
  const { s3, run, named } = client;
  const { bucket, endpoint } = destination;
  return {
    uri: s3BucketUri(destination),
    longestKeyBytes: LONGEST_KEY_BYTES,
    verifiesContent: true,

    /** Amazon S3 accepts an object with the name of a folder; other stores do not. */
    hasKeysBesideFolders: () => Promise.resolve(endpoint === undefined),

    async addressOf(key) {
      const region = await run({ action: "s3:GetObject" }, () => s3.config.region());
      return objectAddress(destination, region, key);
    },

    async head(key) {
      const heading = withChecksums(endpoint, "read", (areUsed) => {
        const which: HeadObjectCommandInput = {
          ...named(key),
          ChecksumMode: areUsed ? "ENABLED" : undefined,
        };
        const asking = run({ action: "s3:GetObject", key }, (options) => s3.headObject(which, options));
        return unlessFailed(asking, "missing");
      });
      const found = await heading.catch(async (error: unknown) => {
        throw await explained(client, key, error);
      });
      if (found === undefined) return undefined;
      const { ChecksumSHA256: checksum } = found;
      // some stores keep how the request was encoded
      const encoding = (found.ContentEncoding ?? "").replace(/\baws-chunked\b,?\s*/, "").replace(/,\s*$/, "");
      // a checksum with a hyphen is of the parts' checksums
      const isOfContent = checksum?.includes("-") === false;
      return {
        size: found.ContentLength ?? -1,
        revision: found.ETag ?? "",
        sha256: isOfContent ? Buffer.from(checksum, "base64").toString("hex") : found.Metadata?.[DIGEST_NAME],
        headers: {
          contentType: found.ContentType,
          cacheControl: found.CacheControl,
          ...(encoding !== "" && { contentEncoding: encoding }),
          ...(found.ContentDisposition && { contentDisposition: found.ContentDisposition }),
        },
      };
    },

    async list(prefix, onObject, atMost) {
      let found = 0;
      await readPagedList(client.uri, async (ContinuationToken) => {
        const which = { Bucket: bucket, Prefix: prefix, ContinuationToken, MaxKeys: atMost };
        const command = new sdk.s3.ListObjectsV2Command(which);
        let entries: readonly ListedObject[] = [];
        const notAList = (): Error => client.notAnswered({ action: "s3:ListBucket" });
        readPlainEntries(command, (found) => (entries = found), notAList);
        const page = await run({ action: "s3:ListBucket" }, (options) => s3.send(command, options));
        const others = (page.Contents ?? []).map(
          ({ Key: key = "", Size: size = -1, ETag: revision = "", LastModified, StorageClass }) => {
            const modifiedAtMs = LastModified?.getTime() ?? 0;
            return { key, size, revision, modifiedAtMs, ...archiveTierOf(StorageClass) };
          },
        );
        for (const each of [...entries, ...others]) onObject(each);
        found += entries.length + others.length;
        const isAll = page.IsTruncated !== true || (atMost !== undefined && found >= atMost);
        return isAll ? undefined : (page.NextContinuationToken ?? "");
      });
    },

    read: (key, use) => {
      const reading = run({ action: "s3:GetObject", key }, async (options) => {
        const { Body, ETag } = await s3.getObject(named(key), options);
        return use((Body ?? []) as AsyncIterable<Uint8Array>, ETag);
      });
      return unlessFailed(reading, "NoSuchKey");
    },

    send: (object, content, options) => sendS3Object(client, object, content, options),

    remove: s3Removal(client),

    sign: (key, lifeMs) =>
      run({ action: "s3:GetObject", key }, () =>
        signedLink(context, lifeMs, async (nowMs, endMs) => {
          const { expiration } = await s3.config.credentials();
          const { getSignedUrl } = await sdk.presigner();
          const command = new sdk.s3.GetObjectCommand(named(key));
          const options = { expiresIn: (endMs - nowMs) / 1_000, signingDate: new Date(nowMs) };
          return { url: await getSignedUrl(s3, command, options), latestMs: expiration?.getTime() };
        }),
      ),

    unfinishedUploads: (prefix) => unfinishedMultipartUploads(client, prefix),

    close: () => client.close(),
  };
}

/** The failure of a HEAD request, whose reply has no body and so no reason, or that of a request that fails for the same one. */
async function explained(
  { run, named, s3, context }: BucketClient,
  key: string,
  failure: unknown,
): Promise<unknown> {
  const hasNoCode = (error: unknown): error is StoreError =>
    error instanceof StoreError && /^\d+$/.test(error.code);
  if (!hasNoCode(failure)) return failure;
  try {
    const { Body } = await run({ action: "s3:GetObject", key }, (options) =>
      s3.getObject(named(key), options),
    );
    (Body as Readable | undefined)?.destroy();
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof StoreError && error.status === failure.status && !hasNoCode(error)) return error;
  }
  return failure;
}
