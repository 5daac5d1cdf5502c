import * as pulumi from "@pulumi/pulumi";
import { AIR_GAP_KIT_INPUTS, type AirGapKitInputs } from "../provider/airGapKit/inputs";
import type { AirGapKitOutputs } from "../provider/airGapKit/state";
import { chartDigest } from "./chartDigest";
import { plainSource, type SourceArgs } from "./plainSource";
import { ProvidedResource } from "./providedResource";
import { unset, type InputsOf, type OutputsOf } from "./resourceProperties";

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

/** Outputs that no input has: Pulumi makes properties of those that it is told of. */
const FROM_WRITING: Record<Exclude<keyof AirGapKitOutputs, keyof AirGapKitInputs>, undefined> = {
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

/** Values of the outputs of {@link AirGapKit}. */
type Outputs = OutputsOf<AirGapKitOutputs>;

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
export class AirGapKit extends ProvidedResource implements Required<Outputs> {
  /** What the kit carries, as plain values. */
  declare readonly source: Outputs["source"];
  /** Folder that kits are written to. */
  declare readonly folder: Outputs["folder"];
  /** The kit: its own folder, from the program's. */
  declare readonly path: Outputs["path"];
  /** Label of the content. */
  declare readonly version: Outputs["version"];
  /** Job that made it; none for a file. */
  declare readonly jobId: Required<Outputs>["jobId"];
  /** SHA-256 of its `SHA256SUMS`, hexadecimal: what can be told by telephone. */
  declare readonly sha256: Outputs["sha256"];
  /** Of all its files, in bytes. */
  declare readonly size: Outputs["size"];
  /** How many files it is. */
  declare readonly files: Outputs["files"];
  /** Whether somebody vouches for it by a signature. */
  declare readonly signed: Outputs["signed"];
  /** SHA-256 of the archive in it, hexadecimal. */
  declare readonly bundleSha256: Outputs["bundleSha256"];
  /** HTML files of the site. */
  declare readonly pages: Outputs["pages"];
  /** No page and no style sheet loads anything from another host. */
  declare readonly selfContained: Outputs["selfContained"];
  /** What pages and style sheets load from elsewhere: at most 20, each with its page and address. */
  declare readonly externalLoads: Outputs["externalLoads"];
  /** When the kit was written (ISO 8601). */
  declare readonly createdAt: Outputs["createdAt"];
  /** The chart, with the digest of its files. */
  declare readonly chart: Required<Outputs>["chart"];
  /** Names of the images that were asked for. */
  declare readonly images: Outputs["images"];
  /** Platforms of the images. */
  declare readonly platforms: Outputs["platforms"];
  /** Values of the chart that were given. */
  declare readonly values: Outputs["values"];
  /** Name of the environment variable with the private key. */
  declare readonly signingKeyEnv: Required<Outputs>["signingKeyEnv"];
  /** Path of the earlier kit's manifest. */
  declare readonly since: Required<Outputs>["since"];
  /** Size of the files that the kit is cut into, in bytes. */
  declare readonly partSize: Required<Outputs>["partSize"];
  /** Whether a bundle that loads from elsewhere is refused. */
  declare readonly requireSelfContained: Outputs["requireSelfContained"];
  /** What a bundle may be at most. */
  declare readonly limits: Outputs["limits"];
  /** How many earlier kits stay. */
  declare readonly keep: Outputs["keep"];

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
        ...FROM_WRITING,
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
