import { isUnknown, UNKNOWN } from "../../base/runtime/messages/plainText";
import { present } from "../../base/runtime/values/fields";
import {
  type AdditionFacts,
  type Copy,
  type DestinationInputs,
  kindFacts,
  type SiteChanges,
} from "../../publishing/index";
import { type Every, outputsAmong, unknownOutputs } from "../../resource/outputTable";
import {
  type CopyLinkOutputs,
  type EarlierItem,
  knownOfBundle,
  type PublishedBookkeeping,
  wholeAmong,
} from "../publication/publication";
import type { CheckedBundle, StateForm } from "../publication/publicationKind";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "./inputs";
import {
  BUNDLE_COPY_OUTPUTS,
  type BundleCopyOutputs,
  type CopyOwnOutputs,
  type EarlierCopy,
} from "./outputs";

/** Facts about a copied bundle. */
type CopiedBundle = Pick<
  CopyOwnOutputs,
  "version" | "sha256" | "size" | "files" | "pages" | "selfContained" | "externalLoads" | "copiedAt"
> &
  AdditionFacts & {
    readonly jobId?: string | undefined;
    readonly changes?: SiteChanges | undefined;
  };

/** @param copiedAtMs milliseconds since 1970 */
export function copiedBundle(
  { bundle, inspection }: CheckedBundle,
  copiedAtMs: number,
  added: AdditionFacts,
): CopiedBundle {
  const { version, jobId, sha256, size } = bundle;
  const { files, pages, selfContained, externalLoads } = inspection;
  const copiedAt = new Date(copiedAtMs).toISOString();
  return {
    version,
    jobId,
    sha256,
    size,
    files,
    pages,
    selfContained,
    externalLoads,
    copiedAt,
    ...added,
  };
}

/** A copy that was made and is not removed yet. */
export interface MadeCopy extends EarlierItem {
  readonly copy: Copy;
  readonly bundle: CopiedBundle;
}

/** Data stored beside the outputs and not shown to users. */
interface CopyBookkeeping extends PublishedBookkeeping {
  /** The input `sha256`. */
  readonly wantedSha256?: string | undefined;
  /** The copies, newest first. Empty only before the first copy exists. */
  readonly copies: readonly MadeCopy[];
}

/** The state of a bundle's copy between two operations. */
export interface BundleCopyState {
  readonly outputs: BundleCopyOutputs;
  readonly bookkeeping: CopyBookkeeping;
}

/**
 * The state with these copies, the newest first.
 *
 * @param link `undefined` if no link was signed: then the copy's own address is used, unless the destination signs links
 */
export function stateOf(
  inputs: CheckedCopyInputs,
  copies: readonly MadeCopy[],
  link?: CopyLinkOutputs,
): BundleCopyState {
  const [newest, ...older] = copies.map((made) => relocated(made, inputs.destination));
  if (newest === undefined) throw new Error("no copy is left"); // the plan makes one first
  const { copy, bundle } = newest;
  const { uri, image, sitePath, publicKey } = copy;
  const own: Every<Omit<CopyOwnOutputs, keyof CopiedBundle | keyof CopyLinkOutputs>> = {
    uri,
    image,
    sitePath,
    publicKey,
    earlier: wholeAmong(older, inputs.keep).map(earlierCopy),
  };
  const address = isLinkSigned(inputs.destination) ? undefined : copy.address;
  return {
    outputs: {
      ...inputs,
      ...present(bundle),
      ...present(own),
      ...(link ?? (address !== undefined && { bundleUrl: address })),
    },
    // only the newest copy needs its changes
    bookkeeping: {
      wantedSha256: inputs.sha256,
      copies: [newest, ...older.map((made) => ({ ...made, bundle: { ...made.bundle, changes: undefined } }))],
    },
  };
}

function earlierCopy({ copy: { uri, image }, bundle }: MadeCopy): EarlierCopy {
  const { version, jobId, sha256, copiedAt } = bundle;
  return present<EarlierCopy>({ version, jobId, uri, image, sha256, copiedAt });
}

/** A copy in a folder, by the path that the folder has now: another spelling of it is the same place. */
function relocated(made: MadeCopy, destination: DestinationInputs): MadeCopy {
  const { copy } = made;
  const here = kindFacts(destination)?.localPath ?? ((path) => path);
  const { uri, sitePath } = copy;
  const paths = { uri: here(uri), ...(sitePath !== undefined && { sitePath: here(sitePath) }) };
  return { ...made, copy: { ...copy, ...paths } };
}

/** The outputs before a copy is made. */
function outputsBefore(inputs: CheckedCopyInputs): Record<keyof CopyOwnOutputs, unknown> {
  const { destination, requireSelfContained } = inputs;
  const hasNoLinkLife = !isUnknown(destination) && !isLinkSigned(destination);
  const { isImage, localPath } = kindFacts(destination) ?? {};
  return {
    ...unknownOutputs(BUNDLE_COPY_OUTPUTS),
    ...knownOfBundle(inputs),
    sha256: inputs.sha256 ?? UNKNOWN,
    image: isImage === false ? undefined : UNKNOWN,
    bundleUrl: isImage || localPath ? undefined : UNKNOWN,
    ...(hasNoLinkLife && { expiresAt: undefined, renewAfter: undefined }),
    selfContained: isUnknown(requireSelfContained) || !requireSelfContained ? UNKNOWN : true,
    publicKey: inputs.signingKeyEnv === undefined ? undefined : UNKNOWN,
  };
}

/** Whether the destination signs links. */
export function isLinkSigned(place: DestinationInputs): boolean {
  return "linkLife" in place;
}

/** The inputs that a state was made from. */
function inputsOf({ outputs, bookkeeping: { wantedSha256 } }: BundleCopyState): CheckedCopyInputs {
  return outputsAmong<CheckedCopyInputs>(BUNDLE_COPY_INPUTS, { ...outputs, sha256: wantedSha256 });
}

/** How a state has inputs and copies. */
export const COPY_STATE: StateForm<{ inputs: CheckedCopyInputs; item: MadeCopy; state: BundleCopyState }> = {
  noBookkeeping: { copies: [] },
  inputsOf,
  itemsOf: ({ bookkeeping }) => bookkeeping.copies,
  stateOf,
  outputsBefore,
};
