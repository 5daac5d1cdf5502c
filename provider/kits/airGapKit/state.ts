import { join } from "node:path";
import type { ExternalLoad } from "../../site/archive/site";
import type { WrittenKit } from "../contents/writtenKit";
import type { Drift } from "../../copies/publication/publication";
import { isUnknown, UNKNOWN } from "../../runtime/messages/plainText";
import { inputsAmong } from "../../resource/inputTable";
import { AIR_GAP_KIT_INPUTS, type CheckedInputs } from "./inputs";

/** The outputs of a kit: all inputs, and facts about the bundle and the kit. The only definition of their names and effects. */
export interface AirGapKitOutputs extends CheckedInputs {
  /** Path of the kit's folder, relative to the program's folder. */
  path: string;
  /** Label of the content. */
  version: string;
  /** Job that made the content. Absent for a file. */
  jobId?: string;
  /** SHA-256 of the kit's `SHA256SUMS`, hexadecimal. */
  sha256: string;
  /** Size of all files of the kit, in bytes. */
  size: number;
  /** Number of files in the kit. */
  files: number;
  /** Whether the kit is signed. */
  signed: boolean;
  /** SHA-256 of the archive in the kit, hexadecimal. */
  bundleSha256: string;
  /** Number of HTML files of the site. */
  pages: number;
  /** Whether no page, style sheet or module loads anything from another host. */
  selfContained: boolean;
  /** What the site loads from other hosts: at most 20 addresses, one of each host first. */
  externalLoads: readonly ExternalLoad[];
  /** When the kit was written, ISO 8601. */
  createdAt: string;
  /** Number of pages that the offline search finds. Only with `offlineSearch`. */
  searchPages?: number;
  /** Version of the offline search in it. A newer version of this package keeps it until the content changes. */
  searchVersion?: string;
}

/** Facts about the bundle in a kit. */
export type PackedBundle = Pick<AirGapKitOutputs, "version" | "bundleSha256" | "pages" | "selfContained"> & {
  readonly jobId?: string | undefined;
  readonly externalLoads: readonly ExternalLoad[];
  /** Size of the archive, in bytes. */
  readonly size: number;
  /** Number of files of the site. */
  readonly files: number;
};

/** A kit that was written and is not removed yet. */
export interface MadeKit {
  readonly kit: WrittenKit;
  readonly bundle: PackedBundle;
}

/** Data stored beside the outputs and not shown to users. */
export interface Bookkeeping {
  /** The kits, newest first. Empty only before the first kit exists. */
  readonly kits: readonly MadeKit[];
  /** A read found the newest kit missing or changed, or a run was interrupted while it published the kit. */
  readonly drifted?: Drift | undefined;
  /** The ID in the marks in the folder, see `Owner`. */
  readonly owner?: string | undefined;
}

/** The state of a kit between two operations. */
export interface AirGapKitState {
  readonly outputs: AirGapKitOutputs;
  readonly bookkeeping: Bookkeeping;
}

/** The state with these kits, the newest first. */
export function stateOf(inputs: CheckedInputs, kits: readonly MadeKit[]): AirGapKitState {
  const [newest] = kits;
  if (newest === undefined) throw new Error("no kit is left"); // the plan makes one first
  const { kit, bundle } = newest;
  const { jobId, version, bundleSha256, pages, selfContained, externalLoads } = bundle;
  return {
    outputs: {
      ...inputs,
      path: join(inputs.folder, kit.name),
      version,
      ...(jobId !== undefined && { jobId }),
      sha256: kit.sha256,
      size: kit.size,
      files: kit.files,
      signed: kit.signed,
      bundleSha256,
      pages,
      selfContained,
      externalLoads,
      createdAt: kit.createdAt,
      ...kit.search,
    },
    bookkeeping: { kits },
  };
}

/** The outputs before a kit is written. */
export function outputsBefore({
  source,
  signingKeyEnv,
  offlineSearch,
}: CheckedInputs): Record<Exclude<keyof AirGapKitOutputs, keyof CheckedInputs>, unknown> {
  return {
    path: UNKNOWN,
    version: isUnknown(source) ? UNKNOWN : source.version,
    jobId: isUnknown(source) ? UNKNOWN : "jobId" in source ? source.jobId : undefined,
    sha256: UNKNOWN,
    size: UNKNOWN,
    files: UNKNOWN,
    signed: signingKeyEnv !== undefined,
    bundleSha256: UNKNOWN,
    pages: UNKNOWN,
    selfContained: UNKNOWN,
    externalLoads: UNKNOWN,
    createdAt: UNKNOWN,
    searchPages: offlineSearch === undefined ? undefined : UNKNOWN,
    searchVersion: offlineSearch === undefined ? undefined : UNKNOWN,
  };
}

/** The inputs that a state was made from. */
export function inputsOf({ outputs }: AirGapKitState): CheckedInputs {
  return inputsAmong<CheckedInputs>(AIR_GAP_KIT_INPUTS, outputs);
}
