import type { Values } from "../kits/contents/mergeValues";

/** What the chart needs to know about a site. Each value may be an output of a program, or plain. */
export interface SiteFacts<Value> {
  readonly version?: Value | undefined;
  readonly jobId?: Value | undefined;
  /** The link with which pods fetch the bundle. */
  readonly bundleUrl?: Value | undefined;
  /** SHA-256 of the archive behind the link. */
  readonly sha256?: Value | undefined;
  /** An image that itself serves the site. */
  readonly siteImage?: Value | undefined;
  /** An image with the site below `/site`. */
  readonly volumeImage?: Value | undefined;
}

/** The values with which the deployment chart serves an export or an image. What the site does not have is absent. */
interface SiteValues<Value> {
  readonly staticExport: {
    readonly enabled: true;
    readonly bundleUrl?: Value;
    readonly version?: Value;
    readonly jobId?: Value;
  };
  readonly fetch?: { readonly sha256: Value };
  readonly siteImage?: Value;
  readonly siteVolume?: { readonly image: Value };
}

/** The same for a copy: every value is there, see {@link copyValues}. */
export interface CopyValues<Value> {
  readonly staticExport: {
    readonly enabled: true;
    readonly bundleUrl: Value | undefined;
    readonly version: Value | undefined;
    readonly jobId: Value | undefined;
  };
  readonly fetch: { readonly sha256: Value | undefined };
  readonly siteImage: Value | undefined;
  readonly siteVolume: { readonly image: Value | undefined };
}

/** The values of an export or an image. Undefined values are left out. */
export function siteValues<Value>({
  sha256,
  siteImage,
  volumeImage,
  ...site
}: SiteFacts<Value>): SiteValues<Value> {
  const { bundleUrl, version, jobId } = site;
  return {
    staticExport: {
      enabled: true,
      ...(bundleUrl !== undefined && { bundleUrl }),
      ...(version !== undefined && { version }),
      ...(jobId !== undefined && { jobId }),
    },
    ...(sha256 !== undefined && { fetch: { sha256 } }),
    ...(siteImage !== undefined && { siteImage }),
    ...(volumeImage !== undefined && { siteVolume: { image: volumeImage } }),
  };
}

/**
 * The same for a copy, with all values that a copy may need: those that its destination does not use are undefined, and so remove the
 * user's values of these names.
 */
export function copyValues<Value>({
  sha256,
  siteImage,
  volumeImage,
  ...site
}: SiteFacts<Value>): CopyValues<Value> {
  const { bundleUrl, version, jobId } = site;
  return {
    staticExport: { enabled: true, bundleUrl, version, jobId },
    fetch: { sha256 },
    siteImage,
    siteVolume: { image: volumeImage },
  };
}

/** The chart's values for a site and the requested features. */
export function installedValues(site: object, features: object): Values {
  return { ...site, ...(Object.keys(features).length > 0 && { features }) };
}

/**
 * Whether each pod must fetch the bundle from the service's storage when it starts, by a link that expires: the site is neither an
 * image nor a copy of the archive.
 */
export function needsLink({ bundleUrl, sha256 }: SiteFacts<unknown>): boolean {
  return bundleUrl !== undefined && sha256 === undefined;
}

/**
 * The warning about such a link: an air-gapped installation must not depend on an external host.
 *
 * @param remedy how the caller takes a copy
 */
export const airGappedByLink = (remedy: string): string =>
  'The installation is "air-gapped", but its pods fetch the bundle by a link: whenever a pod starts, it must reach the ' +
  "host of that link, and after the link has expired, no pod can start. Copy the bundle to a registry that the cluster " +
  `reaches, and ${remedy}.`;
