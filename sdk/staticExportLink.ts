import * as pulumi from "@pulumi/pulumi";
import { missingOutput } from "../provider/installation/delivery";
import type { InstalledSite } from "../provider/installation/installedSite";
import type { InputsOf } from "./providedResource";
import { hasNoLink } from "./staticExport";

/**
 * The link of a static export, for an installation whose export is in another stack, see
 * https://www.pulumi.com/docs/iac/concepts/stacks/#stackreferences.
 */
export interface StaticExportLink extends InputsOf<Pick<InstalledSite, "version" | "jobId" | "sha256">> {
  /** The link to the bundle: the output `bundleUrl`. It becomes a secret even if it was given as plain text. */
  bundleUrl: pulumi.Input<string>;
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
  if (hasNoLink(given)) throw new pulumi.RunError(`${owner}: \`staticExport\` has no link: ${READ_ONLY}`);
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
