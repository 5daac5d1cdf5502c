import type { Readable } from "node:stream";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import type { DestinationContext, DraftingDestination } from "../../destination";
import { batchRemoval } from "../batchRemoval";
import { bucketDestination } from "../bucketDestination";
import { DIGEST_NAME, type ObjectStore } from "../objectStore";
import { unlessFailed } from "../storeError";
import { containerClient } from "./client";
import { findAccess } from "./credentials";
import { isMissingBlob } from "./failure";
import { type AzureContainerInputs, blobAddress, brokenBlobRule, containerUri, LONGEST_NAME } from "./inputs";
import { blobLink } from "./link";
import { listBlobs } from "./listBlobs";
import { type BatchReply, loadBlobs } from "./sdk";
import { DISCARDED, revisionOf, sendBlob, unfinishedBlobs } from "./upload";

/**
 * Copies in a container of Azure Blob Storage.
 *
 * @param inputs that the rules of {@link AzureContainerInputs} accept
 */
export const azureDestination = (inputs: AzureContainerInputs): DraftingDestination =>
  bucketDestination(inputs, containerUri(inputs), openAzure);

/**
 * Connects to a container of Azure Blob Storage. The revision of a blob is its ETag, without the quotes that only some replies have.
 *
 * @throws ConfigurationError if the SDK is not installed, or the environment contradicts the inputs
 */
export async function openAzure(
  inputs: AzureContainerInputs,
  context: DestinationContext,
): Promise<ObjectStore> {
  const sdk = await loadBlobs();
  const client = containerClient(inputs, sdk, await findAccess(inputs, context, sdk), context);
  const { container, blob, run } = client;

  const deleteSnapshots = "include";
  /** Removes blobs with their snapshots, see https://learn.microsoft.com/rest/api/storageservices/blob-batch */
  const removeBlobs = batchRemoval({
    longest: 256,
    async many(names) {
      const { subResponses } = await run({ action: "delete" }, ({ abortSignal }) =>
        container.getBlobBatchClient().deleteBlobs(names.map(blob), { abortSignal, deleteSnapshots }),
      );
      return names.filter((_, at) => !isGone(subResponses[at]));
    },
    async one(key) {
      const removal = run({ action: "delete", key }, ({ abortSignal }) =>
        blob(key).delete({ abortSignal, deleteSnapshots }),
      );
      await unlessFailed(removal, "missing");
    },
  });

  let isHierarchical: Promise<boolean> | undefined;
  const hasFolders = (): Promise<boolean> =>
    (isHierarchical ??= run({ action: "read" }, (options) => container.getAccountInfo(options)).then(
      ({ isHierarchicalNamespaceEnabled = false }) => isHierarchicalNamespaceEnabled,
      (error: unknown) => {
        context.signal.throwIfAborted();
        // who may not ask has an account of the usual kind, as far as can be known
        if (error instanceof DestinationError) return false;
        throw error;
      },
    ));

  /** Removes the folders that only a hierarchical namespace has, the deepest first. Others are in those that stay. */
  const removeEmptyFolders = async (keys: readonly string[]): Promise<void> => {
    const { prefix = "" } = inputs;
    const folders = new Set<string>();
    for (const key of keys) {
      for (let at = key.lastIndexOf("/"); at > 0 && at >= prefix.length; at = key.lastIndexOf("/", at - 1)) {
        folders.add(key.slice(0, at));
      }
    }
    const deepestFirst = [...folders].sort((one, other) => other.split("/").length - one.split("/").length);
    for (const key of deepestFirst) {
      const removal = run({ action: "delete", key }, ({ abortSignal }) => blob(key).delete({ abortSignal }));
      await unlessFailed(removal, "missing", "DirectoryIsNotEmpty", "ResourceTypeMismatch");
    }
  };

  const head: ObjectStore["head"] = async (key) => {
    const found = await unlessFailed(
      run({ action: "read", key }, ({ abortSignal }) => blob(key).getProperties({ abortSignal })),
      "missing",
    );
    if (found !== undefined && found.etag === undefined) throw client.notAnswered({ action: "read", key });
    if (found === undefined || found.contentType === DISCARDED) return undefined;
    return {
      size: found.contentLength ?? -1,
      revision: revisionOf(found.etag),
      sha256: found.metadata?.[DIGEST_NAME],
      headers: {
        contentType: found.contentType,
        cacheControl: found.cacheControl,
        ...(found.contentEncoding && { contentEncoding: found.contentEncoding }),
        ...(found.contentDisposition && { contentDisposition: found.contentDisposition }),
      },
    };
  };

  return {
    uri: containerUri(inputs),
    longestKeyBytes: LONGEST_NAME,
    brokenRule: brokenBlobRule,
    keepsTier: true,
    revisionCoversHeaders: true,

    /** Accounts with a hierarchical namespace have real folders. */
    hasKeysBesideFolders: async () => !(await hasFolders()),

    addressOf: (key) => Promise.resolve(blobAddress(inputs, key)),

    head,

    async list(prefix, onObject, atMost) {
      let listed = await listBlobs(client, { prefix }, atMost);
      // it may have folders, which only their metadata tells from empty blobs
      const isUnsure = listed.some(({ properties }) => properties.contentLength === 0);
      if (isUnsure && (await hasFolders())) {
        listed = await listBlobs(client, { prefix, includeMetadata: true }, atMost);
      }
      for (const { name, properties, metadata } of listed) {
        if (properties.contentType === DISCARDED || metadata?.["hdi_isfolder"] === "true") continue;
        onObject({
          key: name,
          size: properties.contentLength ?? -1,
          revision: revisionOf(properties.etag),
          modifiedAtMs: properties.lastModified.getTime(),
          ...(properties.accessTier === "Archive" && { archiveTier: "Archive" }),
        });
      }
    },

    async read(key, use) {
      // its signal lives as long as the content: it is the operation's
      const abortSignal = context.signal;
      const found = await unlessFailed(
        run({ action: "read", key }, () => blob(key).download(0, undefined, { abortSignal })),
        "missing",
      );
      const body = found?.readableStreamBody as Readable | undefined;
      if (found === undefined || body === undefined) return undefined;
      if (found.contentType === DISCARDED) return void body.destroy();
      if (found.etag === undefined) {
        body.destroy();
        throw client.notAnswered({ action: "read", key });
      }
      return use(client.watched(body, key), revisionOf(found.etag));
    },

    send: (object, content, options) => sendBlob(client, object, content, options),

    async remove(keys) {
      await removeBlobs(keys);
      if (keys.length > 0 && (await hasFolders())) await removeEmptyFolders(keys);
    },

    sign: (key, lifeMs) => blobLink(client, key, lifeMs),

    unfinishedUploads: (prefix) => unfinishedBlobs(client, prefix),

    close: () => undefined, // idle connections of the SDK do not keep the process alive
  };
}

/** Whether a part of a batch's reply says that a blob is removed or was not there. A 404 without the service's code says neither. */
const isGone = ({ status, headers }: Partial<BatchReply> = {}): boolean =>
  status === 202 || (status === 404 && isMissingBlob(headers?.get("x-ms-error-code")));
