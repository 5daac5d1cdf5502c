/** How pods get a copied site. */
export type Delivery = "siteImage" | "volume" | "bundle";

/**
 * How pods get a copy, by the destination of its BundleCopy.
 *
 * @param what names the copy in messages
 * @returns the way, or the problem: no pod can reach the destination, or it has no bundle for pods to fetch
 */
export function deliveryOf(destination: unknown, what: string): { delivery: Delivery } | { problem: string } {
  const { folder, bucket, repository, base, layout } = Object(destination) as Partial<
    Record<string, unknown>
  >;
  const instead =
    "Give the BundleCopy another destination: { repository, base } with a registry that the cluster reaches, whose image " +
    "needs nothing else";
  if (repository !== undefined && repository !== null) return { delivery: base ? "siteImage" : "volume" };
  if (bucket === undefined || bucket === null) {
    return {
      problem:
        `${what} is a copy in a folder of the machine that runs \`pulumi up\` (${String(folder)}), which no ` +
        `pod can reach. ${instead}, or { bucket }.`,
    };
  }
  if (layout === "site") {
    return {
      problem:
        `${what} is a copy whose files are in the bucket one by one (layout "site"), as static hosting needs ` +
        `them, and no bundle that a pod could fetch. ${instead}, or { bucket } with the layout "archive".`,
    };
  }
  return { delivery: "bundle" };
}

/** The problem of a copy in a bucket that is not public and signs no links. */
export const COPY_WITHOUT_ADDRESS =
  "the copy in the bucket has no address that pods could fetch it from: give its destination a `linkLife`, such " +
  'as "168h", for signed links.';

/** The problem of a missing output of another stack. */
export function missingOutput(name: string, otherwise: string): string {
  return (
    `\`${name}\` is missing. If it comes from another stack, check that this stack has such an output and ` +
    `was updated; ${otherwise}`
  );
}

/** Why a site may have no link. */
export const NO_LINK =
  "a StaticExport that was read with `get` has none, because links are minted only for exports that are managed.";

/** Why a site may have no image. */
export const NO_IMAGE = "a BundleCopy has one where its destination is a repository.";
