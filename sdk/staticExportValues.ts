import * as pulumi from "@pulumi/pulumi";
import { copyValues, isCopy, type CopiedSite } from "./copiedSite";
import type { SiteImage } from "./siteImage";
import type { StaticExport } from "./staticExport";
import { linkOf, presentOutput, type StaticExportLink } from "./staticExportLink";

/** The values group by which the deployment chart of a self-hosted installation fetches a bundle and serves it. */
export interface StaticExportValues {
  staticExport: {
    /** Turns serving of a static export on. */
    enabled: boolean;
    /** The link, fetched by the installation on startup. A secret. */
    bundleUrl: pulumi.Output<string>;
    /** Pins the version for reproducible rollouts. */
    version: pulumi.Output<string>;
    /** Job that made the content: another one under the same version is rolled out, too. */
    jobId: pulumi.Output<string>;
  };
}

/** {@link StaticExportValues} of a link that may come without version and job, and with a digest. */
export interface StaticExportLinkValues {
  staticExport: Omit<StaticExportValues["staticExport"], "version" | "jobId"> &
    Partial<Pick<StaticExportValues["staticExport"], "version" | "jobId">>;
  fetch?: {
    /** Another archive is refused. */
    sha256: pulumi.Output<string>;
  };
}

/** The values by which the deployment chart serves a site that comes in an image, without a link. */
export interface SiteImageValues {
  staticExport: {
    /** Turns serving of a static export on. */
    enabled: boolean;
    /** Label of the content. */
    version?: pulumi.Output<string>;
    /** Job that made the content. */
    jobId?: pulumi.Output<string | undefined>;
  };
  /** An image that serves the site by itself, `repository@sha256:…`. */
  siteImage?: pulumi.Output<string>;
  siteVolume?: {
    /** An image that has the site below `/site`, `repository@sha256:…`. */
    image: pulumi.Output<string>;
  };
}

/**
 * The values by which the deployment chart serves a copy. Which of them there are depends on the copy's destination: the others
 * are undefined, as if they were absent.
 */
export interface BundleCopyValues {
  staticExport: {
    /** Turns serving of a static export on. */
    enabled: boolean;
    /** From a bucket: the link. A secret. */
    bundleUrl: pulumi.Output<string | undefined>;
    /** Label of the content. */
    version: pulumi.Output<string>;
    /** Job that made the content, where one is known. */
    jobId: pulumi.Output<string | undefined>;
  };
  fetch: {
    /** From a bucket: another archive is refused. */
    sha256: pulumi.Output<string | undefined>;
  };
  /** From a registry, with a `base`: the image that serves the site by itself. */
  siteImage: pulumi.Output<string | undefined>;
  siteVolume: {
    /** From a registry, without a `base`: the image that has the site. */
    image: pulumi.Output<string | undefined>;
  };
}

/** All that an installation can serve. */
export type SiteSource = StaticExport | CopiedSite | StaticExportLink | SiteImage;

/**
 * The values group for a Helm release of the self-hosted installation, for those who write the release themselves.
 *
 * @param source the export or the copy, or `{ bundleUrl, version?, jobId?, sha256? }` or `{ image, runnable?, version?, jobId? }`
 *   of one that another stack has
 * @throws pulumi.RunError for an export that was read with `StaticExport.get`, which has no link, or when the link or image
 *   turns out to be missing, or the copy to be where no pod can fetch it
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

/** @param owner who asks, for messages */
export function valuesOf(
  source: SiteSource,
  owner: string,
): BundleCopyValues | SiteImageValues | StaticExportLinkValues {
  const given = source as SiteSource | undefined | null;
  if (given && isCopy(given)) return copyValues(given, owner);
  if (given && "image" in given) return imageValues(given, owner);
  const bundleUrl = linkOf(source as StaticExportLink, owner);
  const { version, jobId, sha256 } = source as StaticExportLink;
  return {
    staticExport: {
      enabled: true,
      bundleUrl,
      ...(version !== undefined && { version: pulumi.output(version) }),
      ...(jobId !== undefined && { jobId: pulumi.output(jobId) }),
    },
    ...(sha256 !== undefined && { fetch: { sha256: pulumi.output(sha256) } }),
  };
}

function imageValues({ image, runnable, version, jobId }: SiteImage, owner: string): SiteImageValues {
  const present = pulumi
    .output(image)
    .apply((text: unknown) =>
      presentOutput("image", text, owner, "a BundleCopy has one where its destination is a repository."),
    );
  return {
    staticExport: {
      enabled: true,
      ...(version !== undefined && { version: pulumi.output(version) }),
      ...(jobId !== undefined && { jobId: pulumi.output(jobId) }),
    },
    ...(runnable === false ? { siteVolume: { image: present } } : { siteImage: present }),
  };
}

/**
 * Whether each pod has to reach the service's storage when it starts, by a link that ends: neither an image nor a copy of the
 * archive is served.
 */
export function needsLink(source: SiteSource): boolean {
  return !isCopy(source) && !("image" in source) && (source as StaticExportLink).sha256 === undefined;
}
