import * as pulumi from "@pulumi/pulumi";
import { AIR_GAP_KIT_INPUTS, type AirGapKitInputs } from "../provider/airGapKit/inputs";
import type { AirGapKitOutputs } from "../provider/airGapKit/state";
import { chartDigest } from "./chartDigest";
import { plainSource, type SourceArgs } from "./plainSource";
import { ProvidedResource } from "./providedResource";
import { unset, type InputsOf, type OutputsOf, type OwnOutputs } from "./resourceProperties";

/** Arguments of {@link AirGapKit}: see {@link AirGapKitInputs} for the meaning of each. */
export interface AirGapKitArgs extends Omit<
  InputsOf<AirGapKitInputs>,
  "source" | "chart" | "images" | "platforms" | "values"
> {
  /**
   * What the kit carries: an export, of which only domain, job, version, base URL and `apiKeyEnv` are taken, so that a renewed link
   * changes nothing here; the same of one that another stack has; or a bundle that lies here as a file.
   */
  source: SourceArgs;
  /** Path of the chart that installs the site: a folder, or a packed one (`.tgz`). @default none */
  chart?: pulumi.Input<string> | undefined;
  /** Names of images, pulled from their registries. The site's own is built on the first, which has to be nginx. @default none */
  images?: pulumi.Input<pulumi.Input<string>[]> | undefined;
  /** Platforms that images are pulled for: `linux/amd64`, `linux/arm64/v8`. @default ["linux/amd64"] */
  platforms?: pulumi.Input<pulumi.Input<string>[]> | undefined;
  /**
   * Values of the chart, laid over those that the kit needs. Written to the kit as they are: no place for secrets. An image of the kit
   * is named `registry.invalid/kit/NAME:TAG`.
   *
   * @default {}
   */
  values?: pulumi.Inputs | undefined;
}

const OWN_OUTPUTS: OwnOutputs<AirGapKitOutputs, AirGapKitInputs> = {
  path: undefined,
  version: undefined,
  jobId: undefined,
  sha256: undefined,
  size: undefined,
  files: undefined,
  signed: undefined,
  bundleSha256: undefined,
  pages: undefined,
  selfContained: undefined,
  externalLoads: undefined,
  createdAt: undefined,
};

// a property of the class for each output
export interface AirGapKit extends OutputsOf<AirGapKitOutputs> {}

/**
 * A kit that is carried by hand to where no network is: one folder with the bundle, the chart, the images, and programs of POSIX sh that
 * check, load and install it.
 *
 * `pulumi up` fetches the bundle and the images once, looks through the bundle, and puts the kit in its place as a whole, in a folder of
 * its own below `folder`. A run that is cut off is gone on with by the next. With `signingKeyEnv` the kit is signed; the private key
 * is read when the kit is written, and is nowhere else. The resource option `customTimeouts` limits create and update (default: 30
 * minutes each).
 *
 * Destroying it removes the kits that it wrote; with `retainOnDelete` they stay.
 *
 * @example
 * const docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1" });
 * const kit = new AirGapKit("kit", {
 *   source: docs,
 *   folder: "./kits",
 *   chart: "./chart",
 *   images: ["docker.io/nginxinc/nginx-unprivileged:1.30-alpine"],
 *   signingKeyEnv: "KIT_SIGNING_KEY",
 * });
 */
export class AirGapKit extends ProvidedResource {
  /**
   * @param name unique name of the resource in the stack
   * @param args what the kit carries, and where it is written
   * @param opts Pulumi's resource options
   */
  constructor(name: string, args: AirGapKitArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(
      "AirGapKit",
      name,
      {
        ...unset(AIR_GAP_KIT_INPUTS),
        ...args,
        source: plainSource(args.source),
        chart: args.chart === undefined ? undefined : pulumi.output(args.chart).apply(withDigest),
        ...OWN_OUTPUTS,
      },
      opts,
    );
  }
}

/** A chart with the digest of its files, by which other content is noticed; without one where it cannot be read: the provider says so. */
function withDigest(path: string): unknown {
  try {
    return { path, digest: chartDigest(path) };
  } catch {
    return path;
  }
}
