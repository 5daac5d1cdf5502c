import type { ExternalLoad, FetchedAsset } from "../../publishing/index";
import type { OutputTable } from "../../resource/outputTable";
import type { CheckedKitInputs } from "./inputs";

/** Facts about the bundle and the kit. The only definition of these outputs. */
export interface KitOwnOutputs {
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
  /** Number of pages in `llms.txt`. Only with `llmsTxt`. */
  llmsPages?: number;
  /** Version of the Markdown in it. A newer version of this package keeps it until the content changes. */
  llmsVersion?: string;
  /** What was fetched from other hosts. Only with `fetchExternal`. */
  fetchedAssets?: readonly FetchedAsset[];
}

/** The outputs of a kit: all inputs, and facts about the bundle and the kit. */
export interface AirGapKitOutputs extends KitOwnOutputs, CheckedKitInputs {}

/** One row per output that does not repeat an input. */
export const AIR_GAP_KIT_OUTPUTS: OutputTable<KitOwnOutputs> = {
  path: {},
  version: {},
  jobId: { nullIfAbsent: true },
  sha256: {},
  size: {},
  files: {},
  signed: {},
  bundleSha256: {},
  pages: {},
  selfContained: {},
  externalLoads: {},
  createdAt: {},
  searchPages: { nullIfAbsent: true },
  searchVersion: { nullIfAbsent: true },
  llmsPages: { nullIfAbsent: true },
  llmsVersion: { nullIfAbsent: true },
  fetchedAssets: { nullIfAbsent: true },
};
