import * as pulumi from "@pulumi/pulumi";
import { hasFields } from "../provider/base/runtime/values/fields";
import type { BundleCopyOutputs } from "../provider/copies/bundleCopy/outputs";
import { COPY_WITHOUT_ADDRESS, type Delivery, deliveryOf } from "../provider/installation/installedSite";
import { type CopyValues, copyValues as valuesOfCopy } from "../provider/installation/siteValues";
import type { OutputsOf } from "./providedResource";

/** The outputs of a BundleCopy that an installation needs. */
export interface CopiedSite extends Pick<
  OutputsOf<BundleCopyOutputs>,
  "version" | "jobId" | "sha256" | "image" | "bundleUrl"
> {
  /** The input of that name. */
  readonly destination: pulumi.Output<unknown>;
}

/** Destinations that were known when the program ran. Errors in them are reported at once. */
const knownDestinations = new WeakMap<object, object>();

/** Remembers the destination as the program gave it. The constructor of BundleCopy calls this. */
export function rememberDestination(copy: object, destination: unknown): void {
  const isLater = (value: unknown): boolean => pulumi.Output.isInstance(value) || value instanceof Promise;
  if (hasFields(destination) && ![destination, ...Object.values(destination)].some(isLater)) {
    knownDestinations.set(copy, destination);
  }
}

/** Whether the source is a BundleCopy, not an export or plain values. */
export function isCopy(source: object): source is CopiedSite {
  return "destination" in source && "sha256" in source;
}

/**
 * How pods get a copy, once its destination is known.
 *
 * @param owner name of the caller, for messages
 * @throws pulumi.RunError for a destination that no pod can reach, or that has no bundle for pods to fetch
 */
function knownDelivery(destination: unknown, owner: string): Delivery {
  const found = deliveryOf(destination, "`staticExport`");
  if ("problem" in found) throw new pulumi.RunError(`${owner}: ${found.problem}`);
  return found.delivery;
}

/**
 * The values of a copy. Values that its destination does not use are undefined.
 *
 * @throws pulumi.RunError as {@link knownDelivery}: at once if the destination is known when the program runs, otherwise from within
 *   the outputs
 */
export function copiedSiteValues(
  copy: CopiedSite,
  owner: string,
): CopyValues<pulumi.Output<string | undefined>> {
  const known = knownDestinations.get(copy);
  const delivery = known
    ? pulumi.output(knownDelivery(known, owner))
    : copy.destination.apply((destination) => knownDelivery(destination, owner));
  /** The output, if pods get the copy this way. Otherwise it is not read: it may be a secret or unknown. */
  const where = (wanted: Delivery, value: () => pulumi.Output<string | undefined>) =>
    delivery.apply((found) => (found === wanted ? value() : pulumi.output<string | undefined>(undefined)));
  return valuesOfCopy({
    bundleUrl: where("bundle", () =>
      pulumi.secret(copy.bundleUrl.apply((url) => presentAddress(url, owner))),
    ),
    version: copy.version,
    jobId: copy.jobId,
    sha256: where("bundle", () => copy.sha256),
    siteImage: where("siteImage", () => copy.image),
    volumeImage: where("volume", () => copy.image),
  });
}

function presentAddress(url: string | undefined, owner: string): string {
  if (url) return url;
  throw new pulumi.RunError(`${owner}: ${COPY_WITHOUT_ADDRESS}`);
}
