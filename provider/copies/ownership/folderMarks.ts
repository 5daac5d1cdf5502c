import { lstat, mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LEAVING, ownerOf, STAYING, type Mark, type Marks } from "./marks";
import { isOwnerId, markText } from "./owner";
import { Ownership, type OwnershipContext } from "./ownership";

/** The folder of the marks, beside the items. */
export const MARKS_FOLDER = ".docs-hosting";

/** Longest text of a mark that is read, in bytes. */
const LONGEST_TEXT = 64 * 1024;
/** How often a mark is written again after another run removed the empty folder that it was written to. */
const MAX_TRIES = 100;

/** The rights of the operation's owner at the items of a folder. */
export const folderOwnership = (folder: string, context: OwnershipContext): Ownership =>
  new Ownership(folderMarks(folder), context, (item) => resolve(folder, item));

/**
 * Marks in a folder: the file `.docs-hosting/ITEM/OWNER.json` for each owner, and `OWNER.leaving` while it removes the item. A
 * file of another name counts as an owner, too.
 */
export function folderMarks(folder: string): Marks {
  const root = resolve(folder, MARKS_FOLDER);
  const at = (item: string, name: string): string => join(root, item, name);

  const write = async (item: string, name: string, text: string): Promise<void> => {
    for (let tries = 1; ; tries++) {
      // a mkdir that another run disturbs fails with either code; otherwise the write reports what is wrong
      await mkdir(join(root, item), { recursive: true }).catch(ignoring("ENOENT", "ENOTDIR"));
      try {
        return await writeFile(at(item, name), text, { flush: true });
      } catch (error) {
        // another run has just removed the last mark, and the folder
        if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries === MAX_TRIES) throw error;
      }
    }
  };

  const list = async (item: string): Promise<readonly Mark[]> => {
    const byOwner = Object.groupBy(await namesIn(join(root, item)), ownerOf);
    const marks: Mark[] = [];
    for (const [owner, names = []] of Object.entries(byOwner)) {
      const announcement = `${owner}${LEAVING}`;
      const isLeaving = isOwnerId(owner) && names.includes(announcement);
      const name = names.find((each) => each !== announcement) ?? announcement;
      const stats = await lstat(at(item, name)).catch(ignoring("ENOENT"));
      if (stats) marks.push({ owner, isLeaving, writtenAt: stats.mtimeMs });
    }
    return marks;
  };

  const stay = (item: string, owner: string): Promise<void> =>
    rm(at(item, `${owner}${LEAVING}`), { force: true });

  return {
    list,

    all: async () =>
      new Map(await Array.fromAsync(await namesIn(root), async (item) => [item, await list(item)] as const)),

    async read(item, owner) {
      const path = at(item, `${owner}${STAYING}`);
      const stats = await lstat(path).catch(() => undefined);
      if (!stats?.isFile() || stats.size > LONGEST_TEXT) return undefined;
      return readFile(path, "utf8").catch(() => undefined);
    },

    async write(item, owner) {
      await write(item, `${owner.id}${STAYING}`, markText(owner));
      await stay(item, owner.id);
    },

    stay,

    leave: (item, owner) => write(item, `${owner.id}${LEAVING}`, ""),

    async remove(item, owner) {
      // the announcement last: without it, a mark that is still there would count
      for (const end of [STAYING, LEAVING]) await rm(at(item, `${owner}${end}`), { force: true });
      for (const each of [join(root, item), root])
        await rmdir(each).catch(ignoring("ENOTEMPTY", "EEXIST", "ENOENT"));
    },

    nameOf: (item, owner) => at(item, `${owner}${STAYING}`),
  };
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(ignoring("ENOENT", "ENOTDIR"))) ?? [];

/** For `catch`: returns `undefined` for an error with one of these codes, and throws any other error. */
function ignoring(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  };
}
