import { inspectBundle } from "../archive/bundle";
import { isNotInspected } from "../archive/inspectionBudget";
import type { Inspection } from "../archive/site";
import type { Bundle } from "../archive/bundle";
import { shown } from "../archive/refusal";
import { firstOf } from "../messages/firstOf";
import { formatBytes } from "../messages/formatBytes";
import { BundleRefusedError } from "../messages/errors";
import type { Reporter } from "../messages/reporter";
import type { BundleRequirements } from "./requirements";
import type { LimitedContext } from "../resource/withinLimit";

/** How many files that are left out are named. */
const MAX_SHOWN = 8;

/** Inspects a bundle and checks it against its requirements. @throws BundleRefusedError; the signal's reason */
export function inspect(
  context: LimitedContext,
  demands: BundleRequirements,
  bundle: Bundle,
): Promise<Inspection> {
  const { reporter, tracer } = context;
  return tracer.span("docs_hosting.bundle.inspect", {}, async () => {
    reporter.progress(`inspecting ${formatBytes(bundle.size)}`);
    const inspection = await inspectBundle(bundle, demands.limits, context);
    tracer.note({ "docs_hosting.bundle.files": inspection.files });
    checkLoads(inspection, bundle, demands, context);
    return inspection;
  });
}

/** Reports the files of an archive that are not published. */
export function reportLeftOut({ leftOut }: Inspection, reporter: Pick<Reporter, "info">): void {
  if (leftOut.length === 0) return;
  const names = firstOf(leftOut.map(shown), MAX_SHOWN);
  reporter.info(`not published, because they only start the site on a reader's own computer: ${names}`);
}

/** Warns about external loads and about files that were not inspected, or refuses the bundle because of them. */
function checkLoads(
  { selfContained, externalLoads }: Inspection,
  { version }: Bundle,
  { requireSelfContained }: BundleRequirements,
  { reporter }: LimitedContext,
): void {
  if (selfContained) return;
  const load = externalLoads.find(({ address }) => !isNotInspected(address));
  const other = externalLoads.find(({ address }) => isNotInspected(address));
  const problem = [
    ...(load ? [`pages of ${version} load from other hosts, such as ${load.address} on ${load.page}`] : []),
    ...(other ? [`files of ${version} were not inspected, such as ${other.page} ${other.address}`] : []),
  ].join("; ");
  if (requireSelfContained) {
    throw new BundleRefusedError(
      `${problem} (${externalLoads.length} found)`,
      "Remove these from the site's sources and export again, or set `requireSelfContained` to false.",
    );
  }
  const consequence = load
    ? "where these hosts cannot be reached, the pages lack what they load"
    : "what they load from other hosts is not known";
  reporter.warn(`${problem}: ${consequence}; the output externalLoads names them`);
}
