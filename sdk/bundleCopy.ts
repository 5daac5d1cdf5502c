import type * as pulumi from "@pulumi/pulumi";
import { BUNDLE_COPY_INPUTS, type BundleCopyInputs } from "../provider/bundleCopy/inputs";
import type { BundleCopyOutputs } from "../provider/bundleCopy/state";
import type { DestinationInputs } from "../provider/destination/inputs";
import { rememberDestination } from "./copiedSite";
import { plainSource, type SourceArgs } from "./plainSource";
import { ProvidedResource } from "./providedResource";
import { unset, type InputsOf, type OutputsOf, type OwnOutputs } from "./resourceProperties";

/** Arguments of {@link BundleCopy}: see {@link BundleCopyInputs} for the meaning of each. */
export interface BundleCopyArgs extends Omit<InputsOf<BundleCopyInputs>, "source" | "destination"> {
  /**
   * What is copied: an export, of which only domain, job, version, base URL and `apiKeyEnv` are taken, so that a renewed link
   * changes nothing here; the same of one that another stack has; or a bundle that lies here as a file.
   */
  source: SourceArgs;
  /** Where to: a folder, a bucket or a registry's repository. Another place replaces the resource. */
  destination: pulumi.Input<FieldsOf<DestinationInputs>>;
}

/** The fields of each kind of place, any of which may be an output. */
type FieldsOf<Kind> = Kind extends unknown ? InputsOf<Kind> : never;

const OWN_OUTPUTS: OwnOutputs<BundleCopyOutputs, BundleCopyInputs> = {
  version: undefined,
  jobId: undefined,
  size: undefined,
  files: undefined,
  pages: undefined,
  uri: undefined,
  image: undefined,
  sitePath: undefined,
  bundleUrl: undefined,
  expiresAt: undefined,
  renewAfter: undefined,
  selfContained: undefined,
  externalLoads: undefined,
  copiedAt: undefined,
};

// a property of the class for each output
export interface BundleCopy extends OutputsOf<BundleCopyOutputs> {}

/**
 * A durable copy of an export's bundle in a place of one's own (a folder, a bucket, a registry), so that nothing that serves it
 * depends on a link that ends, or on a host outside.
 *
 * `pulumi up` fetches the bundle once, by a link that it mints itself, looks through it (a broken archive, unsafe names or too much
 * of anything are refused), tells what its pages would load from elsewhere, and puts it in its place as a whole. A run that is cut
 * off is gone on with by the next. The resource option `customTimeouts` limits create and update (default: 30 minutes each).
 *
 * Destroying it removes the copies that it made; with `retainOnDelete` they stay.
 *
 * @example
 * const docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1" });
 * const copy = new BundleCopy("docs", {
 *   source: docs,
 *   destination: { folder: "./bundles" },
 * });
 */
export class BundleCopy extends ProvidedResource {
  /**
   * @param name unique name of the resource in the stack
   * @param args what to copy, and where to
   * @param opts Pulumi's resource options
   */
  constructor(name: string, args: BundleCopyArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(
      "BundleCopy",
      name,
      {
        ...unset(BUNDLE_COPY_INPUTS),
        ...args,
        source: plainSource(args.source),
        ...OWN_OUTPUTS,
      },
      opts,
      ["bundleUrl"], // whether it is signed may only be known when the program runs
    );
    rememberDestination(this, args.destination);
  }
}
