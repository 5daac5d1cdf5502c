import { lstat, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DestinationError } from "../../messages/errors";
import type { Copy, Destination } from "../destination";
import { usingFolder } from "../../files/diskFailure";
import { draftPath, removeDraft, removeDrafts, removeOldDrafts } from "../../files/drafts";
import { ignoreMissing } from "../../files/ignoreMissing";
import { digestFile } from "../../files/listing";
import { makeFolder } from "../../files/makeFolder";
import { copyInto } from "../../files/writeFile";

/** Archives in a folder, each named `<sha256>.tar.gz` or `<sha256>.zip`. One rename publishes each archive. */
export function archiveFolder(folder: string): Destination {
  const pathOf = (copy: Copy): string => resolve(folder, String(copy.parts["file"]));
  return {
    id: folder,

    begin: (bundle, { signal, reporter }) =>
      Promise.resolve({
        publish: (placing) =>
          usingFolder(folder, signal, async () => {
            const { sha256, size } = bundle;
            const file = `${sha256}.${bundle.format}`;
            const path = resolve(folder, file);
            const copy: Copy = { sha256, uri: join(folder, file), parts: { file, size } };
            await makeFolder(resolve(folder));
            await removeDrafts(resolve(folder));
            if ((await digestAt(path, signal))?.sha256 === sha256) return copy;
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
              await rename(draft, path);
            } finally {
              await removeDraft(draft);
            }
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

    compare: (copy, { signal }) =>
      usingFolder(folder, signal, async () => {
        const found = await digestAt(pathOf(copy), signal);
        if (!found) return "gone";
        return found.sha256 === copy.sha256 ? "same" : "changed";
      }),

    read: (copy, { signal }) =>
      usingFolder(folder, signal, async () => {
        const stats = await lstat(pathOf(copy)).catch(ignoreMissing);
        return stats && { archive: pathOf(copy) };
      }),

    remove: (copies, kept, { signal, reporter }) =>
      usingFolder(folder, signal, async () => {
        const stay = new Set(kept.map(pathOf));
        for (const copy of copies) {
          const path = pathOf(copy);
          if (stay.has(path)) continue;
          const stats = await lstat(path).catch(ignoreMissing);
          if (stats?.isFile() && (await digestFile(path, signal)).sha256 === copy.sha256) await rm(path);
          else if (stats)
            reporter.warn(
              `${path} is not removed: it is not the archive that this copy wrote. Remove it when it is no longer needed`,
            );
        }
        await removeDrafts(resolve(folder));
      }),
  };
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
