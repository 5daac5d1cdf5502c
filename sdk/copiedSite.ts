import * as pulumi from "@pulumi/pulumi";

/** What an installation needs of a copy: outputs of a BundleCopy. */
export interface CopiedSite {
  /** The input of that name. */
  readonly destination: pulumi.Output<unknown>;
  readonly version: pulumi.Output<string>;
  readonly jobId: pulumi.Output<string | undefined>;
  readonly sha256: pulumi.Output<string>;
  readonly image: pulumi.Output<string | undefined>;
  readonly bundleUrl: pulumi.Output<string | undefined>;
}

/** How pods come to a copied site. */
type Way = "siteImage" | "volume" | "bundle";

/** Destinations that were known when the program ran, so that what is wrong with one is found at once. */
const knownDestinations = new WeakMap<object, object>();

/** Remembers the destination of a BundleCopy as the program gave it: for its constructor. */
export function rememberDestination(copy: object, destination: unknown): void {
  const isKnown =
    typeof destination === "object" &&
    destination !== null &&
    ![destination, ...(Object.values(destination) as unknown[])].some(
      (value) => pulumi.Output.isInstance(value) || value instanceof Promise,
    );
  if (isKnown) knownDestinations.set(copy, destination);
}

/** Whether a program gave a BundleCopy, and not an export or plain values. */
export function isCopy(source: object): source is CopiedSite {
  return "destination" in source && "sha256" in source;
}

/**
 * The way to a copy, once its destination is known.
 *
 * @param owner who asks, for messages
 * @throws pulumi.RunError for a destination that no pod can reach, or from which it could fetch no bundle
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
 * The values of a copy. Those that its destination has no use for are undefined.
 *
 * @throws pulumi.RunError as {@link wayTo}, at once where the program gave a destination that it knew; else from within the
 *   outputs
 */
export function copyValues(copy: CopiedSite, owner: string) {
  const known = knownDestinations.get(copy);
  const way = known
    ? pulumi.output(wayTo(known, owner))
    : copy.destination.apply((destination) => wayTo(destination, owner));
  /** An output, where this is the way. Not looked at otherwise: it may be a secret, or not known yet. */
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
