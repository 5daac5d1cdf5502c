// `unpublished` of the chart's fetch-bundle.sh has the same names.

/** Folders in which file managers and file systems keep their own data. */
const METADATA_FOLDER =
  /^(?:__MACOSX|\.AppleDouble|\.Spotlight-V100|\.Trashes|\.TemporaryItems|\.fseventsd|@eaDir|\$RECYCLE\.BIN|System Volume Information)$/;

/** Files that file managers write into the folders that they show. */
const METADATA_FILE =
  /^(?:\._.*|\.DS_Store|\.localized|Icon\r|\.VolumeIcon\.icns|\.apdisk|[Tt]humbs\.db|ehthumbs(?:_vista)?\.db|[Dd]esktop\.ini|\.directory)$/s;

/** Folders of version control; `.git` is a file in a submodule and in a second work tree. */
const VERSION_CONTROL = /^(?:\.git|\.hg|\.svn|\.bzr|\.jj|\.pijul|_darcs)$/;

/** Files of CVS: a folder of that name may also be a chapter. */
const OF_CVS = /^(?:Entries(?:\..+)?|Root|Repository|Tag|Template|Notify|Baserev)$/;

/** Why an entry is not published. */
type Unpublished =
  | { readonly what: "metadata" }
  | {
      readonly what: "version control";
      /** Path of its folder. */
      readonly folder: string;
    };

const METADATA: Unpublished = { what: "metadata" };

/** What the names above begin with: most paths have no such part. */
const SUSPECT = /(?:^|\/)(?:[._@$]|System |Icon\r|[Tt]humbs|ehthumbs|[Dd]esktop|CVS)/;

/**
 * Whether an entry is never published, because of its name: metadata of file managers and Macs, and folders of version control. As
 * nothing of it is written, only those rules apply to its name that protect the reader of the archive.
 *
 * @param path without a slash at its end
 * @param kind a folder is metadata only by the name of the folder
 * @returns why it is not published
 */
export function unpublished(path: string, kind: "file" | "folder"): Unpublished | undefined {
  if (!SUSPECT.test(path)) return undefined;
  const names = path.split("/");
  const isFolder = (index: number): boolean => index < names.length - 1 || kind === "folder";
  for (const [index, name] of names.entries()) {
    if (METADATA_FOLDER.test(name) && isFolder(index)) return METADATA;
    const isOfCvs = name === "CVS" && index === names.length - 2 && OF_CVS.test(names[index + 1] ?? "");
    if (VERSION_CONTROL.test(name) || isOfCvs) {
      return { what: "version control", folder: names.slice(0, index + 1).join("/") };
    }
  }
  return kind === "file" && METADATA_FILE.test(names.at(-1) ?? "") ? METADATA : undefined;
}
