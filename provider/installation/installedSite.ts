import { isUnknown } from "../base/runtime/messages/plainText";
import type { DestinationInputs, DestinationKind } from "../publishing/index";
import type { SiteFacts } from "./siteValues";

/** What an installation serves: outputs of a StaticExport or of a BundleCopy, also of another stack. */
export interface InstalledSite {
  /** The link to the bundle: the output `bundleUrl` of a StaticExport, or of a BundleCopy in a bucket. The values are a secret with it. */
  bundleUrl?: string;
  /** The image, `repository@sha256:…`: the output `image` of a BundleCopy in a registry. Pods need no link. */
  image?: string;
  /** Whether the image itself serves the site: the destination of the BundleCopy has a `base`. @default true */
  runnable?: boolean;
  /**
   * The output `destination` of a BundleCopy of this stack, given together with all outputs of the copy that this function takes. It
   * decides which of them are used.
   */
  destination?: DestinationInputs;
  /** Label of the content. @default none: the chart's values have no version */
  version?: string;
  /**
   * Job that made the content. With it, another job under the same version counts as other content.
   *
   * @default none: the chart's values have no job
   */
  jobId?: string;
  /**
   * SHA-256 of the archive, hexadecimal: the output `sha256` of a BundleCopy, together with its `bundleUrl`. Pods refuse any other
   * archive.
   *
   * @default none: pods serve any archive that the link leads to
   */
  sha256?: string;
}

const TEXTS = ["bundleUrl", "image", "version", "jobId", "sha256"] as const;

/** The arguments that describe a site. */
export const SITE_ARGUMENTS: readonly (keyof InstalledSite)[] = [...TEXTS, "runnable", "destination"];

/** A site that an installation can serve. */
export interface Servable {
  readonly isCopy: boolean;
  /** What the chart needs to know about it: `undefined` if that is not known yet. */
  readonly facts: SiteFacts<string> | undefined;
}

/** Notes what is wrong with an argument, in words that name it. */
export type Refuse = (problem: string) => undefined;

/**
 * Reads a site: a copy if it has a destination, else an image if it has one, else an export.
 *
 * @param site see {@link InstalledSite}; unchecked, without null
 * @returns `undefined` if it is refused
 */
export function readSite(site: Readonly<Record<string, unknown>>, refuse: Refuse): Servable | undefined {
  const wrong = TEXTS.find((name) => site[name] !== undefined && typeof site[name] !== "string");
  if (wrong !== undefined) return refuse(`\`${wrong}\` must be a string.`);
  const { runnable, destination } = site;
  if (runnable !== undefined && typeof runnable !== "boolean" && !isUnknown(runnable)) {
    return refuse("`runnable` must be true or false.");
  }
  const isCopy = destination !== undefined;
  const { image, bundleUrl, version, jobId, sha256 } = site as Texts;
  if (isUnknown(destination)) return { isCopy, facts: undefined };
  const found = isCopy
    ? deliveryOf(destination, "the site")
    : { delivery: deliveryWithoutDestination(image, runnable) };
  if ("problem" in found) return refuse(found.problem);
  const label = { version, jobId };
  if (found.delivery === "bundle") {
    return bundleUrl
      ? { isCopy, facts: { ...label, bundleUrl, sha256 } }
      : refuse(isCopy ? COPY_WITHOUT_ADDRESS : missingOutput("bundleUrl", NO_LINK));
  }
  if (!image) return refuse(missingOutput("image", NO_IMAGE));
  if (!isCopy && isUnknown(runnable)) return { isCopy, facts: undefined };
  const isVolume = found.delivery === "volume";
  return { isCopy, facts: { ...label, ...(isVolume ? { volumeImage: image } : { siteImage: image }) } };
}

type Texts = Partial<Record<(typeof TEXTS)[number], string>>;

/** How pods get a site whose destination is not given. */
function deliveryWithoutDestination(image: string | undefined, runnable: unknown): Delivery {
  if (image === undefined) return "bundle";
  return runnable === false ? "volume" : "siteImage";
}

/** How pods get a copied site. */
export type Delivery = "siteImage" | "volume" | "bundle";

type FoundDelivery = { readonly delivery: Delivery } | { readonly problem: string };
type OutputFields = Readonly<Partial<Record<string, unknown>>>;

const INSTEAD =
  "Give the BundleCopy another destination: { repository, base } with a registry that the cluster reaches, whose image " +
  "needs nothing else";

/** By the kind of destination. The first whose field is given counts. */
const DELIVERIES: Readonly<Record<DestinationKind, (fields: OutputFields, what: string) => FoundDelivery>> = {
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
export function deliveryOf(destination: unknown, what: string): FoundDelivery {
  const fields = Object(destination) as OutputFields;
  const kinds = Object.keys(DELIVERIES) as DestinationKind[];
  const kind = kinds.find((each) => fields[each] !== undefined && fields[each] !== null) ?? "folder";
  return DELIVERIES[kind](fields, what);
}

function bucketDelivery({ layout }: OutputFields, what: string): FoundDelivery {
  if (layout !== "site") return { delivery: "bundle" };
  const problem =
    `${what} is a copy whose files are in the bucket one by one (layout "site"), as static hosting needs ` +
    `them, and no bundle that a pod could fetch. ${INSTEAD}, or the layout "archive".`;
  return { problem };
}

/** The problem of a copy in a bucket that is not public and signs no links. */
export const COPY_WITHOUT_ADDRESS: string =
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
const NO_LINK =
  "a StaticExport that was read with `get` has none, because links are minted only for exports that are managed.";

/** Why a site may have no image. */
export const NO_IMAGE = "a BundleCopy has one where its destination is a repository.";
