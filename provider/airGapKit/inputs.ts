import { isDeepStrictEqual } from "node:util";
import { nameProblem } from "../kit/imageName";
import { platformProblem } from "../kit/platform";
import { baseProblem } from "../registry/reference";
import { text, type InputTable, type RuleResult } from "../resource/inputTable";
import { isSameSource, ruleOfSource, type BundleSource, type CheckedSource } from "../source/bundleSource";
import { KEEP, LIMITS, REQUIRE_SELF_CONTAINED, type BundleLimits } from "../source/demands";
import { isUnknown } from "../messages/unknown";

/** A chart on this machine. */
export interface LocalChart {
  /** Its folder, or a packed one (`.tgz`), from the program's folder. */
  path: string;
  /** Digest of its files: by it other content under the same name is noticed. @default read when the program runs */
  digest?: string;
}

/** The inputs of a kit, as plain values. The one source of their names and effects. */
export interface AirGapKitInputs {
  /** What it carries: an export, or a file that arrived by other ways. A renewed link of the export changes nothing here. */
  source: BundleSource;
  /** Folder that kits are written to, each in one of its own. Another one replaces the resource: the kits at the old one go. */
  folder: string;
  /** The chart that installs the site, packed as helm takes it. @default none */
  chart?: string | LocalChart;
  /** Names of images, pulled from their registries. The site's own is built on the first, which has to be nginx. @default none */
  images?: readonly string[];
  /** Platforms that images are pulled for: `linux/amd64`, `linux/arm64/v8`. @default ["linux/amd64"] */
  platforms?: readonly string[];
  /**
   * Values of the chart, laid over those that the kit needs. Written to the kit as they are: no place for secrets. An image of the kit is
   * named `registry.invalid/kit/NAME:TAG`.
   *
   * @default {}
   */
  values?: Readonly<Record<string, unknown>>;
  /** Name of the environment variable with the private key (PEM: ECDSA P-256 or Ed25519) that signs the kit. @default nobody signs it */
  signingKeyEnv?: string;
  /** Path of an earlier kit's `manifest.json`: the layers that it has are left out. @default nothing is left out */
  since?: string;
  /** Size of the files that the kit is cut into, in bytes, from 1 MiB: for media that take no larger ones. @default it is not cut */
  partSize?: number;
  /** Refuse a bundle whose pages or style sheets would load something from another host. @default false: it is only told */
  requireSelfContained?: boolean;
  /** Refuse a bundle that is larger. */
  limits?: BundleLimits;
  /** How many earlier kits stay beside the newest. @default 1 */
  keep?: number;
}

/** Inputs after check: defaults filled in, one spelling for each value. */
export interface CheckedInputs extends Omit<
  AirGapKitInputs,
  "source" | "chart" | "images" | "platforms" | "values" | "requireSelfContained" | "limits" | "keep"
> {
  /** What the kit carries, as plain values. */
  source: CheckedSource;
  /** The chart, with the digest of its files. */
  chart?: LocalChart;
  /** Names of the images that were asked for. */
  images: readonly string[];
  /** Platforms of the images. */
  platforms: readonly string[];
  /** Values of the chart that were given. */
  values: Readonly<Record<string, unknown>>;
  /** Whether a bundle that loads from elsewhere is refused. */
  requireSelfContained: boolean;
  /** What a bundle may be at most. */
  limits: Required<BundleLimits>;
  /** How many earlier kits stay. */
  keep: number;
}

/** Smaller ones would be more than anybody carries, in bytes. */
const SMALLEST_PART = 2 ** 20;

const DEFAULT_PLATFORMS = ["linux/amd64"];

/** One row an input: its rule, its default, and what a change of it means. */
export const AIR_GAP_KIT_INPUTS: InputTable<AirGapKitInputs> = {
  source: {
    change: "content",
    required: "what the kit carries: a StaticExport, or { file, version }",
    rule: ruleOfSource,
    isSame: isSameSource,
  },
  folder: {
    change: "replaces",
    required: 'the folder that kits are written to, such as "./kits"',
    rule: text(ruleOfPath("a folder", "./kits")),
  },
  chart: { change: "content", rule: ruleOfChart, isSame: isSameChart },
  images: { change: "content", default: [], rule: ruleOfImages, isSame: isDeepStrictEqual },
  platforms: {
    change: "content",
    default: DEFAULT_PLATFORMS,
    rule: (value) => {
      const ruled = ruleOfList(value, platformProblem, "linux/amd64");
      return "value" in ruled && (ruled.value as unknown[]).length === 0
        ? { problem: "must name one platform at least" }
        : ruled;
    },
    isSame: isDeepStrictEqual,
  },
  values: {
    change: "content",
    default: {},
    rule: (value) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? { value }
        : { problem: "must be an object, such as { replicas: 2 }" },
    isSame: isDeepStrictEqual,
  },
  signingKeyEnv: {
    change: "content",
    rule: text((value) =>
      /^[A-Za-z_]\w*$/.test(value)
        ? { value }
        : { problem: "must be the name of an environment variable, not the key itself" },
    ),
  },
  since: {
    change: "content",
    rule: text(ruleOfPath("an earlier kit's manifest", "./kits/v1/manifest.json")),
  },
  partSize: {
    change: "content",
    rule: (value) =>
      Number.isSafeInteger(value) && Number(value) >= SMALLEST_PART
        ? { value }
        : { problem: `must be a whole number of bytes, at least ${SMALLEST_PART}` },
  },
  requireSelfContained: REQUIRE_SELF_CONTAINED,
  limits: LIMITS,
  keep: KEEP,
};

function ruleOfPath(what: string, example: string): (value: string) => RuleResult {
  return (value) =>
    value.trim() === "" || value.includes("\0")
      ? { problem: `must be the path of ${what}, such as "${example}"` }
      : { value };
}

function ruleOfChart(value: unknown): RuleResult {
  const problem = 'must be the path of a chart, such as "./chart"';
  const given = typeof value === "string" ? { path: value } : value;
  const { path, digest, ...others } = Object(given) as Record<string, unknown>;
  if (Object.keys(others).length > 0 || typeof path !== "string") return { problem };
  if (path.trim() === "" || path.includes("\0")) return { problem };
  if (/^(?:oci|https?):/.test(path)) {
    return { problem: "must be on this machine: fetch it with `helm pull`, and give its .tgz" };
  }
  return { value: { path, ...(typeof digest === "string" && { digest }) } };
}

/** Where a chart lies does not matter as long as its digest is known, nor that it is there no longer. */
function isSameChart(one: unknown, other: unknown): boolean {
  const [first, second] = [one, other] as (LocalChart | undefined)[];
  return first?.digest !== undefined && second?.digest !== undefined
    ? first.digest === second.digest
    : first?.path === second?.path;
}

function ruleOfImages(value: unknown): RuleResult {
  const ruled = ruleOfList(value, baseProblem, "nginxinc/nginx-unprivileged:1.30-alpine");
  if ("problem" in ruled) return ruled;
  const problem = nameProblem((ruled.value as unknown[]).filter((each) => !isUnknown(each)) as string[]);
  return problem === undefined ? ruled : { problem };
}

function ruleOfList(
  value: unknown,
  problemOf: (text: string) => string | undefined,
  example: string,
): RuleResult {
  if (!Array.isArray(value)) return { problem: `must be a list, such as ["${example}"]` };
  for (const [index, each] of (value as unknown[]).entries()) {
    if (isUnknown(each)) continue;
    const problem = typeof each === "string" ? problemOf(each) : "must be a string";
    if (problem !== undefined) return { at: String(index), problem };
  }
  return { value };
}
