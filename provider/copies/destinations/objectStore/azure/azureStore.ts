import type { Readable } from "node:stream";
import { DestinationError } from "../../../../runtime/messages/errors";
import type { CopyLink } from "../../destination";
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
import type { ContainerAccess } from "./client";
import { addressOf, containerUri, LONGEST_NAME } from "./inputs";
import { listBlobs } from "./pages";
import { ABSENT, blobRemoval } from "./removal";
import { signedLink } from "./link";
import { DISCARDED, revisionOf, sendBlob, unfinishedUploads } from "./upload";

/** How often the service is asked whether a copy is complete, in milliseconds: most are at once. */
const COPY_INTERVAL_MS = 500;

/** A container of Azure Blob Storage. The revision of a blob is its ETag, without the quotes that only some answers have. */
export class AzureStore implements ObjectStore {
  readonly longestKeyBytes = LONGEST_NAME;
  readonly #client: ContainerAccess;
  readonly #removal: BatchRemoval;
  #isHierarchical: Promise<boolean> | undefined;

  constructor(client: ContainerAccess) {
    this.#client = client;
    this.#removal = blobRemoval(client);
  }

  get uri(): string {
    return containerUri(this.#client.inputs);
  }

  /** Accounts with a hierarchical namespace have real folders. */
  async hasKeysBesideFolders(): Promise<boolean> {
    return !(await this.#hasFolders());
  }

  #hasFolders(): Promise<boolean> {
    // who may not ask has an account of the usual kind, as far as can be known
    this.#isHierarchical ??= this.#client
      .run("read", undefined, ({ abortSignal }) => this.#client.container.getAccountInfo({ abortSignal }))
      .then(
        ({ isHierarchicalNamespaceEnabled = false }) => isHierarchicalNamespaceEnabled,
        (error: unknown) => {
          this.#client.context.signal.throwIfAborted();
          if (error instanceof DestinationError) return false;
          throw error;
        },
      );
    return this.#isHierarchical;
  }

  addressOf(key: string): Promise<string> {
    return Promise.resolve(addressOf(this.#client.inputs, key));
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const found = await this.#client.run(
      "read",
      key,
      ({ abortSignal }) => this.#client.blob(key).getProperties({ abortSignal }),
      ABSENT,
    );
    if (found === undefined || found.contentType === DISCARDED) return undefined;
    return {
      size: found.contentLength ?? -1,
      revision: revisionOf(found.etag),
      sha256: found.metadata?.[DIGEST_NAME],
      headers: {
        contentType: found.contentType,
        cacheControl: found.cacheControl,
        ...(found.contentEncoding && { contentEncoding: found.contentEncoding }),
      },
    };
  }

  async list(prefix: string, onObject: (object: ListedObject) => void, atMost?: number): Promise<void> {
    let listed = await listBlobs(this.#client, { prefix }, atMost);
    // it may have folders, which only their metadata tells from empty blobs
    const isUnsure = listed.some(({ properties }) => properties.contentLength === 0);
    if (isUnsure && (await this.#hasFolders()))
      listed = await listBlobs(this.#client, { prefix, includeMetadata: true }, atMost);
    for (const { name, properties, metadata } of listed) {
      if (properties.contentType === DISCARDED || metadata?.["hdi_isfolder"] === "true") continue;
      onObject({
        key: name,
        size: properties.contentLength ?? -1,
        revision: revisionOf(properties.etag),
        modifiedAtMs: properties.lastModified.getTime(),
      });
    }
  }

  async read<T>(
    key: string,
    use: (content: AsyncIterable<Uint8Array>, revision?: Revision) => Promise<T>,
  ): Promise<T | undefined> {
    const found = await this.#client.run(
      "read",
      key,
      // its signal lives as long as the content: it is the operation's
      () => this.#client.blob(key).download(0, undefined, { abortSignal: this.#client.context.signal }),
      ABSENT,
    );
    const body = found?.readableStreamBody as Readable | undefined;
    if (found === undefined || body === undefined) return undefined;
    if (found.contentType === DISCARDED) return void body.destroy();
    return use(this.#client.watched(body, key), revisionOf(found.etag));
  }

  send(object: NewObject, content: Content, options?: SendOptions): Promise<void> {
    return sendBlob(this.#client, object, content, options);
  }

  async copy(from: string, to: string): Promise<Revision | undefined> {
    const source = this.#client.blob(from).url; // with the SAS token, if there is one
    try {
      await this.#client.run("write", to, async ({ abortSignal }) => {
        const options = { abortSignal, intervalInMs: COPY_INTERVAL_MS };
        await (await this.#client.blob(to).beginCopyFromURL(source, options)).pollUntilDone();
      });
    } catch (error) {
      this.#client.context.signal.throwIfAborted();
      if ((await this.head(from)) === undefined) return undefined;
      throw error;
    }
    return (await this.head(to))?.revision;
  }

  async remove(keys: readonly string[]): Promise<void> {
    await this.#removal.remove(keys);
    if (keys.length > 0 && (await this.#hasFolders())) await this.#removeEmptyFolders(keys);
  }

  /** Removes the folders that only a hierarchical namespace has, the deepest first. Others are in those that stay. */
  async #removeEmptyFolders(keys: readonly string[]): Promise<void> {
    const { prefix = "" } = this.#client.inputs;
    const folders = new Set<string>();
    for (const key of keys) {
      for (let at = key.lastIndexOf("/"); at > 0 && at >= prefix.length; at = key.lastIndexOf("/", at - 1))
        folders.add(key.slice(0, at));
    }
    const deepestFirst = [...folders].sort((one, other) => other.split("/").length - one.split("/").length);
    for (const folder of deepestFirst) {
      await this.#client.run(
        "delete",
        folder,
        ({ abortSignal }) => this.#client.blob(folder).delete({ abortSignal }),
        { ...ABSENT, DirectoryIsNotEmpty: undefined, ResourceTypeMismatch: undefined },
      );
    }
  }

  sign(key: string, lifeMs: number): Promise<CopyLink> {
    return signedLink(this.#client, key, lifeMs);
  }

  unfinishedUploads(prefix: string): Promise<UnfinishedUpload[]> {
    return unfinishedUploads(this.#client, prefix);
  }

  close(): void {
    // idle connections of the SDK do not keep the process alive
  }
}
