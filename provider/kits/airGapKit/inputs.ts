import { isDeepStrictEqual } from "node:util";
import { pathProblem } from "../../base/runtime/files/pathProblem";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { hasFields } from "../../base/runtime/values/fields";
import { PUBLICATION_INPUTS, SIGNING_KEY_INPUT } from "../../copies/publication/inputs";
import type { PublishedInputs } from "../../copies/publication/publication";
import { type BundleSource, isSameSource, ruleOfSource } from "../../copies/source/bundleSource";
import type { BundleLimits } from "../../copies/source/requirements";
import {
  baseProblem,
  type FetchOptions,
  type LlmsTxtOptions,
  type SearchOptions,
} from "../../publishing/index";
import { withAnyValue } from "../../resource/anyValue";
import { type InputTable, type RuleResult, text } from "../../resource/inputTable";
import { nameProblem, platformProblem } from "../contents/kitImage";

/** A chart on this machine. */
interface LocalChart {
  /** The chart's folder, or a packed chart (`.tgz`). Relative to the program's folder. */
  path: string;
  /** Digest of the chart's files. It detects changed content under the same name. @default computed when the program runs */
  digest?: string;
}

/** The inputs of a kit, as plain values. The only definition of their names and effects. */
export interface AirGapKitInputs {
  /** The bundle in the kit: an export, or a bundle file. A renewed link of the export does not change the kit. */
  source: BundleSource;
  /** Folder for the kits, one subfolder per kit. Another folder replaces the resource and removes the kits in the old one. */
  folder: string;
  /**
   * The chart that installs the site: a folder, which is packed as helm does, or a `.tgz`, which the kit contains unchanged. Changed
   * content is detected.
   *
   * @default none
   */
  chart?: string | LocalChart;
  /**
   * Images to pull from their registries. The site's image is built on the first one, which must be nginx. In the kit their names
   * have no registry: `nginx-unprivileged:1.30-alpine`.
   *
   * @default none
   */
  images?: readonly string[];
  /** Platforms to pull the images for, such as `linux/amd64` or `linux/arm64/v8`. @default ["linux/amd64"] */
  platforms?: readonly string[];
  /**
   * Values of the chart. They override the values that the kit sets. The kit stores them unencrypted: do not put secrets here.
   * Refer to an image of the kit as `registry.invalid/kit/NAME:TAG`.
   *
   * @default {}
   */
  values?: Readonly<Record<string, unknown>>;
  /**
   * Name of the environment variable with the private key that signs the kit and its image of the site (PEM: ECDSA P-256 or Ed25519).
   * `load.sh` puts the image's signature into the registry, where cosign, Flux and admission controllers verify it.
   *
   * @default none: the kit is not signed
   */
  signingKeyEnv?: string;
  /** Path of an earlier kit's `manifest.json`. The kit omits the layers of that kit. @default none: the kit has all layers */
  since?: string;
  /** Split the kit into files of this size, in bytes, at least 1 MiB: for media with a file size limit. @default not split */
  partSize?: number;
  /**
   * Refuse a bundle whose pages, SVG files, style sheets or modules load anything from another host, or cannot be inspected.
   *
   * @default false: it is only reported
   */
  requireSelfContained?: boolean;
  /** Refuse a bundle over these limits. */
  limits?: BundleLimits;
  /** Number of earlier kits to keep beside the newest. @default 1 */
  keep?: number;
  /**
   * Add a search to the site's image in the kit: an index and a search box that need no server and no network. `true`, or options.
   * Needs `images`. The archive in the kit stays as it is.
   *
   * @default false
   */
  offlineSearch?: boolean | SearchOptions;
  /**
   * Add Markdown to the site's image in the kit, for programs that read documentation: a Markdown file beside each page, and a list of
   * them, `llms.txt`. `true`, or options. Needs `images`. The archive in the kit stays as it is.
   *
   * @default false
   */
  llmsTxt?: boolean | LlmsTxtOptions;
  /**
   * Fetch what pages load from other hosts (scripts, styles, fonts, images, media), store it in the site's image in the kit, and refer to
   * it there. `true`, or options. Needs `images`. The archive in the kit stays as it is.
   *
   * @default false
   */
  fetchExternal?: boolean | FetchOptions;
  /**
   * Take the folder over if it belongs to another stack or project, with everything that is recorded there. That stack then cannot write
   * there any more. Set it for one `pulumi up`.
   *
   * @default false: it is refused
   */
  takeOver?: boolean;
}

/** Inputs after check: defaults filled in, values normalised. */
export interface CheckedKitInputs
  extends PublishedInputs, Pick<AirGapKitInputs, "folder" | "since" | "partSize"> {
  /** The chart, with the digest of its files. */
  chart?: LocalChart;
  /** Names of the requested images. */
  images: readonly string[];
  /** Platforms of the images. */
  platforms: readonly string[];
  /** The given values of the chart. */
  values: Readonly<Record<string, unknown>>;
}

/** Smallest part size, in bytes: smaller parts would be too many. */
const SMALLEST_PART = 2 ** 20;

/** One row per input: its rule, its default, and the effect of a change. */
export const AIR_GAP_KIT_INPUTS: InputTable<AirGapKitInputs> = {
  source: {
    change: "content",
    required: "what the kit contains: a StaticExport, or { file, version }",
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
    default: ["linux/amd64"],
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
    // empty objects are usual in values of a chart
    rule: withAnyValue(
      (value) => (hasFields(value) ? { value } : { problem: "must be an object, such as { replicas: 2 }" }),
      false,
    ),
    isSame: isDeepStrictEqual,
  },
  signingKeyEnv: SIGNING_KEY_INPUT,
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
  ...PUBLICATION_INPUTS,
};

function ruleOfPath(what: string, example: string): (value: string) => RuleResult {
  return (value) => {
    const problem = pathProblem(value, what, example);
    return problem === undefined ? { value } : { problem };
  };
}

function ruleOfChart(value: unknown): RuleResult {
  const given = typeof value === "string" ? { path: value } : value;
  const { path, digest, ...others } = Object(given) as Record<string, unknown>;
  if (Object.keys(others).length > 0 || typeof path !== "string") {
    return { problem: 'must be the path of a chart, such as "./chart"' };
  }
  if (/^(?:oci|https?):/.test(path)) {
    return { problem: "must be on this machine: fetch it with `helm pull`, and give its .tgz" };
  }
  const problem = pathProblem(path, "a chart", "./chart");
  if (problem !== undefined) return { problem };
  return { value: { path, ...(typeof digest === "string" && { digest }) } };
}

/** Compares by digest if both are known: then neither the path matters nor whether the chart still exists. */
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
