import * as pulumi from "@pulumi/pulumi";
import { type InstalledSite, NO_IMAGE } from "../provider/installation/installedSite";
import { siteValues } from "../provider/installation/siteValues";
import { type CopiedSite, copiedSiteValues, isCopy } from "./copiedSite";
import type { InputsOf } from "./providedResource";
import { READ_ONLY, requiredLink, requiredOutput } from "./requiredOutput";
import { hasNoLink, type StaticExport } from "./staticExport";

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

/**
 * The link of a static export, for an installation whose export is in another stack, see
 * https://www.pulumi.com/docs/iac/concepts/stacks/#stackreferences.
 */
export interface StaticExportLink extends InputsOf<Pick<InstalledSite, "version" | "jobId" | "sha256">> {
  /** The link to the bundle: the output `bundleUrl`. It becomes a secret even if it was given as plain text. */
  bundleUrl: pulumi.Input<string>;
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
export function staticExportValues(source: SiteSource): AnySiteValues {
  return valuesOf(source, "staticExportValues");
}

type AnySiteValues = BundleCopyValues | SiteImageValues | StaticExportLinkValues;

/**
 * @param owner name of the caller, for messages: `SelfHostedDocs "docs"`
 * @throws pulumi.RunError at once for no site, or an export that was only read; from within an output if that is missing
 */
export function valuesOf(source: SiteSource, owner: string): AnySiteValues {
  const given = source as SiteSource | undefined | null;
  if (!given) {
    throw new pulumi.RunError(
      `${owner}: \`staticExport\` is required: the StaticExport or BundleCopy to serve, or { bundleUrl, version, jobId } or ` +
        `{ image, version, jobId } of one.`,
    );
  }
  if (isCopy(given)) return copiedSiteValues(given, owner) as BundleCopyValues;
  const label = { version: optional(given.version), jobId: optional(given.jobId) };
  if ("image" in given) {
    const required = (text: unknown): string => requiredOutput("image", text, owner, NO_IMAGE);
    const image = pulumi.output(given.image).apply(required);
    const served = given.runnable === false ? { volumeImage: image } : { siteImage: image };
    return siteValues({ ...label, ...served });
  }
  const { sha256 }: StaticExportLink = given;
  return siteValues({ ...label, bundleUrl: linkOf(given, owner), sha256: optional(sha256) });
}

/** The link of an export, a secret. @param source a StaticExport, or the link of one */
function linkOf(source: StaticExport | StaticExportLink, owner: string): pulumi.Output<string> {
  if (hasNoLink(source)) throw new pulumi.RunError(`${owner}: \`staticExport\` has no link: ${READ_ONLY}`);
  // a managed export gets its link from the provider, or from the mocks of a user's test
  if (pulumi.CustomResource.isInstance(source)) return pulumi.secret(source.bundleUrl);
  return pulumi.secret(pulumi.output(source.bundleUrl).apply((url: unknown) => requiredLink(url, owner)));
}

/** What is not given stays absent: the chart's values would have it as null. */
function optional(input: pulumi.Input<string | undefined> | undefined): pulumi.Output<string> | undefined {
  return input === undefined ? undefined : (pulumi.output(input) as pulumi.Output<string>);
}
