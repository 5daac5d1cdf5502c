import type { DestinationInputs } from "../destination/inputs";
import { isUnknown } from "../messages/unknown";
import { COPY_WITHOUT_ADDRESS, deliveryOf, missingOutput, NO_IMAGE, NO_LINK } from "./delivery";
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
export const SITE_ARGUMENTS = [
  ...TEXTS,
  "runnable",
  "destination",
] as const satisfies (keyof InstalledSite)[];

type Facts = SiteFacts<string>;

/** A site that an installation can serve. */
interface Servable {
  readonly isCopy?: true;
  /** What the chart needs to know about it: `undefined` if that is not known yet. */
  readonly facts: Facts | undefined;
}

/** What is wrong with an argument, in words that name it. */
export interface Problem {
  readonly problem: string;
}

/**
 * Reads a site: a copy if it has a destination, else an image if it has one, else an export.
 *
 * @param site see {@link InstalledSite}; unchecked, without null
 */
export function servable(site: Readonly<Record<string, unknown>>): Servable | Problem {
  const wrong = TEXTS.find((name) => site[name] !== undefined && typeof site[name] !== "string");
  if (wrong !== undefined) return { problem: `\`${wrong}\` must be a string.` };
  const { runnable, destination } = site;
  const texts = site as Texts;
  if (runnable !== undefined && typeof runnable !== "boolean" && !isUnknown(runnable)) {
    return { problem: "`runnable` must be true or false." };
  }
  if (destination !== undefined) return factsOfCopy(texts, destination);
  return texts.image !== undefined ? factsOfImage(texts, runnable) : factsOfLink(texts);
}

type Texts = Partial<Record<(typeof TEXTS)[number], string>>;

function factsOfCopy(
  { image, bundleUrl, version, jobId, sha256 }: Texts,
  destination: unknown,
): Servable | Problem {
  if (isUnknown(destination)) return { facts: undefined };
  const found = deliveryOf(destination, "the site");
  if ("problem" in found) return found;
  const label = { version, jobId };
  if (found.delivery === "bundle") {
    return bundleUrl
      ? { isCopy: true, facts: { ...label, bundleUrl, sha256 } }
      : { problem: COPY_WITHOUT_ADDRESS };
  }
  if (!image) return { problem: missingOutput("image", NO_IMAGE) };
  return { isCopy: true, facts: { ...label, ...imageIn(found.delivery === "volume", image) } };
}

function factsOfImage({ image, version, jobId }: Texts, runnable: unknown): Servable | Problem {
  if (!image) return { problem: missingOutput("image", NO_IMAGE) };
  if (isUnknown(runnable)) return { facts: undefined };
  return { facts: { version, jobId, ...imageIn(runnable === false, image) } };
}

function factsOfLink({ bundleUrl, version, jobId, sha256 }: Texts): Servable | Problem {
  return bundleUrl
    ? { facts: { version, jobId, bundleUrl, sha256 } }
    : { problem: missingOutput("bundleUrl", NO_LINK) };
}

function imageIn(isVolume: boolean, image: string): Facts {
  return isVolume ? { volumeImage: image } : { siteImage: image };
}
