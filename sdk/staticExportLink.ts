import * as pulumi from "@pulumi/pulumi";

/**
 * What an installation needs of a static export that is not at hand as a resource, because another stack has it, see
 * https://www.pulumi.com/docs/iac/concepts/stacks/#stackreferences.
 */
export interface StaticExportLink {
  /** The link to the bundle: the output of that name. Kept a secret from here on, whatever it was before. */
  bundleUrl: pulumi.Input<string>;
  /** Label of the content: the output of that name. @default none: the installation is not told */
  version?: pulumi.Input<string> | undefined;
  /**
   * Job that made the content: the output of that name. With it, another job under the same version is another content.
   *
   * @default none: the installation is not told
   */
  jobId?: pulumi.Input<string> | undefined;
  /**
   * SHA-256 of the archive, hexadecimal digits: the output of that name of a BundleCopy, whose link it is then. Pods refuse
   * another archive.
   *
   * @default none: any archive that the link leads to is served
   */
  sha256?: pulumi.Input<string> | undefined;
}

/** The exports without a link: those that were only read. */
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
 * @param source a StaticExport, or what stands for one
 * @param owner who asks, for the message: `SelfHostedDocs "docs"`
 * @throws pulumi.RunError at once for an export that was only read, or what is none at all; from within the output where
 *   the link turns out to be missing
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
  // one that is managed gets its link from the provider, or, under a user's test, whatever the mocks say
  if (pulumi.CustomResource.isInstance(given)) return pulumi.secret(source.bundleUrl);
  return pulumi.secret(pulumi.output(given.bundleUrl).apply((url: unknown) => presentLink(url, owner)));
}

/** @throws pulumi.RunError for what is no link */
export function presentLink(url: unknown, owner: string): string {
  return presentOutput("bundleUrl", url, owner, READ_ONLY);
}

/**
 * An output of another stack that has to be there.
 *
 * @param otherwise why there may be none, for the message
 * @throws pulumi.RunError for what is no text, or an empty one
 */
export function presentOutput(name: string, value: unknown, owner: string, otherwise: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new pulumi.RunError(
    `${owner}: \`${name}\` is missing. If it comes from another stack, check that this stack has such an output and ` +
      `was updated; ${otherwise}`,
  );
}
