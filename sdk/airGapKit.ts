import * as pulumi from "@pulumi/pulumi";
import type { AirGapKitInputs } from "../provider/kits/airGapKit/inputs";
import { AIR_GAP_KIT_OUTPUTS, type AirGapKitOutputs } from "../provider/kits/airGapKit/outputs";
import { chartDigest } from "../provider/kits/contents/chartDigest";
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

/** Arguments of {@link AirGapKit}: see {@link AirGapKitInputs} for the meaning of each. */
export interface AirGapKitArgs extends Omit<InputsOf<AirGapKitInputs>, "source" | "chart"> {
  /**
   * The bundle in the kit: an export of this stack, the fields of an export in another stack, or a bundle file on this machine.
   * The kit uses only domain, job, version, base URL and `apiKeyEnv` of an export, so a renewed link does not change the kit.
   */
  source: SourceArgs;
  /** Path of the chart that installs the site: a folder, or a packed chart (`.tgz`). @default none */
  chart?: pulumi.Input<string> | undefined;
}

const INPUTS: InputNames<AirGapKitInputs> = {
  ...PUBLISHING_INPUTS,
  folder: true,
  chart: true,
  images: true,
  platforms: true,
  values: true,
  since: true,
  partSize: true,
};

// a property of the class for each output
export interface AirGapKit extends OutputsOf<AirGapKitOutputs> {}

/**
 * A kit for installing the site without a network: one folder with the bundle, the chart, the images, and POSIX sh scripts that
 * verify, load and install them.
 *
 * `pulumi up` fetches the bundle and the images once, inspects the bundle, and publishes the complete kit in a new folder below
 * `folder`. The next run continues an interrupted one. `signingKeyEnv` signs the kit; the provider reads the private key when it
 * writes the kit and stores it nowhere. The resource option `customTimeouts` limits create and update (default: 30 minutes each).
 *
 * Destroying the resource removes the kits that it wrote; `retainOnDelete` keeps them.
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
  /** Whether a value is an AirGapKit, also of another copy of this package. */
  static override isInstance(value: unknown): value is AirGapKit {
    return isProvided(value, "AirGapKit");
  }

  /**
   * @param name unique name of the resource in the stack
   * @param args contents of the kit, and the folder to write it to
   * @param opts Pulumi's resource options
   */
  constructor(name: string, args: AirGapKitArgs, opts: pulumi.CustomResourceOptions = {}) {
    const given = givenArgs(args);
    super(
      "AirGapKit",
      name,
      { inputs: INPUTS, outputs: AIR_GAP_KIT_OUTPUTS },
      {
        ...given,
        source: plainSource(given.source),
        chart: given.chart === undefined ? undefined : pulumi.output(given.chart).apply(withDigest),
      },
      opts,
    );
  }
}

/**
 * Adds the digest of the chart's files, which detects changed content. An unreadable chart gets none: the provider reports the
 * error.
 */
function withDigest(path: string): unknown {
  try {
    return { path, digest: chartDigest(path) };
  } catch {
    return path;
  }
}
