import { join } from "node:path";
import type { ExternalLoad } from "../archive/site";
import type { WrittenKit } from "../kit/writeKit";
import type { Drift } from "../published/publication";
import { inputsAmong } from "../resource/inputTable";
import { AIR_GAP_KIT_INPUTS, type CheckedInputs } from "./inputs";

/** The outputs of a kit: all inputs, and what was found and made. The one source of their names and effects. */
export interface AirGapKitOutputs extends CheckedInputs {
  /** The kit: its folder, from the program's. */
  path: string;
  /** Label of the content. */
  version: string;
  /** Job that made it. Absent for a file. */
  jobId?: string;
  /** SHA-256 of its `SHA256SUMS`, hexadecimal. */
  sha256: string;
  /** Of all its files, in bytes. */
  size: number;
  /** How many files it is. */
  files: number;
  /** Whether somebody vouches for it by a signature. */
  signed: boolean;
  /** SHA-256 of the archive in it, hexadecimal. */
  bundleSha256: string;
  /** HTML files of the site. */
  pages: number;
  /** No page and no style sheet loads anything from another host. */
  selfContained: boolean;
  /** What is loaded from elsewhere: at most 20. */
  externalLoads: readonly ExternalLoad[];
  /** When the kit was written, ISO 8601. */
  createdAt: string;
}

/** What is known of the bundle in a kit. */
export type CarriedBundle = Pick<AirGapKitOutputs, "version" | "bundleSha256" | "pages" | "selfContained"> & {
  readonly jobId?: string | undefined;
  readonly externalLoads: readonly ExternalLoad[];
  /** Of the archive, in bytes. */
  readonly size: number;
  /** Of the site. */
  readonly files: number;
};

/** A kit that was written, and not removed yet. */
export interface MadeKit {
  readonly kit: WrittenKit;
  readonly bundle: CarriedBundle;
}

/** What is remembered beside the outputs, and shown to nobody. */
export interface Bookkeeping {
  /** The newest first. None only of what is no kit yet. */
  readonly kits: readonly MadeKit[];
  /** A look found the newest one gone, or not as it was written; or a run was cut off while it put the kit in its place. */
  readonly drifted?: Drift | undefined;
}

/** All that is kept of a kit between two operations. */
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
    },
    bookkeeping: { kits },
  };
}

/** The inputs that a state was made from. */
export function inputsOf({ outputs }: AirGapKitState): CheckedInputs {
  return inputsAmong<CheckedInputs>(AIR_GAP_KIT_INPUTS, outputs);
}
