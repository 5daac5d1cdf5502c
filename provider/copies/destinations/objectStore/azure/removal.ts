import { batchRemoval } from "../batchRemoval";
import { unlessFailed } from "../storeError";
import type { ContainerClient } from "./client";

/** Removes blobs with their snapshots, see https://learn.microsoft.com/rest/api/storageservices/blob-batch */
export function blobRemoval({ container, blob, run }: ContainerClient) {
  const deleteSnapshots = "include";
  return batchRemoval({
    longest: 256,
    async many(names) {
      const { subResponses } = await run({ action: "delete" }, ({ abortSignal }) =>
        container.getBlobBatchClient().deleteBlobs(names.map(blob), { abortSignal, deleteSnapshots }),
      );
      return names.filter((_, at) => ![202, 404].includes(subResponses[at]?.status ?? 0));
    },
    async one(key) {
      const removal = run({ action: "delete", key }, ({ abortSignal }) =>
        blob(key).delete({ abortSignal, deleteSnapshots }),
      );
      await unlessFailed(removal, "missing");
    },
  });
}
