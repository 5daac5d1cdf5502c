import { BundleRefusedError } from "../../base/runtime/messages/errors";
import { printable, truncate } from "../../base/runtime/messages/plainText";

/** What to do about a refused bundle: whole sentences. It depends on who can mend the bundle. */
export interface Remedy {
  /** For the bundle of an export. */
  readonly exported: string;
  /** For a file that its owner packed: which option of the packer. */
  readonly packed: string;
}

/** Packs a folder in the way that every rule accepts. */
const PACK = "`tar -czf site.tar.gz -C FOLDER .`";

const EXPORT_AGAIN =
  "Export the site again. If the next bundle contains it, too, report it to the service's support.";
const unsafe = (packed: string): Remedy => ({ exported: EXPORT_AGAIN, packed });

/** The remedy for what is not a whole archive. */
export const broken = (packed: string): Remedy => ({
  exported: "Run `pulumi up` again; if the bundle is still broken, export the site again.",
  packed,
});

/** The remedy for a damaged bundle. */
export const BROKEN: Remedy = broken(
  `Copy the file here again; if it is still broken, pack the site again: ${PACK}.`,
);

/** The remedy for what an archive contains only if its packer, or somebody after it, made it strange. */
export const UNSAFE: Remedy = unsafe(`Pack the site again, into a new file: ${PACK}.`);

/** The remedy for names that no destination accepts. */
export const RENAME: Remedy = {
  exported: "Rename that page or file in the site's sources and export again.",
  packed: "Rename that file or folder and pack the site again.",
};

/** What packers write only with, or without, one of their options. */
type RefusedForm =
  | "symbolicLink"
  | "hardLink"
  | "special"
  | "sparse"
  | "ownersRights"
  | "leadsOutside"
  | "backslash"
  | "controlCharacter"
  | "notUtf8"
  | "twice"
  | "encrypted"
  | "method"
  | "metadata"
  | "appended"
  | "splitZip";

/** The remedies for what packers write only with, or without, one of their options. */
export const REFUSAL_REMEDIES: Readonly<Record<RefusedForm, Remedy>> = {
  symbolicLink: unsafe(
    "Pack what the links lead to: `tar -chzf site.tar.gz -C FOLDER .` (Python: `dereference=True`; npm's tar: `follow: true`), or `zip -r` " +
      "without `-y`. If a link leads nowhere, remove it first.",
  ),
  hardLink: unsafe(
    `Pack the site again, each file with its content: ${PACK} with GNU tar's \`--hard-dereference\`, or \`zip -r\`.`,
  ),
  special: unsafe("Leave it out: `tar --exclude=NAME -czf site.tar.gz -C FOLDER .`."),
  sparse: unsafe(`Pack the site without \`--sparse\` (\`-S\`): ${PACK}.`),
  ownersRights: unsafe(
    "Take the bits setuid and setgid away, and pack the site again: `find FOLDER -type f -exec chmod ug-s {} +`.",
  ),
  leadsOutside: unsafe(`Pack from within the site's folder, without absolute paths and \`..\`: ${PACK}.`),
  backslash: unsafe(
    "Compress-Archive of Windows PowerShell 5.1 and other programs for .NET Framework write backslashes instead of slashes. Pack with the tar of Windows: " +
      `${PACK}, with PowerShell 7, or with 7-Zip. If the name of a file itself contains a backslash, rename the file.`,
  ),
  controlCharacter: unsafe("Rename that file or folder: `ls -b` shows such names. Then pack the site again."),
  notUtf8: unsafe(
    "Pack with names in UTF-8: for tar convert the names on disk (`convmv -r -f latin1 -t utf8 --notest FOLDER`), or use `--format=pax`; for zip " +
      "set a locale such as `LC_ALL=C.UTF-8`.",
  ),
  twice: unsafe(
    `The archive was appended to (\`tar -r\`, \`tar -u\`, zip into an existing file), or two paths were packed into one. Pack into a new file: ${PACK}.`,
  ),
  encrypted: unsafe(`Pack the site again, without a password: ${PACK}.`),
  method: unsafe(
    "Pack with the method Deflate: `zip -r`, `7z a -tzip -mm=Deflate`. Windows' Explorer uses another one for large files: there, pack with " +
      `${PACK}.`,
  ),
  metadata: unsafe(
    `Pack without labels, volumes and lists of increments (\`-V\`, \`-M\`, \`-g\`), in the usual format: ${PACK}.`,
  ),
  appended: unsafe(
    `Something was appended to the archive, or archives were joined (\`cat\`). Pack all into one: ${PACK}.`,
  ),
  splitZip: broken(`Pack the site in one part (zip without \`-s\`, 7-Zip without \`-v\`): ${PACK}.`),
};

/** The remedy for an archive that another program than gzip compressed, or none. @param unpack prints the tar */
export function recompress(unpack: string): Remedy {
  return broken(`Compress it with gzip: \`${unpack} | gzip > site.tar.gz\`.`);
}

/** The remedy for an archive of another kind. */
export const PACK_AGAIN: Remedy = broken(
  `Pack the site as tar.gz or zip: ${PACK}, or \`zip -r site.zip .\` within the folder.`,
);

/** The remedy for a reply of a server in place of an archive. */
export const DOWNLOAD_AGAIN: Remedy = broken(
  "Look at the file: it says what the server answered. Download it again, or pack the site.",
);

/** The remedy for an exceeded limit. */
export function raise(limit: string): Remedy {
  const remedy = `If the site is meant to be that large, raise \`limits.${limit}\`.`;
  return { exported: remedy, packed: remedy };
}

/** The remedies of refusals for the owner of a packed file. Refusals have those of an export, until it is known whose bundle it is. */
const PACKED = new WeakMap<BundleRefusedError, string>();

/** @param problem the violated rule, as the end of a sentence that starts with the subject */
export function bundleRefusal(
  problem: string,
  { exported, packed }: Remedy,
  subject = "it",
): BundleRefusedError {
  const error = new BundleRefusedError(`the bundle is refused: ${subject} ${problem}`, exported);
  PACKED.set(error, packed);
  return error;
}

/** @param problem as the end of a sentence that starts with the entry's name */
export function entryRefusal(name: string, problem: string, remedy: Remedy): BundleRefusedError {
  return bundleRefusal(problem, remedy, `its entry «${shown(name)}»`);
}

/**
 * Runs what may refuse a bundle that its owner packed: the refusal says how to pack it.
 *
 * @throws BundleRefusedError; the error of `read`
 */
export async function forPacker<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const packed = error instanceof BundleRefusedError ? PACKED.get(error) : undefined;
    throw packed === undefined ? error : new BundleRefusedError((error as Error).message, packed);
  }
}

/** A name from an archive, shortened and escaped for a message. */
export function shown(name: string): string {
  return printable(truncate(name, 120));
}
