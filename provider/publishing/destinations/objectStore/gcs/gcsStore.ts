import type { DestinationContext, DraftingDestination } from "../../destination";
import { bucketDestination } from "../bucketDestination";
import type { StoredHeaders } from "../fileHeaders";
import { DIGEST_NAME, type ObjectStore } from "../objectStore";
import { readPagedList } from "../pagedList";
import { signedLink } from "../signedLink";
import { StoreError, unlessFailed } from "../storeError";
import { NO_STORE_CODE } from "../storeFailure";
import { gcsClient } from "./client";
import { brokenObjectRule, gcsBucketUri, type GcsInputs } from "./inputs";
import { gcsRemoval } from "./removal";
import { type GcsSdk, loadGcsSdk } from "./sdk";
import { sendGcsObject } from "./upload";

/** How long a signature by Google's own key is valid at least: Google changes these keys. */
const MANAGED_SIGNATURE_MS = 12 * 3_600_000;
const HEADERS = "contentType,cacheControl,contentEncoding,contentDisposition";
const ENTRY = `name,size,generation,timeCreated,${HEADERS}`;
const DESCRIPTION = `size,generation,${HEADERS},metadata`;

/**
 * Copies in a bucket of Google Cloud Storage. Google's library finds the credentials as Google's own tools do.
 *
 * @param inputs that the rules of {@link GcsInputs} accept
 */
export const gcsDestination = (inputs: GcsInputs): DraftingDestination =>
  bucketDestination(inputs, gcsBucketUri(inputs), openGcs);

/**
 * Connects to a bucket of Google Cloud Storage. The revision of an object is its generation.
 *
 * @throws ConfigurationError if the library is not installed
 */
export async function openGcs(
  inputs: GcsInputs,
  context: DestinationContext,
  loading: Promise<GcsSdk> = loadGcsSdk(),
): Promise<ObjectStore> {
  const client = gcsClient(inputs, await loading, context);
  const { uri, endpoint, storage, json, send, notAnswered } = client;

  const head: ObjectStore["head"] = async (key) => {
    const request = {
      action: "storage.objects.get",
      key,
      method: "GET",
      url: client.object(key, { fields: DESCRIPTION }),
    } as const;
    const found = await unlessFailed(json(request), "missing");
    if (found === undefined) return undefined;
    const { size, generation } = found as Record<string, string | undefined>;
    if (generation === undefined) throw notAnswered(request);
    const sha256 = (found["metadata"] as Record<string, string> | undefined)?.[DIGEST_NAME];
    const headers = headersIn(found as Record<string, string | undefined>);
    return { size: Number(size), revision: generation, sha256, headers };
  };

  return {
    uri,
    /** See https://cloud.google.com/storage/docs/objects#naming */
    longestKeyBytes: 1_024,
    brokenRule: brokenObjectRule,

    /** Also in a bucket with a hierarchical namespace: the name of a folder ends with a slash, that of an object does not. */
    hasKeysBesideFolders: () => Promise.resolve(true),

    addressOf(key) {
      const path = encodeURIComponent(key).replaceAll("%2F", "/");
      return Promise.resolve(`${endpoint}/${inputs.gcsBucket}/${path}`);
    },

    head,

    async list(prefix, onObject, atMost = Infinity) {
      let found = 0;
      /** Few different ones, of many objects. */
      const known = new Map<string, StoredHeaders>();
      await readPagedList(uri, async (pageToken) => {
        const url = client.object(undefined, {
          prefix,
          pageToken,
          fields: `kind,items(${ENTRY}),nextPageToken`,
          ...(atMost < Infinity && { maxResults: String(atMost) }),
        });
        const request = { action: "storage.objects.list", isOfBucket: true, method: "GET", url } as const;
        const page = await json(request);
        // an empty list has nothing else
        if (!String(page["kind"]).startsWith("storage#")) throw notAnswered(request);
        for (const item of listOf(page["items"])) {
          const { name = "", size, generation = "", timeCreated = "" } = item;
          const headers = headersIn(item);
          const text = JSON.stringify(headers);
          if (!known.has(text)) known.set(text, headers);
          onObject({
            key: name,
            size: Number(size),
            revision: generation,
            modifiedAtMs: Date.parse(timeCreated) || 0,
            headers: known.get(text) ?? headers,
          });
          found++;
        }
        const next = page["nextPageToken"];
        return typeof next === "string" && next !== "" && found < atMost ? next : undefined;
      });
    },

    async read(key, use) {
      const url = client.object(key, { alt: "media" });
      // otherwise the store decompresses what was compressed before it was sent
      const headers = { "accept-encoding": "gzip" };
      const reading = send(
        { action: "storage.objects.get", key, method: "GET", url, headers, isRaw: true },
        (reply) => use(reply.content(), reply.headers.get("x-goog-generation") ?? undefined),
      );
      try {
        return await unlessFailed(reading, "missing");
      } catch (error) {
        // a store may give no reason here: its reply to the question for the description has one
        const isUnsaid = error instanceof StoreError && error.code === NO_STORE_CODE && error.status === 404;
        if (isUnsaid && (await head(key)) === undefined) return undefined;
        throw error;
      }
    },

    send: (object, content, options) => sendGcsObject(client, object, content, options),

    remove: gcsRemoval(client, head),

    /** See https://cloud.google.com/storage/docs/access-control/signed-urls: signed here with a private key, otherwise by IAM. */
    sign: (key, lifeMs) =>
      client.authenticated(async () => {
        const { private_key: privateKey } = await storage.authClient.getCredentials();
        return signedLink(context, lifeMs, async (accessibleAt, expires) => {
          const file = storage.bucket(inputs.gcsBucket).file(key);
          const [url] = await file.getSignedUrl({ version: "v4", action: "read", accessibleAt, expires });
          return { url, latestMs: privateKey ? Infinity : accessibleAt + MANAGED_SIGNATURE_MS };
        });
      }),

    /** None: the store does not list its sessions, does not bill them, and ends them after a week. */
    unfinishedUploads: () => Promise.resolve([]),

    close: () => client.close(),
  };
}

const listOf = (value: unknown): readonly Readonly<Record<string, string | undefined>>[] =>
  Array.isArray(value) ? (value as Readonly<Record<string, string>>[]) : [];

/** The headers of an object, of which the store names those that are set. */
function headersIn(object: Readonly<Record<string, string | undefined>>): StoredHeaders {
  const { contentType, cacheControl, contentEncoding, contentDisposition } = object;
  return {
    contentType,
    cacheControl,
    ...(contentEncoding && { contentEncoding }),
    ...(contentDisposition && { contentDisposition }),
  };
}
