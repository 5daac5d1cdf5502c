import { BundleRefusedError } from "../../base/runtime/messages/errors";
import { firstOf } from "../../base/runtime/messages/firstOf";
import { formatBytes } from "../../base/runtime/messages/formatBytes";
import type { Reporter } from "../../base/runtime/messages/reporter";
import {
  type Bundle,
  forPacker,
  inspectBundle,
  type Inspection,
  isNotInspected,
  shown,
  type SiteAdditions,
} from "../../publishing/index";
import type { LimitedContext } from "../../resource/withinLimit";
import type { BundleRequirements } from "./requirements";

/** How many files that are left out are named. */
const MAX_SHOWN = 8;
/** How many names that Windows cannot store are named: there may be thousands. */
const MAX_ON_WINDOWS = 2;

/**
 * Inspects a bundle and checks it against its requirements. What it loads from other hosts is not checked yet if that is to be fetched.
 *
 * @throws BundleRefusedError; the signal's reason
 */
export function inspect(
  context: LimitedContext,
  demands: BundleRequirements & SiteAdditions,
  bundle: Bundle,
): Promise<Inspection> {
  const { reporter, tracer } = context;
  return tracer.span("docs_hosting.bundle.inspect", {}, async () => {
    reporter.progress(`inspecting ${formatBytes(bundle.size)}`);
    const read = (): Promise<Inspection> => inspectBundle(bundle, demands.limits, context);
    // a bundle that no job exported was packed by its owner
    const inspection = await (bundle.jobId === undefined ? forPacker(read) : read());
    tracer.note({ "docs_hosting.bundle.files": inspection.files });
    if (demands.fetchExternal === undefined) checkLoads(inspection, bundle, demands, context);
    reportNames(inspection, bundle, reporter);
    return inspection;
  });
}

/** Reports names and files that may surprise the site's owner. */
function reportNames(
  { secretFiles, idleFiles, notOnWindows }: Inspection,
  { jobId }: Bundle,
  { info, warn }: Pick<Reporter, "info" | "warn">,
): void {
  if (secretFiles.length > 0) {
    const mend =
      jobId === undefined ? "leave them out when you pack the site" : "remove them from the site's sources";
    warn(
      `files that usually hold secrets are published with the site: ${firstOf(secretFiles.map(shown), MAX_SHOWN)}. ` +
        `If they do, ${mend}, and replace the secrets`,
    );
  }
  if (idleFiles.ofHosts.length > 0) {
    info(
      `instructions for another host are published as files, and do nothing here: ${firstOf(idleFiles.ofHosts.map(shown), MAX_SHOWN)}. ` +
        "Give redirects and headers to the web server or the bucket that serves the site",
    );
  }
  if (idleFiles.ofGenerators.length > 0) {
    info(
      `folders of the site's generator are published, although no page needs them: ${firstOf(idleFiles.ofGenerators.map(shown), MAX_SHOWN)}. ` +
        "The chart's web server and images do not serve hidden folders, a bucket does: leave them out when the site is built or packed",
    );
  }
  const { length: count } = notOnWindows;
  if (count > 0) {
    const names = count === 1 ? "1 name" : `${count} names`;
    info(
      `${names} of the site cannot be unpacked on Windows: ${firstOf(notOnWindows.map(shown), MAX_ON_WINDOWS)}`,
    );
  }
}

/** What of an archive is published. */
interface PublishedParts {
  /** Its site. @default true */
  readonly isSitePublished?: boolean;
  /** The archive as it is, with the files that a site leaves out. @default false */
  readonly isArchivePublished?: boolean;
}

/** Reports the files of an archive that are not published. */
export function reportLeftOut(
  { leftOut, versionControl }: Inspection,
  reporter: Pick<Reporter, "info" | "warn">,
  { isSitePublished = true, isArchivePublished = false }: PublishedParts = {},
): void {
  if (isSitePublished && leftOut.length > 0) {
    const names = firstOf(leftOut.map(shown), MAX_SHOWN);
    reporter.info(`not published, because they only start the site on a reader's own computer: ${names}`);
  }
  if (versionControl.length === 0) return;
  const names = firstOf(versionControl.map(shown), MAX_SHOWN);
  if (isArchivePublished) {
    reporter.warn(
      `the archive is published as it is, with folders of version control, which may hold the whole history and a token: ${names}. ` +
        "Leave them out when you pack the site",
    );
  } else reporter.info(`not published, because they are of version control: ${names}`);
}

/** Warns about external loads and about files that were not inspected, or refuses the bundle because of them. */
export function checkLoads(
  { selfContained, externalLoads }: Pick<Inspection, "selfContained" | "externalLoads">,
  { version, jobId }: Bundle,
  { requireSelfContained, fetchExternal }: BundleRequirements & SiteAdditions,
  { reporter }: LimitedContext,
): void {
  if (selfContained) return;
  const load = externalLoads.find(({ address }) => !isNotInspected(address));
  const other = externalLoads.find(({ address }) => isNotInspected(address));
  const why = load?.reason === undefined ? "" : `, which was not fetched: ${load.reason}`;
  const problem = [
    ...(load
      ? [`pages of ${version} load from other hosts, such as ${load.address} on ${load.page}${why}`]
      : []),
    ...(other ? [`files of ${version} were not inspected, such as ${other.page} ${other.address}`] : []),
  ].join("; ");
  if (requireSelfContained) {
    const fetch = fetchExternal === undefined && load ? ", have them fetched (`fetchExternal`)" : "";
    throw new BundleRefusedError(
      `${problem} (${externalLoads.length} found)`,
      `Remove these from the site's sources and ${jobId === undefined ? "build and pack it" : "export"} again${fetch}, or set \`requireSelfContained\` to false.`,
    );
  }
  const consequence = load
    ? "where these hosts cannot be reached, the pages lack what they load"
    : "what they load from other hosts is not known";
  reporter.warn(`${problem}: ${consequence}; the output externalLoads names them`);
}
