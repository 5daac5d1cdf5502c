import { archiveFormat } from "../archives/format";
import type { SiteLimits } from "../archives/siteSink";
import { digestSite } from "../inspection/siteDigests";
import type {
  ChangedFiles,
  CopiedFiles,
  Copy,
  Destination,
  DestinationContext,
  SiteChanges,
} from "./destination";

/** The maximum number of paths that each list of changes has. */
const MAX_CHANGED_PATHS = 100;

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
  destination: Pick<Destination, "read">,
  context: DestinationContext,
): Promise<SiteChanges | undefined> {
  const { reporter, signal } = context;
  try {
    reporter.progress(`comparing with ${before.uri}`);
    const content = await destination.read(before, context);
    if (content === undefined) {
      reporter.info(`${before.uri} is gone: the changes since then are unknown`);
      return undefined;
    }
    if ("files" in content) return changesBetween(before.uri, content, now);
    const { archive: path } = content;
    const bundle = { path, format: await archiveFormat(path), sha256: before.sha256 };
    return changesBetween(before.uri, { files: await digestSite(bundle, LIMITS, context) }, now);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    reporter.warn(
      `${before.uri} cannot be read, so the output \`changes\` is not set. The copy is made. ${reason}`,
    );
    return undefined;
  }
}

/** Compares the files of two sites. @param since the URI of the copy before */
function changesBetween(
  since: string,
  { files: before, derived }: CopiedFiles,
  now: ReadonlyMap<string, string>,
): SiteChanges {
  const added: string[] = [];
  const changed: string[] = [];
  for (const [path, sha256] of now) {
    const earlier = before.get(path);
    if (earlier === undefined) added.push(path);
    else if (earlier !== sha256) changed.push(path);
  }
  const removed = before.keys().filter((path) => !now.has(path) && derived?.has(path) !== true);
  return { since, added: listOf(added), changed: listOf(changed), removed: listOf([...removed]) };
}

/** The changes of a copy with the same site. */
export function noChanges(since: string): SiteChanges {
  return changesBetween(since, { files: new Map() }, new Map());
}

function listOf(paths: string[]): ChangedFiles {
  return { count: paths.length, paths: paths.sort().slice(0, MAX_CHANGED_PATHS) };
}
