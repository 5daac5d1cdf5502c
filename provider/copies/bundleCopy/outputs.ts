import type { ExternalLoad, FetchedAsset, SiteChanges } from "../../publishing/index";
import type { OutputTable } from "../../resource/outputTable";
import type { CheckedCopyInputs } from "./inputs";

/** Facts about bundle and copy. The only definition of these outputs. */
export interface CopyOwnOutputs {
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
  /** Number of pages in `llms.txt`. Only with `llmsTxt`. */
  llmsPages?: number;
  /** Version of the Markdown in it. A newer version of this package keeps it until the content changes. */
  llmsVersion?: string;
  /** What was fetched from other hosts. Only with `fetchExternal`. */
  fetchedAssets?: readonly FetchedAsset[];
  /** The earlier copies that `keep` keeps, newest first. Absent in a state of a version without this output, until the next update. */
  earlier?: readonly EarlierCopy[];
  /** How the site differs from that of the copy before, `earlier[0]`. Absent for the first copy. */
  changes?: SiteChanges;
  /** The public key of the image's signature, in PEM. Only with `signingKeyEnv`. */
  publicKey?: string;
}

/** The outputs of a bundle's copy: all inputs, and facts about bundle and copy. */
export interface BundleCopyOutputs extends CopyOwnOutputs, Omit<CheckedCopyInputs, keyof CopyOwnOutputs> {}

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

/** One row per output that does not repeat an input. */
export const BUNDLE_COPY_OUTPUTS: OutputTable<CopyOwnOutputs> = {
  version: {},
  jobId: { nullIfAbsent: true },
  sha256: {},
  size: {},
  files: {},
  pages: {},
  uri: {},
  image: { nullIfAbsent: true },
  sitePath: { nullIfAbsent: true },
  bundleUrl: { isSecret: true, isRenewed: true, nullIfAbsent: true },
  expiresAt: { isRenewed: true },
  renewAfter: { isRenewed: true },
  selfContained: {},
  externalLoads: {},
  copiedAt: {},
  searchPages: { nullIfAbsent: true },
  searchVersion: { nullIfAbsent: true },
  llmsPages: { nullIfAbsent: true },
  llmsVersion: { nullIfAbsent: true },
  fetchedAssets: { nullIfAbsent: true },
  earlier: {},
  changes: { nullIfAbsent: true },
  publicKey: { nullIfAbsent: true },
};
