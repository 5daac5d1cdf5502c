import type { ExternalLoad } from "../archive/site";
import type { Copy, CopyLink } from "../destination/destination";
import type { DestinationInputs } from "../destination/inputs";
import type { Drift, LinkOutputs } from "../published/publication";
import { linkTimes } from "../service/renewalWindow";
import { inputsAmong } from "../resource/inputTable";
import { BUNDLE_COPY_INPUTS, type CheckedInputs } from "./inputs";

/** The outputs of a bundle's copy: all inputs, and what was found and made. The one source of their names and effects. */
export interface BundleCopyOutputs extends Omit<CheckedInputs, "sha256"> {
  /** Label of the content. */
  version: string;
  /** Job that made it. Absent for a file. */
  jobId?: string;
  /** SHA-256 of the archive, hexadecimal. */
  sha256: string;
  /** Size of the archive in bytes. */
  size: number;
  /** Files of the site. */
  files: number;
  /** Its HTML files, without the site's `404.html`: as the reference service counts `pageCount`. */
  pages: number;
  /** Where the copy is, with its digest. */
  uri: string;
  /** The image, `repository@sha256:…`. Only of a registry. */
  image?: string;
  /** What a web server serves of the layout `site`: in a folder the path of `current`, in a bucket the URL of the site's root. */
  sitePath?: string;
  /** Address of the copy, where it has one that others can fetch it from. A credential when it is signed: always a secret. */
  bundleUrl?: string;
  /** When a signed link stops working, ISO 8601. */
  expiresAt?: string;
  /** From then on the next `pulumi up` signs another one, ISO 8601. */
  renewAfter?: string;
  /** No page and no style sheet loads anything from another host. */
  selfContained: boolean;
  /** What is loaded from elsewhere: at most 20. */
  externalLoads: readonly ExternalLoad[];
  /** When the copy was made, ISO 8601. */
  copiedAt: string;
}

/** What is known of a bundle that was copied. */
export type CopiedBundle = Pick<
  BundleCopyOutputs,
  "version" | "sha256" | "size" | "files" | "pages" | "selfContained" | "copiedAt"
> & { readonly jobId?: string | undefined; readonly externalLoads: readonly ExternalLoad[] };

/** A copy that was made, and not removed yet. */
export interface MadeCopy {
  readonly copy: Copy;
  readonly bundle: CopiedBundle;
}

/** What is remembered beside the outputs, and shown to nobody. */
export interface Bookkeeping {
  /** The digest that was asked for. */
  readonly wantedSha256?: string | undefined;
  /** The newest first. None only of what is no copy yet. */
  readonly copies: readonly MadeCopy[];
  /** A look found the newest one gone, or not as it was made; or it was published in part. */
  readonly drifted?: Drift | undefined;
}

/** All that is kept of a bundle's copy between two operations. */
export interface BundleCopyState {
  readonly outputs: BundleCopyOutputs;
  readonly bookkeeping: Bookkeeping;
}

/**
 * The state with these copies, the newest first.
 *
 * @param link `undefined` where none was signed: then the copy's own address, unless the place is to sign links
 */
export function stateOf(
  inputs: CheckedInputs,
  copies: readonly MadeCopy[],
  link?: LinkOutputs,
): BundleCopyState {
  const [newest] = copies;
  if (newest === undefined) throw new Error("no copy is left"); // the plan makes one first
  const { copy, bundle } = newest;
  const { jobId, ...seen } = bundle;
  const address = isLinkSigned(inputs.destination) ? undefined : copy.address;
  return {
    outputs: {
      ...inputs,
      ...seen,
      ...(jobId !== undefined && { jobId }),
      uri: copy.uri,
      ...(copy.image !== undefined && { image: copy.image }),
      ...(copy.sitePath !== undefined && { sitePath: copy.sitePath }),
      ...(link ?? (address !== undefined && { bundleUrl: address })),
    },
    bookkeeping: { wantedSha256: inputs.sha256, copies },
  };
}

/** Whether the place is to sign links. */
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
