import { basename, join } from "node:path";
import type { ExternalLoad } from "../../site/archive/site";
import type { Copy, CopyLink } from "../destinations/destination";
import type { DestinationInputs } from "../destinations/inputs";
import type { CheckedBundle, Drift, LinkOutputs } from "../publication/publication";
import { linkTimes } from "../../service/renewalWindow";
import { isUnknown, UNKNOWN } from "../../runtime/messages/plainText";
import type { SearchFacts } from "../../site/offlineSearch/unpackSite";
import { inputsAmong } from "../../resource/inputTable";
import { BUNDLE_COPY_INPUTS, type CheckedInputs } from "./inputs";
import type { SiteChanges } from "./siteChanges";

/**
 * The outputs of a bundle's copy: all inputs, and facts about bundle and copy. The only definition of their names and effects.
 */
export interface BundleCopyOutputs extends Omit<CheckedInputs, "sha256"> {
  /** Label of the content. */
  version: string;
  /** Job that made the content. Absent for a file. */
  jobId?: string;
  /** SHA-256 of the archive, hexadecimal. */
  sha256: string;
  /** Size of the archive in bytes. */
  size: number;
  /** Number of files of the site. */
  files: number;
  /** Number of HTML files of the site, without its `404.html`: the reference service counts `pageCount` the same way. */
  pages: number;
  /** URI of the copy, with its digest. */
  uri: string;
  /** The image, `repository@sha256:…`. Only for a registry. */
  image?: string;
  /** Root of the site for a web server, with the layout `site`: in a folder the path of `current`, in a bucket the root's URL. */
  sitePath?: string;
  /** Address to fetch the copy from, if it has one. Always a secret, because a signed address is a credential. */
  bundleUrl?: string;
  /** When a signed link stops working, ISO 8601. */
  expiresAt?: string;
  /** When the link is due for renewal, ISO 8601: from then on the next `pulumi up` signs a new link. */
  renewAfter?: string;
  /** Whether no page, style sheet or module loads anything from another host. */
  selfContained: boolean;
  /** What the site loads from other hosts: at most 20 addresses, one of each host first. */
  externalLoads: readonly ExternalLoad[];
  /** When the copy was made, ISO 8601. Of an imported copy: when it was imported. */
  copiedAt: string;
  /** Number of pages that the offline search finds. Only with `offlineSearch`. */
  searchPages?: number;
  /** Version of the offline search in it. A newer version of this package keeps it until the content changes. */
  searchVersion?: string;
  /** The earlier copies that `keep` keeps, newest first. Absent in a state of a version without this output, until the next update. */
  earlier?: readonly EarlierCopy[];
  /** How the site differs from that of the copy before, `earlier[0]`. Absent for the first copy. */
  changes?: SiteChanges;
  /** The public key of the image's signature, in PEM. Only with `signingKeyEnv`. */
  publicKey?: string;
}

/** An earlier copy that is still at the destination. */
export interface EarlierCopy {
  /** Label of the content. */
  readonly version: string;
  /** Job that made the content. Absent for a file. */
  readonly jobId?: string;
  /** URI of the copy, with its digest. */
  readonly uri: string;
  /** The image, `repository@sha256:…`. Only for a registry. */
  readonly image?: string;
  /** SHA-256 of the archive, hexadecimal. */
  readonly sha256: string;
  /** When the copy was made, ISO 8601. */
  readonly copiedAt: string;
}

/** Facts about a copied bundle. */
export type CopiedBundle = Pick<
  BundleCopyOutputs,
  "version" | "sha256" | "size" | "files" | "pages" | "selfContained" | "copiedAt"
> &
  SearchFacts & {
    readonly jobId?: string | undefined;
    readonly externalLoads: readonly ExternalLoad[];
    readonly changes?: SiteChanges | undefined;
  };

/** @param copiedAtMs milliseconds since 1970 */
export function copiedBundle(
  { bundle, inspection }: CheckedBundle,
  copiedAtMs: number,
  search: SearchFacts,
): CopiedBundle {
  const { version, jobId, sha256, size } = bundle;
  const { files, pages, selfContained, externalLoads } = inspection;
  const copiedAt = new Date(copiedAtMs).toISOString();
  return {
    ...{ version, jobId, sha256, size },
    ...{ files, pages, selfContained, externalLoads },
    ...{ copiedAt, ...search },
  };
}

/** A copy that was made and is not removed yet. */
export interface MadeCopy {
  readonly copy: Copy;
  readonly bundle: CopiedBundle;
}

/** Data stored beside the outputs and not shown to users. */
export interface Bookkeeping {
  /** The input `sha256`. */
  readonly wantedSha256?: string | undefined;
  /** The copies, newest first. Empty only before the first copy exists. */
  readonly copies: readonly MadeCopy[];
  /** A read found the newest copy missing or changed, or it was published only in part. */
  readonly drifted?: Drift | undefined;
  /** The ID in the marks at the destination, see `Owner`. */
  readonly owner?: string | undefined;
}

/** The state of a bundle's copy between two operations. */
export interface BundleCopyState {
  readonly outputs: BundleCopyOutputs;
  readonly bookkeeping: Bookkeeping;
}

/**
 * The state with these copies, the newest first.
 *
 * @param link `undefined` if no link was signed: then the copy's own address is used, unless the destination signs links
 */
export function stateOf(
  inputs: CheckedInputs,
  copies: readonly MadeCopy[],
  link?: LinkOutputs,
): BundleCopyState {
  const [newest, ...older] = copies.map((made) => relocated(made, inputs.destination));
  if (newest === undefined) throw new Error("no copy is left"); // the plan makes one first
  const { copy, bundle } = newest;
  const { jobId, changes, ...facts } = bundle;
  const address = isLinkSigned(inputs.destination) ? undefined : copy.address;
  return {
    outputs: {
      ...inputs,
      ...facts,
      ...(jobId !== undefined && { jobId }),
      uri: copy.uri,
      ...(copy.image !== undefined && { image: copy.image }),
      ...(copy.sitePath !== undefined && { sitePath: copy.sitePath }),
      ...(copy.publicKey !== undefined && { publicKey: copy.publicKey }),
      ...(link ?? (address !== undefined && { bundleUrl: address })),
      earlier: older.slice(0, inputs.keep).map(earlierCopy),
      ...(changes !== undefined && { changes }),
    },
    // only the newest copy needs its changes
    bookkeeping: { wantedSha256: inputs.sha256, copies: [newest, ...older.map(withoutChanges)] },
  };
}

function earlierCopy({ copy: { uri, image }, bundle }: MadeCopy): EarlierCopy {
  const { version, jobId, sha256, copiedAt } = bundle;
  return {
    version,
    ...(jobId !== undefined && { jobId }),
    uri,
    ...(image !== undefined && { image }),
    sha256,
    copiedAt,
  };
}

function withoutChanges({ copy, bundle }: MadeCopy): MadeCopy {
  return { copy, bundle: { ...bundle, changes: undefined } };
}

/** A copy in a folder, by the path that the folder has now: another spelling of it is the same place. */
function relocated(made: MadeCopy, destination: DestinationInputs): MadeCopy {
  if (!("folder" in destination)) return made;
  const { folder } = destination;
  const { uri, sitePath } = made.copy;
  return {
    ...made,
    copy: {
      ...made.copy,
      uri: join(folder, basename(uri)),
      ...(sitePath !== undefined && { sitePath: join(folder, basename(sitePath)) }),
    },
  };
}

/** The outputs before a copy is made. */
export function outputsBefore(
  inputs: CheckedInputs,
): Record<Exclude<keyof BundleCopyOutputs, Exclude<keyof CheckedInputs, "sha256">>, unknown> {
  const { source, destination } = inputs;
  const isDestinationKnown = !isUnknown(destination);
  return {
    version: isUnknown(source) ? UNKNOWN : source.version,
    jobId: isUnknown(source) ? UNKNOWN : "jobId" in source ? source.jobId : undefined,
    sha256: inputs.sha256 ?? UNKNOWN,
    size: UNKNOWN,
    files: UNKNOWN,
    pages: UNKNOWN,
    uri: UNKNOWN,
    image: isDestinationKnown && !("repository" in destination) ? undefined : UNKNOWN,
    sitePath: UNKNOWN,
    bundleUrl: UNKNOWN,
    expiresAt: isDestinationKnown && !isLinkSigned(destination) ? undefined : UNKNOWN,
    renewAfter: isDestinationKnown && !isLinkSigned(destination) ? undefined : UNKNOWN,
    selfContained: isUnknown(inputs.requireSelfContained) || !inputs.requireSelfContained ? UNKNOWN : true,
    externalLoads: UNKNOWN,
    copiedAt: UNKNOWN,
    searchPages: inputs.offlineSearch === undefined ? undefined : UNKNOWN,
    searchVersion: inputs.offlineSearch === undefined ? undefined : UNKNOWN,
    earlier: UNKNOWN,
    changes: UNKNOWN,
    publicKey: inputs.signingKeyEnv === undefined ? undefined : UNKNOWN,
  };
}

/** Whether the destination signs links. */
export function isLinkSigned(place: DestinationInputs): boolean {
  return "linkLife" in place;
}

/** @param signedAtMs milliseconds since 1970 */
export function linkOutputs({ url, ...link }: CopyLink, signedAtMs: number): LinkOutputs {
  return { bundleUrl: url, ...linkTimes({ mintedAtMs: signedAtMs, ...link }) };
}

/** The inputs that a state was made from. */
export function inputsOf({ outputs, bookkeeping: { wantedSha256 } }: BundleCopyState): CheckedInputs {
  return inputsAmong<CheckedInputs>(BUNDLE_COPY_INPUTS, { ...outputs, sha256: wantedSha256 });
}
