import { BatchRemoval } from "../batchRemoval";
import type { ContainerAccess } from "./client";

/** Answers that mean that there is no such blob. */
export const ABSENT = { BlobNotFound: undefined, ResourceNotFound: undefined, "404": undefined } as const;

/** Removes blobs with their snapshots, see https://learn.microsoft.com/rest/api/storageservices/blob-batch */
export function blobRemoval(client: ContainerAccess): BatchRemoval {
  return new BatchRemoval({
    longest: 256,
    async many(names) {
      const { subResponses } = await client.run("delete", undefined, ({ abortSignal }) =>
        client.container.getBlobBatchClient().deleteBlobs(
          names.map((name) => client.blob(name)),
          { abortSignal, deleteSnapshots: "include" },
        ),
      );
      return names.filter((_, at) => ![202, 404].includes(subResponses[at]?.status ?? 0));
    },
    async one(name) {
      await client.run(
        "delete",
        name,
        ({ abortSignal }) => client.blob(name).delete({ abortSignal, deleteSnapshots: "include" }),
        ABSENT,
      );
    },
  });
}
