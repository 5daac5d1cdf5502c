import type * as pulumi from "@pulumi/pulumi";
import type { BundleCopyInputs } from "../provider/copies/bundleCopy/inputs";
import { BUNDLE_COPY_OUTPUTS, type BundleCopyOutputs } from "../provider/copies/bundleCopy/outputs";
import { rememberDestination } from "./copiedSite";
import type { DestinationArgs, RepositoryArgs, SiteArgs } from "./destinationArgs";
import { plainSource, type SourceArgs } from "./plainSource";
import {
  givenArgs,
  type InputNames,
  type InputsOf,
  isProvided,
  type OutputsOf,
  ProvidedResource,
} from "./providedResource";
import { PUBLISHING_INPUTS } from "./publishingInputs";

/** Arguments of {@link BundleCopy} that all destinations have: see {@link BundleCopyInputs} for the meaning of each. */
interface CommonCopyArgs extends Omit<
  InputsOf<BundleCopyInputs>,
  "source" | "destination" | AdditionInput | "signingKeyEnv"
> {
  /**
   * The bundle to copy: an export of this stack, the fields of an export in another stack, or a bundle file on this machine. The
   * copy uses only domain, job, version, base URL and `apiKeyEnv` of an export, so a renewed link does not change the copy.
   */
  source: SourceArgs;
}

/** Only the files of a site, or an image, have additions. Only an image has a signature. */
type AdditionInput = "offlineSearch" | "llmsTxt" | "fetchExternal";
type Additions = Pick<InputsOf<BundleCopyInputs>, AdditionInput>;
type Signature = Pick<InputsOf<BundleCopyInputs>, "signingKeyEnv">;

/** Of a destination that is not known when the program is compiled, the provider checks what it has. */
type Later<Known> = pulumi.Output<Known> | Promise<Known>;

/** Arguments of {@link BundleCopy}: see {@link BundleCopyInputs} for the meaning of each. */
export type BundleCopyArgs = CommonCopyArgs &
  (
    | ({
        /** The destination of the copy: a folder, a bucket or a registry's repository. Another destination replaces the resource. */
        destination: RepositoryArgs | Later<DestinationArgs>;
      } & Additions &
        Signature)
    | ({ destination: SiteArgs } & Additions & { signingKeyEnv?: null | undefined })
    | {
        destination: DestinationArgs | Later<DestinationArgs>;
        offlineSearch?: false | null | undefined;
        llmsTxt?: false | null | undefined;
        fetchExternal?: false | null | undefined;
        signingKeyEnv?: null | undefined;
      }
  );

const INPUTS: InputNames<BundleCopyInputs> = {
  ...PUBLISHING_INPUTS,
  destination: true,
  sha256: true,
};

// a property of the class for each output
export interface BundleCopy extends OutputsOf<BundleCopyOutputs> {}

/**
 * A durable copy of an export's bundle in your own folder, bucket or registry. A server of the copy depends neither on a link
 * that expires nor on an external host.
 *
 * `pulumi up` mints a link and fetches the bundle once. It inspects the bundle and refuses a broken archive, unsafe names, or a
 * bundle over its `limits`. It reports what the pages load from other hosts, and publishes the complete copy. The next run
 * continues an interrupted one. The resource option `customTimeouts` limits create and update (default: 30 minutes each).
 *
 * Destroying the resource removes the copies that it made; `retainOnDelete` keeps them.
 *
 * @example
 * const docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1" });
 * const copy = new BundleCopy("docs", {
 *   source: docs,
 *   destination: { folder: "./bundles" },
 * });
 */
export class BundleCopy extends ProvidedResource {
  /** Whether a value is a BundleCopy, also of another copy of this package. */
  static override isInstance(value: unknown): value is BundleCopy {
    return isProvided(value, "BundleCopy");
  }

  /**
   * @param name unique name of the resource in the stack
   * @param args the bundle to copy, and its destination
   * @param opts Pulumi's resource options
   */
  constructor(name: string, args: BundleCopyArgs, opts: pulumi.CustomResourceOptions = {}) {
    const given = givenArgs(args);
    super(
      "BundleCopy",
      name,
      { inputs: INPUTS, outputs: BUNDLE_COPY_OUTPUTS },
      { ...given, source: plainSource(given.source) },
      opts,
    );
    rememberDestination(this, given.destination);
  }
}
