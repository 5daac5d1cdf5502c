import { createHash } from "node:crypto";
import type { Reporter } from "../../base/runtime/messages/reporter";
import type { DigestingSink, SiteFile, SiteLimits } from "../archives/siteSink";
import { type BundleFile, inspectBundle, unpackBundle } from "./bundle";

/** Computes the SHA-256 of each file of a site. */
export class SiteDigests implements DigestingSink {
  readonly #files = new Map<string, string>();

  async file({ path }: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash("sha256");
    for await (const piece of content) hash.update(piece);
    this.#files.set(path, hash.digest("hex"));
  }

  digests(): ReadonlyMap<string, string> {
    return this.#files;
  }
}

/**
 * Reads the site in an archive, by the rules for every bundle.
 *
 * @returns the SHA-256 of each file, by its path below the site's root
 * @throws BundleRefusedError; the signal's reason; the error of the file system
 */
export async function digestSite(
  bundle: BundleFile,
  limits: SiteLimits,
  context: { readonly signal: AbortSignal; readonly reporter: Reporter },
): Promise<ReadonlyMap<string, string>> {
  const { root, leftOut } = await inspectBundle(bundle, limits, context);
  const digests = new SiteDigests();
  await unpackBundle(bundle, limits, digests, { signal: context.signal, root, leftOut });
  return digests.digests();
}
