import { inParallel } from "../../../../runtime/concurrency/inParallel";
import { CONCURRENCY } from "../objectStore";
import { StoreError } from "../storeError";
import type { ContainerAccess } from "./client";

/** See https://learn.microsoft.com/rest/api/storageservices/blob-batch */
const LONGEST_BATCH = 256;
/** How many batches are removed concurrently. */
const CONCURRENT_BATCHES = 4;

/** Answers that mean that there is no such blob. */
export const ABSENT = { BlobNotFound: undefined, ResourceNotFound: undefined, "404": undefined } as const;

/** Removes blobs with their snapshots: 256 with one request, and one by one those that stay. */
export async function removeBlobs(client: ContainerAccess, names: readonly string[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(names.length / LONGEST_BATCH) }, (_, at) =>
    names.slice(at * LONGEST_BATCH, (at + 1) * LONGEST_BATCH),
  );
  const left: string[] = [];
  await inParallel(batches, CONCURRENT_BATCHES, async (batch) => {
    left.push(...(batch.length > 1 ? await removeBatch(client, batch) : batch));
  });
  await inParallel(left, CONCURRENCY, async (name) => {
    await client.run(
      "delete",
      name,
      ({ abortSignal }) => client.blob(name).delete({ abortSignal, deleteSnapshots: "include" }),
      ABSENT,
    );
  });
}

/** @returns the blobs that were not removed, for whatever reason: a request for one blob tells it */
async function removeBatch(client: ContainerAccess, names: readonly string[]): Promise<readonly string[]> {
  try {
    const { subResponses } = await client.run("delete", undefined, ({ abortSignal }) =>
      client.container.getBlobBatchClient().deleteBlobs(
        names.map((name) => client.blob(name)),
        { abortSignal, deleteSnapshots: "include" },
      ),
    );
    return names.filter((_, at) => ![202, 404].includes(subResponses[at]?.status ?? 0));
  } catch (error) {
    // a token or an account may not permit batches
    if (!(error instanceof StoreError) || error.failure === "busy" || error.status === undefined) throw error;
    return names;
  }
}
