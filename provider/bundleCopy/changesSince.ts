import { archiveFormat } from "../archive/format";
import type { SiteLimits } from "../archive/site";
import { digestSite } from "../archive/siteDigests";
import type { CopiedFiles, Copy, Destination, DestinationContext } from "../destination/destination";
import { changesBetween, type SiteChanges } from "./siteChanges";

/** The earlier bundle had its own limits. */
const LIMITS: SiteLimits = { unpackedBytes: Number.MAX_SAFE_INTEGER, files: 10_000_000 };

/**
 * Compares a site with that of an earlier copy, which is read at the destination. It needs no stored data, so copies of all
 * versions of this package can be compared.
 *
 * @param now SHA-256 of each file of the site, by path below its root
 * @returns `undefined` if the earlier copy is gone or cannot be read: that is reported, and does not fail the publication
 * @throws the signal's reason
 */
export async function changesSince(
  before: Copy,
  now: ReadonlyMap<string, string>,
  destination: Destination,
  context: DestinationContext,
): Promise<SiteChanges | undefined> {
  const { reporter, signal } = context;
  try {
    reporter.progress(`comparing with ${before.uri}`);
    const files = await filesOf(before, destination, context);
    if (files) return changesBetween(before.uri, files, now);
    reporter.info(`${before.uri} is gone: the changes since then are unknown`);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    reporter.warn(
      `${before.uri} cannot be read, so the output \`changes\` is not set. The copy is made. ${reason}`,
    );
  }
  return undefined;
}

async function filesOf(
  copy: Copy,
  destination: Destination,
  context: DestinationContext,
): Promise<CopiedFiles | undefined> {
  const content = await destination.read(copy, context);
  if (content === undefined || "files" in content) return content;
  const { archive: path } = content;
  const bundle = { path, format: await archiveFormat(path), sha256: copy.sha256 };
  return { files: await digestSite(bundle, LIMITS, context) };
}
