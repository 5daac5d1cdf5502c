import { readPagedList } from "../pagedList";
import type { ContainerClient } from "./client";
import { containerUri } from "./inputs";
import type { BlobItem, ListOptions } from "./sdk";

/** Blobs of one page of a list, at most. */
const PAGE_SIZE = 5_000;

/** The blobs that a list has. @param atMost ends it after so many. @default all */
export async function listBlobs(
  { inputs, container, run }: ContainerClient,
  options: ListOptions,
  atMost: number = Infinity,
): Promise<BlobItem[]> {
  const found: BlobItem[] = [];
  await readPagedList(containerUri(inputs), async (continuationToken) => {
    const page = await run({ action: "list" }, async ({ abortSignal }) => {
      const maxPageSize = Math.min(atMost, PAGE_SIZE);
      const pages = container
        .listBlobsFlat({ ...options, abortSignal })
        .byPage({ maxPageSize, ...(continuationToken !== undefined && { continuationToken }) });
      const first = await pages.next();
      return first.done ? undefined : first.value;
    });
    if (page === undefined) return undefined;
    found.push(...page.segment.blobItems);
    return found.length >= atMost ? undefined : page.continuationToken || undefined;
  });
  return found;
}
