import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { link, lstat, mkdir, open, readdir, rename, rm, rmdir, unlink, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { ignoreMissing, ignoring } from "../../base/runtime/files/ignoreMissing";
import { makeFolder } from "../../base/runtime/files/makeFolder";
import { hasNoOwner, isAbandoned, isOfRunningProcess, ownName } from "../../base/runtime/files/ownerProcess";
import type { DestinationError } from "../../base/runtime/messages/errors";
import { isOwnerId, type Owner } from "./owner";
import { type Claimant, type NamedPlace, placeRefusal, relationOf } from "./placeDecision";
import { LONGEST_MARK, MARK_NAME, markIn, type PlaceMark, RECORDS_FOLDER } from "./placeMark";
import { type MarkStore, type PlaceContext, PlaceOwner, UnreadableMarkError } from "./placeOwner";

/** No link is followed, and a pipe is not waited for. Windows has neither: `undefined` has no effect. */
const OPEN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A draft of a mark or record. The name contains the process that writes it. */
const DRAFT = /^\.([0-9a-z-]+)\.draft$/;

/** Why a mark cannot be read, by the error code of the system. After any other, the operation fails, and the next one reads again. */
const REASONS: Readonly<Record<string, string>> = {
  ELOOP: "it is a symbolic link",
  EMLINK: "it is a symbolic link", // FreeBSD
  ENXIO: "it is no file",
  EOPNOTSUPP: "it is no file", // macOS
  EACCES: "permission denied (EACCES)",
  EPERM: "permission denied (EPERM)",
};

/** How often the folder of records is made again after another run removed it. */
const MAX_TRIES = 100;

/** Where a file system has no second names for a file. */
const HAS_NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EACCES"];

/** The rights of a resource at a folder. @param folder as the user wrote it */
export const folderOwner = (folder: string, context: PlaceContext): PlaceOwner =>
  new PlaceOwner(folderMark(folder), context);

/** A folder in messages. */
const namedFolder = (folder: string): NamedPlace => ({
  uri: folder,
  markUri: join(folder, RECORDS_FOLDER, MARK_NAME),
  ownFor: (name) => `a folder of its own, for example \`${folder.replace(/[\\/]+$/, "")}-${name}\``,
});

/**
 * Why a folder refuses a resource that has no state yet, without `takeOver`: it has the mark of another stack. `undefined` if it does
 * not, or if that cannot be read: then the operation says so. Reads one small file, at once: a preview can ask.
 */
export function folderRefusal(folder: string, urn: string): DestinationError | undefined {
  const text = readNow(resolve(folder, RECORDS_FOLDER, MARK_NAME));
  if (text === undefined) return undefined;
  const found = markIn(text);
  const owner: Owner = { id: "", urn, hasMarks: true };
  const claimant: Claimant = { owner, isCreate: true, takeOver: false, isDeclared: () => false };
  return relationOf(found, claimant) === "another's"
    ? placeRefusal(found, claimant, namedFolder(folder))
    : undefined;
}

/** The mark of a folder: the file `.docs-hosting/owner.json`. */
function folderMark(folder: string): MarkStore {
  const records = resolve(folder, RECORDS_FOLDER);
  const path = join(records, MARK_NAME);
  return {
    ...namedFolder(folder),

    async read() {
      if (!(await isRecordsFolder(records))) return undefined;
      return readSmall(path);
    },

    async make(text) {
      const draft = await writeDraft(folder, text);
      try {
        await link(draft, path);
        return true;
      } catch (error) {
        const { code = "" } = error as NodeJS.ErrnoException;
        if (code === "EEXIST") return false;
        if (!HAS_NO_LINKS.includes(code)) throw error;
        try {
          await writeFile(path, text, { flag: "wx", flush: true });
          return true;
        } catch (reason) {
          ignoring("EEXIST")(reason);
          return false;
        }
      } finally {
        await rm(draft, { force: true });
      }
    },

    async replace(text) {
      await putFile(folder, MARK_NAME, text);
    },

    async remove() {
      await unlink(path).catch(ignoreMissing);
      await tidy(records);
      return leftIn(folder);
    },

    async earlier() {
      if (!(await isRecordsFolder(records))) return [];
      const marks: PlaceMark[] = [];
      for (const [item, name] of await earlierIn(records)) {
        if (name.endsWith(".json")) marks.push(await earlierMark(join(records, item, name)));
      }
      return marks;
    },

    async removeEarlier() {
      const found = await earlierIn(records);
      for (const [item, name] of found) await unlink(join(records, item, name)).catch(ignoreMissing);
      for (const item of new Set(found.map(([each]) => each))) {
        await rmdir(join(records, item)).catch(ignoreFull);
      }
      await tidy(records);
    },
  };
}

/** Records of what a resource wrote to a folder: the file `.docs-hosting/ITEM.json` for each item, before the item is there. */
export interface FolderRecords {
  put(item: string): Promise<void>;
  all(): Promise<string[]>;
  remove(items: Iterable<string>): Promise<void>;
}

export function folderRecords(folder: string): FolderRecords {
  const records = resolve(folder, RECORDS_FOLDER);
  const nameOf = (item: string): string => `${item}.json`;
  return {
    async put(item) {
      await putFile(folder, nameOf(item), "{}\n");
    },
    async all() {
      if (!(await isRecordsFolder(records))) return [];
      const entries = (await readdir(records, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
      const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      return names
        .filter((name) => name.endsWith(".json") && name !== MARK_NAME)
        .map((name) => basename(name, ".json"));
    },
    async remove(items) {
      if (!(await isRecordsFolder(records))) return;
      for (const item of items) await unlink(join(records, nameOf(item))).catch(ignoreMissing);
    },
  };
}

/** Whether there is a folder of records. @throws UnreadableMarkError for something else of that name */
async function isRecordsFolder(records: string): Promise<boolean> {
  const stats = await lstat(records).catch(ignoring("ENOENT", "ENOTDIR"));
  if (stats && !stats.isDirectory()) {
    throw new UnreadableMarkError(
      `${records} is ${stats.isSymbolicLink() ? "a symbolic link" : "no folder"}`,
    );
  }
  return stats !== undefined;
}

async function makeRecords(folder: string): Promise<void> {
  const records = resolve(folder, RECORDS_FOLDER);
  await makeFolder(resolve(folder));
  await mkdir(records).catch(ignoring("EEXIST"));
  await isRecordsFolder(records);
}

/** Reads a small regular file; `undefined` if it does not exist. @throws UnreadableMarkError; the error of the file system */
async function readSmall(path: string): Promise<string | undefined> {
  const refused = (error: unknown): undefined => {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const reason = REASONS[code];
    throw reason === undefined ? error : new UnreadableMarkError(reason);
  };
  // Windows opens links
  if ((await lstat(path).catch(refused))?.isSymbolicLink()) return refused({ code: "ELOOP" });
  const file = await open(path, OPEN).catch(refused);
  if (!file) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new UnreadableMarkError("it is no file");
    if (stats.size > LONGEST_MARK) throw new UnreadableMarkError("it is larger than 64 KiB");
    const bytes = Buffer.alloc(LONGEST_MARK + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      ({ bytesRead: read } = await file.read(bytes, size, bytes.length - size, size));
    }
    if (size > LONGEST_MARK) throw new UnreadableMarkError("it is larger than 64 KiB");
    return bytes.toString("utf8", 0, size);
  } catch (error) {
    // not a rejected promise: nobody would wait for it while the file is closed
    if (error instanceof UnreadableMarkError) throw error;
    return refused(error);
  } finally {
    await file.close();
  }
}

/** The same, at once. `undefined` also if it cannot be read. */
function readNow(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, OPEN);
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= LONGEST_MARK ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Writes a file by a draft beside it and one rename, which follows no link. */
async function putFile(folder: string, name: string, text: string): Promise<void> {
  const draft = await writeDraft(folder, text);
  try {
    await rename(draft, resolve(folder, RECORDS_FOLDER, name));
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes a new file with a name that no other process uses. Removes those that killed processes left. */
async function writeDraft(folder: string, text: string): Promise<string> {
  const records = resolve(folder, RECORDS_FOLDER);
  const draft = join(records, `.${ownName()}.draft`);
  for (let tries = 1; ; tries++) {
    await makeRecords(folder);
    try {
      await writeFile(draft, text, { flag: "wx", flush: true });
      await removeDrafts(records, draft);
      return draft;
    } catch (error) {
      // another run has just removed the last mark, and the folder
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries === MAX_TRIES) throw error;
    }
  }
}

/**
 * Removes the drafts of ended processes, and those that are a day older than a new one: their runs were killed on another machine. The
 * ages come from the file system's clock. Drafts of another user stay. Best effort.
 *
 * @param than a draft that this process has just written
 */
async function removeDrafts(records: string, than: string): Promise<void> {
  const own = await lstat(than).catch(() => undefined);
  for (const name of (await readdir(records).catch(ignoreMissing)) ?? []) {
    const [, owner] = DRAFT.exec(name) ?? [];
    const path = join(records, name);
    if (owner === undefined || path === than) continue;
    const stats = await lstat(path).catch(() => undefined);
    if (!own || !stats?.isFile() || stats.uid !== own.uid) continue;
    if (hasNoOwner(owner) || isAbandoned(owner, stats.mtimeMs, own.mtimeMs)) {
      await unlink(path).catch(() => undefined);
    }
  }
}

/** Removes the folder of records, if it is empty. */
async function tidy(records: string): Promise<void> {
  const probe = join(records, `.${ownName()}.draft`);
  await writeFile(probe, "", { flag: "wx" }).catch(() => undefined);
  await removeDrafts(records, probe);
  await rm(probe, { force: true });
  await rmdir(records).catch(ignoreFull);
}

/**
 * What is left of records when the mark is gone: drafts of runs that may go on elsewhere, records of another kind of resource with
 * their items, and files of others. None if another run has made its mark meanwhile.
 */
async function leftIn(folder: string): Promise<string[]> {
  const names = (await readdir(resolve(folder, RECORDS_FOLDER)).catch(ignoreMissing)) ?? [];
  if (names.includes(MARK_NAME)) return [];
  const left: string[] = [];
  for (const name of names.sort()) {
    const [, owner] = DRAFT.exec(name) ?? [];
    if (owner !== undefined && isOfRunningProcess(owner)) continue;
    left.push(join(folder, RECORDS_FOLDER, name));
    const item = basename(name, ".json");
    const hasItem = item !== name && (await lstat(resolve(folder, item)).catch(ignoreMissing));
    if (hasItem) left.push(join(folder, item));
  }
  return left;
}

const ignoreFull = ignoring("ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR");

/** The files of marks at items: `ITEM/OWNER.json`, `ITEM/OWNER.leaving`. */
async function earlierIn(records: string): Promise<(readonly [item: string, name: string])[]> {
  const found: (readonly [string, string])[] = [];
  for (const entry of (await readdir(records, { withFileTypes: true }).catch(ignoreMissing)) ?? []) {
    if (!entry.isDirectory()) continue;
    const names = (await readdir(join(records, entry.name)).catch(ignoreMissing)) ?? [];
    for (const name of names) {
      if (isOwnerId(name.replace(/\.(?:json|leaving)$/, ""))) found.push([entry.name, name]);
    }
  }
  return found;
}

async function earlierMark(path: string): Promise<PlaceMark> {
  const text = await readSmall(path).catch((error: unknown) => {
    if (error instanceof UnreadableMarkError) return "";
    throw error;
  });
  const found = markIn(text ?? "");
  return { owner: basename(path, ".json"), urn: found.kind === "mark" ? found.mark.urn : undefined };
}
