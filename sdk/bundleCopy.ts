import type * as pulumi from "@pulumi/pulumi";
import { BUNDLE_COPY_INPUTS, type BundleCopyInputs } from "../provider/bundleCopy/inputs";
import type { BundleCopyOutputs } from "../provider/bundleCopy/state";
import type { Place } from "../provider/destination/place";
import { rememberDestination } from "./copiedSite";
import { plainSource, type SourceArgs } from "./plainSource";
import { ProvidedResource } from "./providedResource";
import { unset, type InputsOf, type OutputsOf } from "./resourceProperties";

/** Arguments of {@link BundleCopy}: see {@link BundleCopyInputs} for the meaning of each. */
export interface BundleCopyArgs extends Omit<InputsOf<BundleCopyInputs>, "source" | "destination"> {
  /**
   * What is copied: an export, of which only domain, job, version, base URL and `apiKeyEnv` are taken, so that a renewed link
   * changes nothing here; the same of one that another stack has; or a bundle that lies here as a file.
   */
  source: SourceArgs;
  /** Where to: a folder, a bucket or a registry's repository. Another place replaces the resource. */
  destination: pulumi.Input<FieldsOf<Place>>;
}

/** The fields of each kind of place, any of which may be an output. */
type FieldsOf<Kind> = Kind extends unknown ? InputsOf<Kind> : never;

/** Outputs that no input has: Pulumi makes properties of those that it is told of. */
const FROM_COPYING: Record<Exclude<keyof BundleCopyOutputs, keyof BundleCopyInputs>, undefined> = {
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

/** Values of the outputs of {@link BundleCopy}. */
type Outputs = OutputsOf<BundleCopyOutputs>;

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
export class BundleCopy extends ProvidedResource implements Required<Outputs> {
  /** What was copied, as plain values. */
  declare readonly source: Outputs["source"];
  /** The place. */
  declare readonly destination: Outputs["destination"];
  /** Label of the content. */
  declare readonly version: Outputs["version"];
  /** Job that made it; none for a file. */
  declare readonly jobId: Required<Outputs>["jobId"];
  /** SHA-256 of the archive, hexadecimal. */
  declare readonly sha256: Outputs["sha256"];
  /** Size of the archive in bytes. */
  declare readonly size: Outputs["size"];
  /** Files of the site. */
  declare readonly files: Outputs["files"];
  /** Its HTML files, without the site's `404.html`: as the reference service counts `pageCount`. */
  declare readonly pages: Outputs["pages"];
  /** Where the copy is, with its digest. */
  declare readonly uri: Outputs["uri"];
  /** The image in the registry, `repository@sha256:…`; none of other places. */
  declare readonly image: Required<Outputs>["image"];
  /**
   * What a web server serves of the layout `site`: in a folder the path of `current`, which leads to the newest copy; in a bucket
   * the URL of the site's root. None of other layouts and places.
   */
  declare readonly sitePath: Required<Outputs>["sitePath"];
  /** Address of the copy, where the place has one. Always a secret: it may be signed. */
  declare readonly bundleUrl: Required<Outputs>["bundleUrl"];
  /** When a signed link stops working (ISO 8601). */
  declare readonly expiresAt: Required<Outputs>["expiresAt"];
  /** From then on the next `pulumi up` signs another link (ISO 8601). */
  declare readonly renewAfter: Required<Outputs>["renewAfter"];
  /** No page and no style sheet loads anything from another host. */
  declare readonly selfContained: Outputs["selfContained"];
  /** What pages and style sheets load from elsewhere: at most 20, each with its page and address. */
  declare readonly externalLoads: Outputs["externalLoads"];
  /** When the copy was made (ISO 8601). */
  declare readonly copiedAt: Outputs["copiedAt"];
  /** Whether a bundle that loads from elsewhere is refused. */
  declare readonly requireSelfContained: Outputs["requireSelfContained"];
  /** What a bundle may be at most. */
  declare readonly limits: Outputs["limits"];
  /** How many earlier copies stay. */
  declare readonly keep: Outputs["keep"];

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
        ...FROM_COPYING,
      },
      opts,
      ["bundleUrl"], // whether it is signed may only be known when the program runs
    );
    rememberDestination(this, args.destination);
  }
}
