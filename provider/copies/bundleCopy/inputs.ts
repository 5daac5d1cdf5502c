import { isDeepStrictEqual } from "node:util";
import {
  checkDestination,
  type DestinationInputs,
  type FetchOptions,
  type LlmsTxtOptions,
  type SearchOptions,
} from "../../publishing/index";
import { type InputTable, text } from "../../resource/inputTable";
import { PUBLICATION_INPUTS, SIGNING_KEY_INPUT } from "../publication/inputs";
import type { PublishedInputs } from "../publication/publication";
import { type BundleSource, isSameSource, ruleOfSource } from "../source/bundleSource";
import type { BundleLimits } from "../source/requirements";

/** The inputs of a bundle's copy, as plain values. The only definition of their names and effects. */
export interface BundleCopyInputs {
  /** The bundle to copy: an export, or a bundle file. A renewed link of the export does not change the copy. */
  source: BundleSource;
  /** The destination of the copy. Another destination replaces the resource and removes the copies at the old one. */
  destination: DestinationInputs;
  /** Expected SHA-256 of the archive, hexadecimal. A bundle with another digest is refused. @default any */
  sha256?: string;
  /**
   * Refuse a bundle whose pages, SVG files, style sheets or modules load anything from another host, or cannot be inspected.
   *
   * @default false: it is only reported
   */
  requireSelfContained?: boolean;
  /** Refuse a bundle over these limits. */
  limits?: BundleLimits;
  /** Number of earlier copies to keep beside the newest: for pods that still use them, and for rollbacks. @default 1 */
  keep?: number;
  /**
   * Add a search to the copy: an index and a search box that need no server and no network. `true`, or options. For images and for
   * the layout `site`. A change makes another copy.
   *
   * @default false
   */
  offlineSearch?: boolean | SearchOptions;
  /**
   * Add Markdown to the copy, for programs that read documentation: a Markdown file beside each page, and a list of them, `llms.txt`.
   * `true`, or options. For images and for the layout `site`. A change makes another copy.
   *
   * @default false
   */
  llmsTxt?: boolean | LlmsTxtOptions;
  /**
   * Fetch what pages load from other hosts (scripts, styles, fonts, images, media), store it in the copy, and refer to it there. `true`, or
   * options. For images and for the layout `site`. A change makes another copy.
   *
   * @default false
   */
  fetchExternal?: boolean | FetchOptions;
  /**
   * Name of the environment variable with the private key that signs the image, its provenance and its SBOM (PEM: ECDSA P-256 or
   * Ed25519). Only for images.
   *
   * @default none: the copy is not signed
   */
  signingKeyEnv?: string;
  /**
   * Take the destination over if it belongs to another stack or project, with everything that is recorded there. That stack cannot write
   * there any more. Set it for one `pulumi up`.
   *
   * @default false: it is refused
   */
  takeOver?: boolean;
}

/** Inputs after check: defaults filled in, values normalised. */
export interface CheckedCopyInputs
  extends PublishedInputs, Pick<BundleCopyInputs, "destination" | "sha256"> {}

/** One row per input: its rule, its default, and the effect of a change. For a destination, see `destinationChange`. */
export const BUNDLE_COPY_INPUTS: InputTable<BundleCopyInputs> = {
  source: {
    change: "content",
    required: "what to copy: a StaticExport, or { file, version }",
    rule: ruleOfSource,
    isSame: isSameSource,
  },
  destination: {
    change: "replaces",
    required:
      'where to copy it, such as { folder: "./bundles" } or { repository: "registry.internal/docs/site" }',
    rule: checkDestination,
    isSame: isDeepStrictEqual,
  },
  sha256: {
    change: "remembered", // unless the copy has another digest
    rule: text((value) =>
      /^[0-9a-f]{64}$/i.test(value)
        ? { value: value.toLowerCase() }
        : { problem: "must be a SHA-256 of 64 hexadecimal digits, as sha256sum writes it" },
    ),
  },
  ...PUBLICATION_INPUTS,
  signingKeyEnv: SIGNING_KEY_INPUT,
};
