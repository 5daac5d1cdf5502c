import type { Readable } from "node:stream";
import type { CopyLink, DestinationContext } from "../../destination";
import {
  DIGEST_NAME,
  type Content,
  type ListedObject,
  type NewObject,
  type ObjectStore,
  type Revision,
  type SendOptions,
  type StoredObject,
  type UnfinishedUpload,
} from "../objectStore";
import type { BatchRemoval } from "../batchRemoval";
import { isOfUnknownHeader, withChecksums } from "./checksums";
import { BucketClient } from "./client";
import { addressOf, bucketUri, LONGEST_KEY_BYTES, type BucketInputs } from "./inputs";
import { readPages } from "../pages";
import { readPlainEntries } from "./listPage";
import { objectRemoval } from "./removal";
import type { Sdk } from "./sdk";
import { sendObject, unfinishedUploads } from "./upload";

/** A bucket of S3 or of a compatible store. The revision of an object is its ETag. */
export class S3Store implements ObjectStore {
  readonly longestKeyBytes = LONGEST_KEY_BYTES;
  readonly verifiesContent = true;
  readonly #client: BucketClient;
  readonly #removal: BatchRemoval;

  constructor(destination: BucketInputs, sdk: Sdk, context: DestinationContext) {
    this.#client = new BucketClient(destination, sdk, context);
    this.#removal = objectRemoval(this.#client);
  }

  get uri(): string {
    return bucketUri(this.#client.destination);
  }

  /** Amazon S3 accepts an object with the name of a folder; other stores do not. */
  hasKeysBesideFolders(): Promise<boolean> {
    return Promise.resolve(this.#client.destination.endpoint === undefined);
  }

  async addressOf(key: string): Promise<string> {
    const { destination, s3 } = this.#client;
    const region = await this.#client.run("s3:GetObject", undefined, () => s3.config.region());
    return addressOf(destination, region, key);
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const { destination, s3 } = this.#client;
    const which = this.#client.named(key);
    const found = await withChecksums(destination.endpoint, "read", (areUsed, isTrial) =>
      this.#client.run(
        "s3:GetObject",
        key,
        (options) =>
          s3.headObject({ ...which, ...(areUsed && { ChecksumMode: "ENABLED" as const }) }, options),
        { "404": undefined, NoSuchKey: undefined },
        {
          // the answer to HEAD has no body, and so no reason
          reason: async (options, status) => {
            if (isTrial && isOfUnknownHeader(status)) return;
            const { Body } = await s3.getObject(which, options);
            (Body as Readable | undefined)?.destroy();
          },
        },
      ),
    );
    if (found === undefined) return undefined;
    const { ChecksumSHA256: checksum } = found;
    // a checksum with a hyphen is of the parts' checksums
    const isOfContent = checksum?.includes("-") === false;
    return {
      size: found.ContentLength ?? -1,
      revision: found.ETag ?? "",
      sha256: isOfContent ? Buffer.from(checksum, "base64").toString("hex") : found.Metadata?.[DIGEST_NAME],
      headers: {
        contentType: found.ContentType,
        cacheControl: found.CacheControl,
        ...(found.ContentEncoding && { contentEncoding: found.ContentEncoding }),
      },
    };
  }

  async list(prefix: string, onObject: (object: ListedObject) => void, atMost?: number): Promise<void> {
    const { destination, s3, sdk } = this.#client;
    let found = 0;
    await readPages(this.#client.uri, async (ContinuationToken) => {
      const which = {
        ...{ Bucket: destination.bucket, Prefix: prefix, ContinuationToken },
        ...(atMost !== undefined && { MaxKeys: atMost }),
      };
      const command = new sdk.s3.ListObjectsV2Command(which);
      let entries: readonly ListedObject[] = [];
      readPlainEntries(command, (found) => (entries = found));
      const page = await this.#client.run("s3:ListBucket", undefined, (options) => s3.send(command, options));
      const others = (page.Contents ?? []).map(
        ({ Key: key = "", Size: size = -1, ETag: revision = "", LastModified }) => {
          return { key, size, revision, modifiedAtMs: LastModified?.getTime() ?? 0 };
        },
      );
      for (const each of [...entries, ...others]) onObject(each);
      found += entries.length + others.length;
      const isAll = page.IsTruncated !== true || (atMost !== undefined && found >= atMost);
      return isAll ? undefined : (page.NextContinuationToken ?? "");
    });
  }

  async read<T>(
    key: string,
    use: (content: AsyncIterable<Uint8Array>, revision?: Revision) => Promise<T>,
  ): Promise<T | undefined> {
    const { s3 } = this.#client;
    return this.#client.run(
      "s3:GetObject",
      key,
      async (options) => {
        const { Body, ETag } = await s3.getObject(this.#client.named(key), options);
        return use((Body ?? []) as AsyncIterable<Uint8Array>, ETag);
      },
      { NoSuchKey: undefined },
    );
  }

  async send(object: NewObject, content: Content, options?: SendOptions): Promise<void> {
    await sendObject(this.#client, object, content, options);
  }

  async copy(from: string, to: string): Promise<Revision | undefined> {
    const { destination, s3 } = this.#client;
    const source = [destination.bucket, ...from.split("/")].map(encodeURIComponent).join("/");
    const copied = await this.#client.run(
      "s3:PutObject",
      to,
      (options) => s3.copyObject({ ...this.#client.named(to), CopySource: source }, options),
      { NoSuchKey: undefined },
    );
    return copied === undefined ? undefined : (copied.CopyObjectResult?.ETag ?? "");
  }

  remove(keys: readonly string[]): Promise<void> {
    return this.#removal.remove(keys);
  }

  async sign(key: string, lifeMs: number): Promise<CopyLink> {
    const { s3, sdk, context } = this.#client;
    return this.#client.run("s3:GetObject", key, async () => {
      const nowMs = context.clock.now();
      const { expiration } = await s3.config.credentials();
      const expiresIn = Math.floor(lifeMs / 1_000);
      const { getSignedUrl } = await sdk.presigner();
      const url = await getSignedUrl(s3, new sdk.s3.GetObjectCommand(this.#client.named(key)), {
        expiresIn,
        signingDate: new Date(nowMs),
      });
      context.secrets.addLink(url);
      // signatures have no milliseconds
      const endMs = Math.floor(nowMs / 1_000) * 1_000 + expiresIn * 1_000;
      return { url, expiresAtMs: Math.min(endMs, expiration?.getTime() ?? Infinity) };
    });
  }

  unfinishedUploads(prefix: string): Promise<UnfinishedUpload[]> {
    return unfinishedUploads(this.#client, prefix);
  }

  close(): void {
    this.#client.close();
  }
}
