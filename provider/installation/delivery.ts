import type { DestinationKind } from "../copies/destinations/inputs";

/** How pods get a copied site. */
export type Delivery = "siteImage" | "volume" | "bundle";

type Found = { readonly delivery: Delivery } | { readonly problem: string };
type Fields = Readonly<Partial<Record<string, unknown>>>;

const INSTEAD =
  "Give the BundleCopy another destination: { repository, base } with a registry that the cluster reaches, whose image " +
  "needs nothing else";

/** By the kind of destination. The first whose field is given counts. */
const DELIVERIES: Readonly<Record<DestinationKind, (fields: Fields, what: string) => Found>> = {
  repository: ({ base }) => ({ delivery: base ? "siteImage" : "volume" }),
  bucket: bucketDelivery,
  azureContainer: bucketDelivery,
  gcsBucket: bucketDelivery,
  folder: ({ folder }, what) => ({
    problem:
      `${what} is a copy in a folder of the machine that runs \`pulumi up\` (${String(folder)}), which no ` +
      `pod can reach. ${INSTEAD}, or { bucket }, { azureContainer } or { gcsBucket }.`,
  }),
};

/**
 * How pods get a copy, by the destination of its BundleCopy.
 *
 * @param what names the copy in messages
 * @returns the way, or the problem: no pod can reach the destination, or it has no bundle for pods to fetch
 */
export function deliveryOf(destination: unknown, what: string): Found {
  const fields = Object(destination) as Fields;
  const kinds = Object.keys(DELIVERIES) as DestinationKind[];
  const kind = kinds.find((each) => fields[each] !== undefined && fields[each] !== null) ?? "folder";
  return DELIVERIES[kind](fields, what);
}

function bucketDelivery({ layout }: Fields, what: string): Found {
  return layout === "site" ? { problem: singleFiles(what) } : { delivery: "bundle" };
}

const singleFiles = (what: string): string =>
  `${what} is a copy whose files are in the bucket one by one (layout "site"), as static hosting needs ` +
  `them, and no bundle that a pod could fetch. ${INSTEAD}, or the layout "archive".`;

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
