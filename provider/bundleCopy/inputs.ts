import { isDeepStrictEqual } from "node:util";
import { checkDestination, type DestinationInputs } from "../destination/inputs";
import { text, type InputTable } from "../resource/inputTable";
import { isSameSource, ruleOfSource, type CheckedSource, type BundleSource } from "../source/bundleSource";
import { KEEP, LIMITS, REQUIRE_SELF_CONTAINED, type BundleLimits } from "../source/demands";

/** The inputs of a bundle's copy, as plain values. The one source of their names and effects. */
export interface BundleCopyInputs {
  /** What is copied: an export, or a file that arrived by other ways. A renewed link of the export changes nothing here. */
  source: BundleSource;
  /** Where to. Another place replaces the resource: the copies at the old one go. */
  destination: DestinationInputs;
  /** SHA-256 of the archive, hexadecimal: a bundle with another one is refused. */
  sha256?: string;
  /** Refuse a bundle whose pages or style sheets would load something from another host. @default false: it is only told */
  requireSelfContained?: boolean;
  /** Refuse a bundle that is larger. */
  limits?: BundleLimits;
  /** How many earlier copies stay beside the newest: for pods that still run on them, and for going back. @default 1 */
  keep?: number;
}

/** Inputs after check: defaults filled in, one spelling for each value. */
export interface CheckedInputs {
  /** What was copied, as plain values. */
  source: CheckedSource;
  /** The place. */
  destination: DestinationInputs;
  sha256?: string;
  /** Whether a bundle that loads from elsewhere is refused. */
  requireSelfContained: boolean;
  /** What a bundle may be at most. */
  limits: Required<BundleLimits>;
  /** How many earlier copies stay. */
  keep: number;
}

/** One row an input: its rule, its default, and what a change of it means; of a place, that depends, see `destinationChange`. */
export const BUNDLE_COPY_INPUTS: InputTable<BundleCopyInputs> = {
  source: {
    change: "content",
    required: "what is copied: a StaticExport, or { file, version }",
    rule: ruleOfSource,
    isSame: isSameSource,
  },
  destination: {
    change: "replaces",
    required: 'where to, such as { folder: "./bundles" } or { repository: "registry.internal/docs/site" }',
    rule: checkDestination,
    isSame: isDeepStrictEqual,
  },
  sha256: {
    change: "remembered", // unless the copy has another one
    rule: text((value) =>
      /^[0-9a-f]{64}$/i.test(value)
        ? { value: value.toLowerCase() }
        : { problem: "must be a SHA-256 of 64 hexadecimal digits, as sha256sum writes it" },
    ),
  },
  requireSelfContained: REQUIRE_SELF_CONTAINED,
  limits: LIMITS,
  keep: KEEP,
};
