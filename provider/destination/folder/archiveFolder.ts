import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DestinationError } from "../../words/errors";
import type { Bundle, Copy, Destination } from "../destination";
import { removeOldDrafts, draftName } from "../../disk/drafts";
import { diskFailure } from "../../disk/diskFailure";
import { makeFolder } from "../../disk/makeFolder";
import { copyInto } from "../../disk/writeFile";

/** Archives in a folder: `<sha256>.tar.gz` each, put there by one rename. */
export function archiveFolder(folder: string): Destination {
  const pathOf = (copy: Copy): string => resolve(folder, String(copy.parts["file"]));
  return {
    id: folder,

    begin(bundle, { clock, signal, reporter }) {
      const file = `${bundle.sha256}.${bundle.format}`;
      const path = resolve(folder, file);
      const copy: Copy = {
        sha256: bundle.sha256,
        uri: join(folder, file),
        parts: { file, size: bundle.size },
      };
      return Promise.resolve({
        async publish() {
          try {
            await makeFolder(resolve(folder));
            await removeOldDrafts(folder, clock.now());
            if (await isArchive(path, bundle, signal)) return copy;
            reporter.progress(`writing ${copy.uri}`);
            const draft = resolve(folder, draftName(clock));
            try {
              const { sha256 } = await copyInto(bundle.path, draft, signal);
              if (sha256 !== bundle.sha256) {
                throw new DestinationError(
                  `${bundle.path} changed while it was copied to ${folder}`,
                  "Run `pulumi up` again.",
                );
              }
              await rename(draft, path);
            } finally {
              await rm(draft, { force: true });
            }
            return copy;
          } catch (error) {
            throw diskFailure(error, folder, signal);
          }
        },
      });
    },

    async look(copy, { signal }) {
      try {
        const seen = await lstatOf(pathOf(copy));
        if (!seen) return "gone";
        return (await isArchive(pathOf(copy), copy, signal)) ? "same" : "changed";
      } catch (error) {
        throw diskFailure(error, folder, signal);
      }
    },

    async remove(copies, kept, { signal }) {
      const stay = new Set(kept.map(pathOf));
      try {
        for (const path of copies.map(pathOf)) if (!stay.has(path)) await rm(path, { force: true });
      } catch (error) {
        throw diskFailure(error, folder, signal);
      }
    },
  };
}

/** Whether this very archive lies there already. @throws DestinationError for a link or a folder of that name */
async function isArchive(
  path: string,
  { sha256 }: Pick<Bundle, "sha256">,
  signal: AbortSignal,
): Promise<boolean> {
  const seen = await lstatOf(path);
  if (!seen) return false;
  if (!seen.isFile()) {
    throw new DestinationError(
      `${path} is a ${seen.isSymbolicLink() ? "symbolic link" : "folder"}, and an archive is to be there`,
      "Remove it, or give another folder.",
    );
  }
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal }))
    digest.update(chunk as Buffer);
  return digest.digest("hex") === sha256;
}

const lstatOf = (path: string): ReturnType<typeof lstat> | Promise<undefined> =>
  lstat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined as never;
    throw error;
  });
