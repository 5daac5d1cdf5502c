import * as pulumi from "@pulumi/pulumi";
import { NO_IMAGE } from "../provider/installation/delivery";
import type { InstalledSite } from "../provider/installation/installedSite";
import { siteValues } from "../provider/installation/siteValues";
import { type CopiedSite, copyValues, isCopy } from "./copiedSite";
import type { InputsOf } from "./providedResource";
import type { StaticExport } from "./staticExport";
import { linkOf, requiredOutput, type StaticExportLink } from "./staticExportLink";

/** The values with which the deployment chart of a self-hosted installation fetches a bundle and serves it. */
export interface StaticExportValues {
  staticExport: {
    /** Turns serving of a static export on. */
    enabled: boolean;
    /** The link from which the installation fetches the bundle on startup. A secret. */
    bundleUrl: pulumi.Output<string>;
    /** Pins the version for reproducible rollouts. */
    version: pulumi.Output<string>;
    /** Job that made the content. Another job under the same version also causes a rollout. */
    jobId: pulumi.Output<string>;
  };
}

/** {@link StaticExportValues} of a link. Version, job and digest are optional. */
export interface StaticExportLinkValues {
  staticExport: Pick<StaticExportValues["staticExport"], "enabled" | "bundleUrl"> &
    Partial<StaticExportValues["staticExport"]>;
  fetch?: {
    /** SHA-256 of the archive. Pods refuse any other archive. */
    sha256: pulumi.Output<string>;
  };
}

/** The values with which the deployment chart serves a site from an image, without a link. */
export interface SiteImageValues {
  staticExport: Pick<BundleCopyValues["staticExport"], "enabled"> &
    Partial<Pick<BundleCopyValues["staticExport"], "version" | "jobId">>;
  /** An image that itself serves the site, `repository@sha256:…`. */
  siteImage?: pulumi.Output<string>;
  siteVolume?: {
    /** An image with the site below `/site`, `repository@sha256:…`. */
    image: pulumi.Output<string>;
  };
}

/**
 * The values with which the deployment chart serves a copy. The copy's destination decides which values are set. The others
 * are undefined, which is the same as absent.
 */
export interface BundleCopyValues {
  staticExport: {
    /** Turns serving of a static export on. */
    enabled: boolean;
    /** For a copy in a bucket: the link. A secret. */
    bundleUrl: pulumi.Output<string | undefined>;
    /** Label of the content. */
    version: pulumi.Output<string>;
    /** Job that made the content, if known. */
    jobId: pulumi.Output<string | undefined>;
  };
  fetch: {
    /** For a copy in a bucket: SHA-256 of the archive. Pods refuse any other archive. */
    sha256: pulumi.Output<string | undefined>;
  };
  /** For a copy in a registry with a `base`: the image that itself serves the site. */
  siteImage: pulumi.Output<string | undefined>;
  siteVolume: {
    /** For a copy in a registry without a `base`: the image that contains the site. */
    image: pulumi.Output<string | undefined>;
  };
}

/** A site in an image, for an installation whose BundleCopy is in another stack. */
export interface SiteImage extends InputsOf<Pick<InstalledSite, "version">> {
  /** `repository@sha256:…`: the output `image` of the BundleCopy. */
  image: pulumi.Input<string>;
  /** Whether the image itself serves the site: the destination of the BundleCopy has a `base`. @default true */
  runnable?: boolean | undefined;
  /** Job that made the content: the output `jobId`. @default none: the chart's values have no job */
  jobId?: pulumi.Input<string | undefined> | undefined;
}

/** Everything that an installation can serve. */
export type SiteSource = StaticExport | CopiedSite | StaticExportLink | SiteImage;

/**
 * The values for a Helm release of the self-hosted installation. Use them to declare the release yourself.
 *
 * @param source the export or the copy; for one in another stack `{ bundleUrl, version?, jobId?, sha256? }` or
 *   `{ image, runnable?, version?, jobId? }`
 * @throws pulumi.RunError for an export that was read with `StaticExport.get`, which has no link; when the link or image
 *   is missing; when no pod can fetch the copy from its destination
 *
 * @example
 * new kubernetes.helm.v3.Release("docs", { chart: "./chart", values: { ...staticExportValues(docs), replicas: 2 } });
 */
export function staticExportValues(source: StaticExport): StaticExportValues;
export function staticExportValues(source: CopiedSite): BundleCopyValues;
export function staticExportValues(source: SiteImage): SiteImageValues;
export function staticExportValues(source: StaticExportLink): StaticExportLinkValues;
export function staticExportValues(
  source: SiteSource,
): BundleCopyValues | SiteImageValues | StaticExportLinkValues {
  return valuesOf(source, "staticExportValues");
}

/** @param owner name of the caller, for messages */
export function valuesOf(
  source: SiteSource,
  owner: string,
): BundleCopyValues | SiteImageValues | StaticExportLinkValues {
  const given = source as SiteSource | undefined | null;
  if (given && isCopy(given)) return copyValues(given, owner) as BundleCopyValues;
  if (given && "image" in given) return imageValues(given, owner);
  const bundleUrl = linkOf(source as StaticExportLink, owner);
  const { version, jobId, sha256 } = source as StaticExportLink;
  return siteValues({
    bundleUrl,
    version: optional(version),
    jobId: optional(jobId),
    sha256: optional(sha256),
  });
}

function imageValues({ image, runnable, version, jobId }: SiteImage, owner: string): SiteImageValues {
  const present = pulumi
    .output(image)
    .apply((text: unknown) => requiredOutput("image", text, owner, NO_IMAGE));
  return siteValues({
    version: optional(version),
    jobId: optional(jobId),
    ...(runnable === false ? { volumeImage: present } : { siteImage: present }),
  }) as SiteImageValues;
}

/** What is not given stays absent: the chart's values would have it as null. */
function optional<Value>(input: pulumi.Input<Value> | undefined): pulumi.Output<Value> | undefined {
  return input === undefined ? undefined : (pulumi.output(input) as pulumi.Output<Value>);
}

/**
 * Whether each pod must fetch the bundle from the service's storage when it starts, by a link that expires: the source is
 * neither an image nor a copy of the archive.
 */
export function needsLink(source: SiteSource): boolean {
  return !isCopy(source) && !("image" in source) && (source as StaticExportLink).sha256 === undefined;
}
