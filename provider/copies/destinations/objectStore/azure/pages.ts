import { readPages } from "../pages";
import { containerUri } from "./inputs";
import type { ContainerAccess } from "./client";
import type { BlobItem, ListOptions } from "./sdk";

/** Blobs of one page of a list, at most. */
const PAGE_SIZE = 5_000;

/** The blobs that a list has. @param atMost ends it after so many. @default all */
export async function listBlobs(
  client: ContainerAccess,
  options: ListOptions,
  atMost = Infinity,
): Promise<BlobItem[]> {
  const found: BlobItem[] = [];
  await readPages(containerUri(client.inputs), async (continuationToken) => {
    const page = await client.run("list", undefined, async ({ abortSignal }) => {
      const maxPageSize = Math.min(atMost, PAGE_SIZE);
      const pages = client.container
        .listBlobsFlat({ ...options, abortSignal })
        .byPage({ maxPageSize, ...(continuationToken !== undefined && { continuationToken }) });
      for await (const first of pages) return first;
      return undefined;
    });
    if (page === undefined) return undefined;
    found.push(...page.segment.blobItems);
    return found.length >= atMost ? undefined : page.continuationToken || undefined;
  });
  return found;
}
