import type { Stats } from "node:fs";
import { lstat, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { draftPath, removeDraft, removeDrafts, removeOldDrafts } from "../../../base/runtime/files/drafts";
import { ignoreMissing } from "../../../base/runtime/files/ignoreMissing";
import { digestFile } from "../../../base/runtime/files/listing";
import { makeFolder } from "../../../base/runtime/files/makeFolder";
import { copyInto } from "../../../base/runtime/files/writeFile";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { ARCHIVE_NAME } from "../../archives/format";
import type { Bundle } from "../../inspection/bundle";
import type { CopyLayout, Placing } from "../copyLayout";
import type { Copy } from "../destination";
import { removedMeanwhile } from "../removedMeanwhile";
import type { FolderPlace } from "./folderPlace";

const itemOf = (copy: Copy): string => basename(String(copy.parts["file"]));

/** Archives in a folder, each named `<sha256>.tar.gz` or `<sha256>.zip`. One rename publishes each archive. */
export const ARCHIVES_IN_FOLDER: CopyLayout<FolderPlace> = {
  hasDrafts: false,
  itemOf,
  exists: (place, file) => place.has(file),
  recorded: async ({ records }) => (await records.all()).filter((name) => ARCHIVE_NAME.test(name)),

  begin: (_place, bundle) =>
    Promise.resolve({ publish: (place, placing) => publishArchive(place, bundle, placing) }),

  async find(place, file) {
    const path = place.path(file);
    const [sha256 = ""] = file.split(".", 1);
    const found = await digestAt(path, place.context.signal);
    if (!found) {
      throw new DestinationError(`there is no file ${path}`, "Check the path and the digest.");
    }
    if (found.sha256 !== sha256) {
      throw new DestinationError(
        `${path} is not the archive that its name says: its SHA-256 is ${found.sha256}`,
        "It is unchanged. Import another copy, or make a new one.",
      );
    }
    const copy = { uri: join(place.folder, file), parts: { file, size: found.size } };
    return { copy, edition: sha256, sha256, archive: path };
  },

  async compare(place, copy) {
    const found = await digestAt(place.path(itemOf(copy)), place.context.signal);
    if (!found) return "gone";
    return found.sha256 === copy.sha256 ? "same" : "changed";
  },

  async read(place, copy) {
    const file = itemOf(copy);
    const stats = await lstat(place.path(file)).catch(ignoreMissing);
    return stats?.isFile() ? { archive: place.path(file) } : undefined;
  },

  async remove(place, files) {
    for (const file of files) await removeArchive(place, file);
    await place.owner.confirm();
    await place.records.remove(files);
    await removeDrafts(place.path(), place.context.reporter);
    place.context.signal.throwIfAborted();
  },
};

async function publishArchive(place: FolderPlace, bundle: Bundle, placing?: Placing): Promise<Copy> {
  const { folder, records, context } = place;
  const { signal, reporter } = context;
  const { sha256, size } = bundle;
  const file = `${sha256}.${bundle.format}`;
  const path = place.path(file);
  const copy: Copy = { sha256, uri: join(folder, file), parts: { file, size } };
  await makeFolder(place.path());
  await removeDrafts(place.path(), reporter);
  const before = await digestAt(path, signal);
  if (before?.sha256 === sha256) {
    placing?.(copy);
    await records.put(file);
    return copy;
  }
  if (before) reporter.warn(`${path} was not the archive that its name says: it is replaced`);
  reporter.progress(`writing ${copy.uri}`);
  const draft = draftPath(place.path());
  try {
    if ((await copyInto(bundle.path, draft, signal)).sha256 !== sha256) {
      throw new DestinationError(
        `${bundle.path} changed while it was copied to ${folder}`,
        "Run `pulumi up` again.",
      );
    }
    await removeOldDrafts(place.path(), draft, reporter);
    placing?.(copy);
    await records.put(file);
    await rename(draft, path);
  } finally {
    await removeDraft(draft);
    if (!(await place.has(file))) await records.remove([file]);
  }
  // whoever may write to the folder may have exchanged the draft
  if ((await lstat(path).catch(ignoreMissing))?.isFile() !== true) throw removedMeanwhile(path);
  return copy;
}

/** Removes an archive, unless it is not the one that its name says. */
async function removeArchive(place: FolderPlace, file: string): Promise<void> {
  const path = place.path(file);
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  const [, sha256] = ARCHIVE_NAME.exec(file) ?? [];
  const found = stats.isFile()
    ? await digestFile(path, place.context.signal).catch(ignoreMissing)
    : { sha256: "" };
  if (!found) return; // somebody has just removed it
  if (found.sha256 === sha256) {
    await place.owner.confirm();
    return rm(path, { force: true });
  }
  place.context.reporter.warn(
    `${path} is not removed: it is not the archive that this copy wrote. Remove it when it is no longer needed`,
  );
}

/** Reads an archive; `undefined` if there is none. @throws DestinationError for anything else of that name */
async function digestAt(path: string, signal: AbortSignal) {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return undefined;
  if (!stats.isFile()) {
    throw new DestinationError(
      `${path} is a ${kindOf(stats)}, but the archive must be there`,
      "Remove it, or give another folder.",
    );
  }
  return digestFile(path, signal);
}

/** What is not a file, in words. */
function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return "symbolic link";
  if (stats.isDirectory()) return "folder";
  return stats.isFIFO() ? "pipe" : "device or socket";
}
