import { inspectBundle } from "../archive/bundle";
import type { Inspection, SiteLimits } from "../archive/site";
import type { Bundle } from "../destination/destination";
import { formatBytes } from "../http/transferLine";
import { BundleRefusedError } from "../words/errors";
import type { BundleDemands } from "./demands";
import type { WorkContext } from "./workFolders";

/** Looks through a bundle, and judges it. @throws BundleRefusedError; the signal's reason */
export function inspect(context: WorkContext, demands: BundleDemands, bundle: Bundle): Promise<Inspection> {
  const { reporter, tracer } = context;
  return tracer.span("docs_hosting.bundle.inspect", {}, async () => {
    reporter.progress(`looking through ${formatBytes(bundle.size)}`);
    const inspection = await inspectBundle(bundle, siteLimits(demands), context);
    tracer.note({ "docs_hosting.bundle.files": inspection.files });
    judgeLoads(inspection, bundle, demands, context);
    return inspection;
  });
}

/** What the files of a bundle may be at most. */
export function siteLimits({ limits: { unpackedBytes, files } }: BundleDemands): SiteLimits {
  return { unpackedBytes, files };
}

/** Tells what pages load from elsewhere, or refuses the bundle for it. */
function judgeLoads(
  { selfContained, externalLoads }: Inspection,
  { version }: Bundle,
  { requireSelfContained }: BundleDemands,
  { reporter }: WorkContext,
): void {
  if (selfContained) return;
  const [first] = externalLoads;
  const example = first ? `, such as ${first.address} on ${first.page}` : "";
  if (requireSelfContained) {
    throw new BundleRefusedError(
      `pages of ${version} load from other hosts${example} (${externalLoads.length} of them are known)`,
      "Take these out of the site's sources and export again, or set `requireSelfContained` to false.",
    );
  }
  reporter.warn(
    `pages of ${version} load from other hosts${example}: where these cannot be reached, the pages lack them; the output externalLoads names them`,
  );
}
