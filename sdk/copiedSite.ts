import * as pulumi from "@pulumi/pulumi";

/** The outputs of a BundleCopy that an installation needs. */
export interface CopiedSite {
  /** The input of that name. */
  readonly destination: pulumi.Output<unknown>;
  readonly version: pulumi.Output<string>;
  readonly jobId: pulumi.Output<string | undefined>;
  readonly sha256: pulumi.Output<string>;
  readonly image: pulumi.Output<string | undefined>;
  readonly bundleUrl: pulumi.Output<string | undefined>;
}

/** How pods get a copied site. */
type Way = "siteImage" | "volume" | "bundle";

/** Destinations that were known when the program ran. Errors in them are reported at once. */
const knownDestinations = new WeakMap<object, object>();

/** Remembers the destination as the program gave it. The constructor of BundleCopy calls this. */
export function rememberDestination(copy: object, destination: unknown): void {
  const isKnown =
    typeof destination === "object" &&
    destination !== null &&
    ![destination, ...(Object.values(destination) as unknown[])].some(
      (value) => pulumi.Output.isInstance(value) || value instanceof Promise,
    );
  if (isKnown) knownDestinations.set(copy, destination);
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
function wayTo(destination: unknown, owner: string): Way {
  const { folder, bucket, repository, base, layout } = destination as Partial<Record<string, unknown>>;
  const instead =
    "Give the BundleCopy another destination: { repository, base } with a registry that the cluster reaches, whose image " +
    "needs nothing else";
  if (repository !== undefined && repository !== null) return base ? "siteImage" : "volume";
  if (bucket === undefined || bucket === null) {
    throw new pulumi.RunError(
      `${owner}: \`staticExport\` is a copy in a folder of the machine that runs \`pulumi up\` (${String(folder)}), which no ` +
        `pod can reach. ${instead}, or { bucket }.`,
    );
  }
  if (layout === "site") {
    throw new pulumi.RunError(
      `${owner}: \`staticExport\` is a copy whose files are in the bucket one by one (layout "site"), as static hosting needs ` +
        `them, and no bundle that a pod could fetch. ${instead}, or { bucket } with the layout "archive".`,
    );
  }
  return "bundle";
}

/**
 * The values of a copy. Values that its destination does not use are undefined.
 *
 * @throws pulumi.RunError as {@link wayTo}: at once if the destination is known when the program runs, otherwise from within
 *   the outputs
 */
export function copyValues(copy: CopiedSite, owner: string) {
  const known = knownDestinations.get(copy);
  const way = known
    ? pulumi.output(wayTo(known, owner))
    : copy.destination.apply((destination) => wayTo(destination, owner));
  /** The output, if pods get the copy this way. Otherwise it is not read: it may be a secret or unknown. */
  const where = (wanted: Way, value: () => pulumi.Output<string | undefined>) =>
    way.apply((found) => (found === wanted ? value() : pulumi.output<string | undefined>(undefined)));
  return {
    staticExport: {
      enabled: true,
      bundleUrl: where("bundle", () =>
        pulumi.secret(copy.bundleUrl.apply((url) => presentAddress(url, owner))),
      ),
      version: copy.version,
      jobId: copy.jobId,
    },
    fetch: { sha256: where("bundle", () => copy.sha256) },
    siteImage: where("siteImage", () => copy.image),
    siteVolume: { image: where("volume", () => copy.image) },
  };
}

function presentAddress(url: string | undefined, owner: string): string {
  if (url) return url;
  throw new pulumi.RunError(
    `${owner}: the copy in the bucket has no address that pods could fetch it from: give its destination a \`linkLife\`, such ` +
      `as "168h", for signed links.`,
  );
}
