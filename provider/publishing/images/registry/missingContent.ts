import { inParallel } from "../../../base/runtime/concurrency/inParallel";
import { isDigest } from "../../../base/runtime/values/digest";
import { lacksBlob } from "./blobs";
import type { RegistryClient } from "./client";
import { fieldsOf, listIn } from "./content";
import { getManifest } from "./manifests";

/** How many requests are sent concurrently. */
const CONCURRENCY = 3;

/**
 * Finds what a repository lacks of manifests and of all that they name: manifests of an index, configurations and layers. A registry can
 * lose a layer and keep the manifest that names it: a node cannot pull such an image.
 *
 * @param manifests digests
 * @returns digests. Content about which the registry gives no reply is not among them
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function missingContent(
  client: RegistryClient,
  manifests: readonly string[],
): Promise<string[]> {
  const missing: string[] = [];
  const blobs = new Set<string>();
  const seen = new Set(manifests);
  // a set also visits what is added meanwhile
  for (const digest of seen) {
    const manifest = await getManifest(client, digest);
    if (manifest === undefined) {
      missing.push(digest);
      continue;
    }
    const { config } = fieldsOf(manifest.bytes);
    for (const each of listIn(manifest.bytes, "manifests")) add(seen, each);
    for (const each of [config, ...listIn(manifest.bytes, "layers")]) add(blobs, each);
  }
  await inParallel(blobs, CONCURRENCY, async (digest) => {
    if (await lacksBlob(client, digest)) missing.push(digest);
  });
  return missing;
}

function add(digests: Set<string>, descriptor: unknown): void {
  const { digest } = fieldsOf(descriptor);
  if (isDigest(digest)) digests.add(digest);
}
