import { lstat, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { DestinationError } from "../../../runtime/messages/errors";
import type { Copy, Destination, DestinationContext } from "../destination";
import { usingFolder } from "../../../runtime/files/diskFailure";
import { draftPath, removeDraft, removeDrafts, removeOldDrafts } from "../../../runtime/files/drafts";
import { ignoreMissing } from "../../../runtime/files/ignoreMissing";
import { digestFile } from "../../../runtime/files/listing";
import { makeFolder } from "../../../runtime/files/makeFolder";
import { copyInto } from "../../../runtime/files/writeFile";
import { ARCHIVE_NAME } from "../../../site/archive/format";
import { removedMeanwhile } from "../../ownership/ownership";
import { folderOwnership } from "./folderOwnership";

/** Archives in a folder, each named `<sha256>.tar.gz` or `<sha256>.zip`. One rename publishes each archive. */
export function archiveFolder(folder: string): Destination {
  const pathOf = (copy: Copy): string => resolve(folder, String(copy.parts["file"]));
  return {
    id: folder,

    begin: (bundle, context) =>
      Promise.resolve({
        publish: (placing) =>
          usingFolder(folder, context.signal, async () => {
            const { signal, reporter } = context;
            const { sha256, size } = bundle;
            const file = `${sha256}.${bundle.format}`;
            const path = resolve(folder, file);
            const copy: Copy = { sha256, uri: join(folder, file), parts: { file, size } };
            await makeFolder(resolve(folder));
            await removeDrafts(resolve(folder));
            const ownership = folderOwnership(folder, context);
            const before = await digestAt(path, signal);
            if (before?.sha256 === sha256) {
              placing?.(copy);
              await ownership.claim(file);
              // another owner may have removed it before it saw the mark
              if ((await digestAt(path, signal))?.sha256 === sha256) return copy;
            } else if (before) {
              reporter.warn(`${path} was not the archive that its name says: it is replaced`);
            }
            reporter.progress(`writing ${copy.uri}`);
            const draft = draftPath(resolve(folder));
            try {
              if ((await copyInto(bundle.path, draft, signal)).sha256 !== sha256) {
                throw new DestinationError(
                  `${bundle.path} changed while it was copied to ${folder}`,
                  "Run `pulumi up` again.",
                );
              }
              await removeOldDrafts(resolve(folder), draft);
              placing?.(copy);
              await ownership.publish(
                file,
                () => exists(path),
                () => rename(draft, path),
              );
            } finally {
              await removeDraft(draft);
            }
            if (!(await exists(path))) throw removedMeanwhile(path);
            return copy;
          }),
      }),

    find: (file, { signal }) =>
      usingFolder(folder, signal, async () => {
        const path = resolve(folder, file);
        const [sha256 = ""] = file.split(".", 1);
        const found = await digestAt(path, signal);
        if (!found) {
          throw new DestinationError(`there is no file ${path}`, "Check the path and the digest.");
        }
        if (found.sha256 !== sha256) {
          throw new DestinationError(
            `${path} is not the archive that its name says: its SHA-256 is ${found.sha256}`,
            "It is unchanged. Import another copy, or make a new one.",
          );
        }
        const copy = { uri: join(folder, file), parts: { file, size: found.size } };
        return { copy, edition: sha256, sha256, archive: path };
      }),

    compare: (copy, context) =>
      usingFolder(folder, context.signal, async () => {
        const found = await digestAt(pathOf(copy), context.signal);
        if (!found) return "gone";
        if (found.sha256 !== copy.sha256) return "changed";
        return folderOwnership(folder, context).compared(basename(pathOf(copy)));
      }),

    mark: (copies, context) =>
      usingFolder(folder, context.signal, async () => {
        const ownership = folderOwnership(folder, context);
        for (const copy of copies) {
          if (await exists(pathOf(copy))) await ownership.claim(basename(pathOf(copy)));
        }
      }),

    read: (copy, { signal }) =>
      usingFolder(folder, signal, async () => {
        const stats = await lstat(pathOf(copy)).catch(ignoreMissing);
        return stats && { archive: pathOf(copy) };
      }),

    remove: (copies, kept, context) =>
      usingFolder(folder, context.signal, async () => {
        const { signal } = context;
        const ownership = folderOwnership(folder, context);
        const stay = kept.map(pathOf);
        const names = new Set(
          copies
            .map(pathOf)
            .filter((path) => !stay.includes(path))
            .map((path) => basename(path)),
        );
        if (kept.length === 0)
          for (const name of await ownership.ownItems()) if (ARCHIVE_NAME.test(name)) names.add(name);
        await ownership.release(
          names,
          (name) => exists(resolve(folder, name)),
          async (gone) => {
            for (const name of gone) await removeArchive(resolve(folder, name), context);
          },
        );
        await removeDrafts(resolve(folder));
        signal.throwIfAborted();
      }),
  };
}

const exists = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(ignoreMissing)) !== undefined;

/** Removes an archive, unless it is not the one that its name says. */
async function removeArchive(path: string, { signal, reporter }: DestinationContext): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  const [, sha256] = ARCHIVE_NAME.exec(basename(path)) ?? [];
  const found = stats.isFile() ? await digestFile(path, signal).catch(ignoreMissing) : { sha256: "" };
  if (!found) return; // another owner has just removed it
  if (found.sha256 === sha256) return rm(path, { force: true });
  reporter.warn(
    `${path} is not removed: it is not the archive that this copy wrote. Remove it when it is no longer needed`,
  );
}

/** Reads an archive; `undefined` if there is none. @throws DestinationError for a symbolic link or a folder of that name */
async function digestAt(
  path: string,
  signal: AbortSignal,
): Promise<{ sha256: string; size: number } | undefined> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return undefined;
  if (!stats.isFile()) {
    throw new DestinationError(
      `${path} is a ${stats.isSymbolicLink() ? "symbolic link" : "folder"}, but the archive must be there`,
      "Remove it, or give another folder.",
    );
  }
  return digestFile(path, signal);
}
