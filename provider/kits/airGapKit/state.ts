import { join } from "node:path";
import { present } from "../../base/runtime/values/fields";
import {
  type EarlierItem,
  knownOfBundle,
  type PublishedBookkeeping,
} from "../../copies/publication/publication";
import type { StateForm } from "../../copies/publication/publicationKind";
import type { AdditionFacts, Bundle, Inspection } from "../../publishing/index";
import { type Every, outputsAmong, unknownOutputs } from "../../resource/outputTable";
import type { WrittenKit } from "../contents/compareKit";
import { AIR_GAP_KIT_INPUTS, type CheckedKitInputs } from "./inputs";
import { AIR_GAP_KIT_OUTPUTS, type AirGapKitOutputs, type KitOwnOutputs } from "./outputs";

/** Facts about the bundle in a kit. */
type PackedBundle = Pick<Bundle, "version" | "jobId" | "size"> &
  Pick<Inspection, "files" | "pages" | "selfContained" | "externalLoads"> & {
    /** SHA-256 of the archive. */
    readonly bundleSha256: string;
  };

/** A kit that was written and is not removed yet. */
export interface MadeKit extends EarlierItem {
  readonly kit: WrittenKit;
  readonly bundle: PackedBundle;
}

/** Data stored beside the outputs and not shown to users. */
interface KitBookkeeping extends PublishedBookkeeping {
  /** The kits, newest first. Empty only before the first kit exists. */
  readonly kits: readonly MadeKit[];
}

/** The state of a kit between two operations. */
export interface AirGapKitState {
  readonly outputs: AirGapKitOutputs;
  readonly bookkeeping: KitBookkeeping;
}

/** The state with these kits, the newest first. */
function stateOf(inputs: CheckedKitInputs, kits: readonly MadeKit[]): AirGapKitState {
  const [newest] = kits;
  if (newest === undefined) throw new Error("no kit is left"); // the plan makes one first
  const { kit, bundle } = newest;
  const { jobId, version, bundleSha256, pages, selfContained, externalLoads } = bundle;
  const { sha256, size, files, signed, createdAt, search } = kit;
  const own: Every<Omit<KitOwnOutputs, keyof AdditionFacts>> = {
    path: join(inputs.folder, kit.name),
    version,
    jobId,
    bundleSha256,
    pages,
    sha256,
    size,
    files,
    signed,
    createdAt,
  };
  const outputs = { ...inputs, ...present(own), ...present(search ?? {}), selfContained, externalLoads };
  return { outputs, bookkeeping: { kits } };
}

/** The outputs before a kit is written. */
function outputsBefore(inputs: CheckedKitInputs): Record<keyof KitOwnOutputs, unknown> {
  return {
    ...unknownOutputs(AIR_GAP_KIT_OUTPUTS),
    ...knownOfBundle(inputs),
    signed: inputs.signingKeyEnv !== undefined,
  };
}

/** The inputs that a state was made from. */
function inputsOf({ outputs }: AirGapKitState): CheckedKitInputs {
  return outputsAmong<CheckedKitInputs>(AIR_GAP_KIT_INPUTS, outputs);
}

/** How a state has inputs and kits. */
export const KIT_STATE: StateForm<{ inputs: CheckedKitInputs; item: MadeKit; state: AirGapKitState }> = {
  noBookkeeping: { kits: [] },
  inputsOf,
  itemsOf: ({ bookkeeping }) => bookkeeping.kits,
  stateOf,
  outputsBefore,
};
