import type { SignedLink } from "../destination";
import type { FileHeaders } from "./fileHeaders";
import type { Store } from "./store";
import { storeFailure } from "./storeFailure";

/** User metadata of an object: the digest of its content, for those that were sent in parts. */
const DIGEST_NAME = "sha256";

/** An object as HEAD tells of it. */
export interface StoredObject {
  readonly size: number;
  readonly etag: string;
  /** Of its content, as it was sent or by the store's own checksum: hexadecimal digits. */
  readonly sha256?: string | undefined;
  /** By the store, of an object in parts: `base64-N`. */
  readonly composite?: string | undefined;
  readonly headers: Partial<FileHeaders>;
}

/** An object as a list tells of it. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAtMs: number;
}

/** What is sent. */
export interface NewObject {
  readonly key: string;
  /** Of the content: hexadecimal digits. */
  readonly sha256: string;
  readonly headers: FileHeaders;
}

/** An object, by one request; `undefined` where nothing is found, which proves nothing: a store that is asked wrongly has no other words. */
export async function headObject(store: Store, key: string): Promise<StoredObject | undefined> {
  const found = await store.run(
    "s3:GetObject",
    key,
    (options) =>
      store.client.send(
        new store.sdk.s3.HeadObjectCommand({ ...locate(store, key), ChecksumMode: "ENABLED" }),
        options,
      ),
    { "404": undefined, NoSuchKey: undefined },
  );
  if (found === undefined) return undefined;
  const checksum = found.ChecksumSHA256;
  const isComposite = checksum?.includes("-") === true;
  return {
    size: found.ContentLength ?? -1,
    etag: found.ETag ?? "",
    sha256: checksum === undefined || isComposite ? found.Metadata?.[DIGEST_NAME] : hexOf(checksum),
    ...(isComposite && { composite: checksum }),
    headers: {
      ...(found.ContentType !== undefined && { contentType: found.ContentType }),
      ...(found.CacheControl !== undefined && { cacheControl: found.CacheControl }),
    },
  };
}

/** An object's text; `undefined` where the store says that it does not exist. */
export async function readObject(store: Store, key: string): Promise<string | undefined> {
  return store.run(
    "s3:GetObject",
    key,
    async (options) => {
      const { Body } = await store.client.send(
        new store.sdk.s3.GetObjectCommand(locate(store, key)),
        options,
      );
      return (await Body?.transformToString("utf8")) ?? "";
    },
    { NoSuchKey: undefined },
  );
}

/**
 * Sends a whole object; the store checks it.
 *
 * @param onlyNew what is there already stays
 * @returns its ETag; `undefined` when something is there already
 */
export async function putObject(
  store: Store,
  object: NewObject,
  content: Buffer,
  onlyNew: boolean,
): Promise<string | undefined> {
  try {
    const answer = await store.run(
      "s3:PutObject",
      object.key,
      (options) =>
        store.client.send(
          new store.sdk.s3.PutObjectCommand({
            ...describe(store, object),
            Body: content,
            ContentLength: content.length,
            ChecksumSHA256: base64Of(object.sha256),
            ...(onlyNew && { IfNoneMatch: "*" }),
          }),
          options,
        ),
      { PreconditionFailed: undefined, "412": undefined, ConditionalRequestConflict: undefined },
    );
    return answer && (answer.ETag ?? "");
  } catch (error) {
    // A store that has it already may hang up on the one that still sends, after an answer that was lost before.
    if (!onlyNew || store.signal.aborted) throw error;
    if ((await headObject(store, object.key).catch(() => undefined)) === undefined) throw error;
    return undefined;
  }
}

/** All objects whose keys begin with a text, by key. */
export async function listObjects(store: Store, prefix: string): Promise<Map<string, ListedObject>> {
  const found = new Map<string, ListedObject>();
  let token: string | undefined;
  do {
    const page = await store.run("s3:ListBucket", undefined, (options) =>
      store.client.send(
        new store.sdk.s3.ListObjectsV2Command({
          Bucket: store.place.bucket,
          Prefix: prefix,
          ContinuationToken: token,
        }),
        options,
      ),
    );
    for (const { Key: key = "", Size: size = -1, ETag: etag = "", LastModified } of page.Contents ?? []) {
      found.set(key, { key, size, etag, modifiedAtMs: LastModified?.getTime() ?? 0 });
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return found;
}

/** Removes objects, those that are gone already included. */
export async function removeObjects(store: Store, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += 1_000) {
    const { Errors: [first] = [] } = await store.run("s3:DeleteObject", undefined, (options) =>
      store.client.send(
        new store.sdk.s3.DeleteObjectsCommand({
          Bucket: store.place.bucket,
          Delete: { Objects: keys.slice(at, at + 1_000).map((Key) => ({ Key })), Quiet: true },
        }),
        options,
      ),
    );
    if (first !== undefined) {
      const refusal = {
        name: first.Code ?? "",
        message: first.Message ?? "",
        $metadata: { httpStatusCode: 200 },
      };
      throw storeFailure(refusal, "s3:DeleteObject", store.place, first.Key);
    }
  }
}

/** A link to an object. It ends no later than the credentials that sign it. */
export async function signObject(store: Store, key: string, lifeMs: number): Promise<SignedLink> {
  return store.run("s3:GetObject", key, async () => {
    const nowMs = store.clock.now();
    const { expiration } = await store.client.config.credentials();
    const expiresIn = Math.floor(lifeMs / 1_000);
    const url = await store.sdk.presigner.getSignedUrl(
      store.client,
      new store.sdk.s3.GetObjectCommand(locate(store, key)),
      { expiresIn, signingDate: new Date(nowMs) },
    );
    // signatures know no milliseconds
    const endMs = Math.floor(nowMs / 1_000) * 1_000 + expiresIn * 1_000;
    return { url, expiresAtMs: Math.min(endMs, expiration?.getTime() ?? Infinity) };
  });
}

/** An object, as requests name it. */
export function locate({ place }: Store, key: string): { Bucket: string; Key: string } {
  return { Bucket: place.bucket, Key: key };
}

/** What the requests that make an object say of it. */
export function describe(store: Store, { key, sha256, headers }: NewObject) {
  return {
    ...locate(store, key),
    ContentType: headers.contentType,
    CacheControl: headers.cacheControl,
    Metadata: { [DIGEST_NAME]: sha256 },
  };
}

function base64Of(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}

function hexOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("hex");
}
