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
import { type Fields, GcsClient, unlessMissing } from "./client";
import type { GcsInputs } from "./inputs";
import { readPages } from "../pages";
import { objectRemoval } from "./removal";
import type { Sdk } from "./sdk";
import { sendObject } from "./upload";

/** How long a signature by Google's own key is valid at least: Google changes these keys. */
const MANAGED_SIGNATURE_MS = 12 * 3_600_000;
const ENTRY = "name,size,generation,timeCreated";
const DESCRIPTION = "size,generation,contentType,cacheControl,contentEncoding,metadata";

/** A bucket of Google Cloud Storage. The revision of an object is its generation. */
export class GcsStore implements ObjectStore {
  /** See https://cloud.google.com/storage/docs/objects#naming */
  readonly longestKeyBytes = 1_024;
  readonly #client: GcsClient;
  readonly #removal: BatchRemoval;

  constructor(inputs: GcsInputs, sdk: Sdk, context: DestinationContext) {
    this.#client = new GcsClient(inputs, sdk, context);
    this.#removal = objectRemoval(this.#client);
  }

  get uri(): string {
    return this.#client.uri;
  }

  /** Also in a bucket with a hierarchical namespace: the name of a folder ends with a slash, that of an object does not. */
  hasKeysBesideFolders(): Promise<boolean> {
    return Promise.resolve(true);
  }

  addressOf(key: string): Promise<string> {
    const { endpoint, inputs } = this.#client;
    const path = encodeURIComponent(key).replaceAll("%2F", "/");
    return Promise.resolve(`${endpoint}/${inputs.gcsBucket}/${path}`);
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const url = this.#client.object(key, { fields: DESCRIPTION });
    const found = await unlessMissing(
      this.#client.json({ action: "storage.objects.get", key, method: "GET", url }),
    );
    if (found === undefined) return undefined;
    const { size, generation, contentType, cacheControl, contentEncoding } = found as Record<string, string>;
    const sha256 = (found["metadata"] as Record<string, string> | undefined)?.[DIGEST_NAME];
    return {
      ...{ size: Number(size), revision: generation ?? "", sha256 },
      headers: { contentType, cacheControl, ...(contentEncoding && { contentEncoding }) },
    };
  }

  async list(prefix: string, onObject: (object: ListedObject) => void, atMost = Infinity): Promise<void> {
    let found = 0;
    await readPages(this.uri, async (pageToken) => {
      const url = this.#client.object(undefined, {
        ...{ prefix, pageToken, fields: `items(${ENTRY}),nextPageToken` },
        ...(atMost < Infinity && { maxResults: String(atMost) }),
      });
      const page = await this.#client.json({
        ...{ action: "storage.objects.list", isOfBucket: true, method: "GET", url },
      });
      for (const { name = "", size, generation = "", timeCreated = "" } of listOf(page["items"])) {
        const modifiedAtMs = Date.parse(timeCreated) || 0;
        onObject({ key: name, size: Number(size), revision: generation, modifiedAtMs });
        found++;
      }
      const next = page["nextPageToken"];
      return typeof next === "string" && next !== "" && found < atMost ? next : undefined;
    });
  }

  read<T>(
    key: string,
    use: (content: AsyncIterable<Uint8Array>, revision?: Revision) => Promise<T>,
  ): Promise<T | undefined> {
    const url = this.#client.object(key, { alt: "media" });
    // otherwise the store decompresses what was compressed before it was sent
    const headers = { "accept-encoding": "gzip" };
    return unlessMissing(
      this.#client.send(
        { action: "storage.objects.get", key, method: "GET", url, headers, isRaw: true },
        (reply) => use(reply.content(), reply.headers.get("x-goog-generation") ?? undefined),
      ),
    );
  }

  send(object: NewObject, content: Content, options?: SendOptions): Promise<void> {
    return sendObject(this.#client, object, content, options);
  }

  /** See https://cloud.google.com/storage/docs/json_api/v1/objects/rewrite: a large object needs several requests. */
  async copy(from: string, to: string): Promise<Revision | undefined> {
    const { inputs } = this.#client;
    let rewriteToken: string | undefined;
    for (;;) {
      const url = this.#client.object(from, { rewriteToken }, "rewriteTo", "b", inputs.gcsBucket, "o", to);
      const answer: Fields | undefined = await unlessMissing(
        this.#client.json({ action: "storage.objects.create", key: to, method: "POST", url }),
      );
      if (answer === undefined) return undefined;
      const { done, rewriteToken: next, resource } = answer;
      if (done !== false) return (resource as { generation?: string } | undefined)?.generation ?? "";
      rewriteToken = String(next);
    }
  }

  remove(keys: readonly string[]): Promise<void> {
    return this.#removal.remove(keys);
  }

  /** See https://cloud.google.com/storage/docs/access-control/signed-urls: signed here with a private key, otherwise by IAM. */
  async sign(key: string, lifeMs: number): Promise<CopyLink> {
    const { storage, inputs, context } = this.#client;
    return this.#client.authenticated(async () => {
      const { private_key: privateKey } = await storage.authClient.getCredentials();
      const nowMs = Math.floor(context.clock.now() / 1_000) * 1_000; // signatures have no milliseconds
      const endMs = nowMs + Math.floor(lifeMs / 1_000) * 1_000;
      const [url] = await storage
        .bucket(inputs.gcsBucket)
        .file(key)
        .getSignedUrl({ version: "v4", action: "read", accessibleAt: nowMs, expires: endMs });
      context.secrets.addLink(url);
      return { url, expiresAtMs: privateKey ? endMs : Math.min(endMs, nowMs + MANAGED_SIGNATURE_MS) };
    });
  }

  /** None: the store does not list its sessions, does not bill them, and ends them after a week. */
  unfinishedUploads(): Promise<UnfinishedUpload[]> {
    return Promise.resolve([]);
  }

  close(): void {
    this.#client.close();
  }
}

const listOf = (value: unknown): readonly Readonly<Record<string, string | undefined>>[] =>
  Array.isArray(value) ? (value as Readonly<Record<string, string>>[]) : [];
