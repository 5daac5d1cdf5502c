import * as pulumi from "@pulumi/pulumi";
import { missingOutput } from "../provider/installation/delivery";

/**
 * The link of a static export, for an installation whose export is in another stack, see
 * https://www.pulumi.com/docs/iac/concepts/stacks/#stackreferences.
 */
export interface StaticExportLink {
  /** The link to the bundle: the output `bundleUrl`. It becomes a secret even if it was given as plain text. */
  bundleUrl: pulumi.Input<string>;
  /** Label of the content: the output `version`. @default none: the chart's values have no version */
  version?: pulumi.Input<string> | undefined;
  /**
   * Job that made the content: the output `jobId`. With it, another job under the same version counts as other content.
   *
   * @default none: the chart's values have no job
   */
  jobId?: pulumi.Input<string> | undefined;
  /**
   * SHA-256 of the archive, hexadecimal: the output `sha256` of a BundleCopy, together with that copy's `bundleUrl`. Pods
   * refuse any other archive.
   *
   * @default none: pods serve any archive that the link leads to
   */
  sha256?: pulumi.Input<string> | undefined;
}

/** Exports without a link, because they were only read. */
const withoutLink = new WeakSet<object>();

/** Remembers that an export was read with `StaticExport.get`. */
export function markWithoutLink(found: pulumi.Resource): void {
  withoutLink.add(found);
}

const READ_ONLY =
  "an export that was read with StaticExport.get has none, because links are minted only for exports that are managed. " +
  "Declare it with its `jobId` (`new StaticExport(name, { domain, jobId })`: nothing is started), or take the link from " +
  "the stack that manages it.";

/**
 * The link of an export, a secret.
 *
 * @param source a StaticExport, or the link of one
 * @param owner name of the caller, for the message: `SelfHostedDocs "docs"`
 * @throws pulumi.RunError at once for an export that was only read, or for no export; from within the output if the link
 *   is missing
 */
export function linkOf(source: StaticExportLink, owner: string): pulumi.Output<string> {
  const given = source as Partial<StaticExportLink> | null | undefined;
  if (given === undefined || given === null) {
    throw new pulumi.RunError(
      `${owner}: \`staticExport\` is required: the StaticExport or BundleCopy to serve, or { bundleUrl, version, jobId } or ` +
        `{ image, version, jobId } of one.`,
    );
  }
  if (withoutLink.has(given))
    throw new pulumi.RunError(`${owner}: \`staticExport\` has no link: ${READ_ONLY}`);
  // a managed export gets its link from the provider, or from the mocks of a user's test
  if (pulumi.CustomResource.isInstance(given)) return pulumi.secret(source.bundleUrl);
  return pulumi.secret(pulumi.output(given.bundleUrl).apply((url: unknown) => requiredLink(url, owner)));
}

/** @throws pulumi.RunError for a missing link */
export function requiredLink(url: unknown, owner: string): string {
  return requiredOutput("bundleUrl", url, owner, READ_ONLY);
}

/**
 * A required output of another stack.
 *
 * @param otherwise another reason why it may be missing, for the message
 * @throws pulumi.RunError if it is not a string, or empty
 */
export function requiredOutput(name: string, value: unknown, owner: string, otherwise: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new pulumi.RunError(`${owner}: ${missingOutput(name, otherwise)}`);
}
