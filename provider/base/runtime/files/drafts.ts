import { cp, link, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Reporter } from "../messages/reporter";
import { ignoreMissing, ignoring } from "./ignoreMissing";
import { entriesSorted } from "./listing";
import { makeFolder, makeFolderBelow } from "./makeFolder";
import { hasNoOwner, isAbandoned, ownName } from "./ownerProcess";

/**
 * The name of a draft. A draft is hidden and in the same folder as its target, so one rename publishes it. The name contains the
 * process that owns the draft: only this process writes to it. Releases before 0.7 named no owner, or ended kit drafts with
 * `.kit`.
 */
const DRAFT = /^\.docs-hosting-(?:([0-9a-f]{16})\.)?([0-9a-z-]+)\.(?:draft|kit)$/;

/** The folder in a draft for temporary files, if it has one. */
export const SCRATCH = "scratch";
/** The name of a folder in a draft that its process was replacing: with the name that it had. */
const REPLACED = /^replaced-\d+-(.+)$/;
/** What such a name begins with as long as the folder may have to come back, and when another one has replaced it. */
const [REPLACING, DONE] = ["replaced", "done"] as const;

/** Only the user who made a draft may change what is in it. What is published has modes of its own. */
export const DRAFT_MODE = 0o700;

/** Maximum number of attempts to publish a folder while other processes do the same. */
const MAX_TRIES = 9;
/** Error codes of a rename to an existing path. */
const OCCUPIED = ["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM"];

/** @param key the resource that continues the draft of an ended process. Without it, nothing continues the draft */
export function draftPath(folder: string, key?: string, owner: string = ownName()): string {
  return join(folder, `.docs-hosting-${key === undefined ? "" : `${key}.`}${owner}.draft`);
}

/** Gets the line about each draft that is left alone. */
type Told = Pick<Reporter, "info">;

/** Makes an empty draft in a folder, and removes drafts whose process has ended. */
export async function beginDraft(folder: string, reporter: Told): Promise<string> {
  const draft = draftPath(folder);
  await makeFolder(folder);
  await mkdir(draft, { mode: DRAFT_MODE });
  await removeDrafts(folder, reporter);
  await removeOldDrafts(folder, draft, reporter);
  return draft;
}

/** The drafts of a resource whose process has ended, except those of others: see {@link ofOthers}. */
export async function endedDrafts(folder: string, reporter: Told, key?: string): Promise<string[]> {
  const ended = (await draftsIn(folder)).filter((each) => each.key === key && hasNoOwner(each.owner));
  return withoutOthers(
    folder,
    ended.map(({ path }) => path),
    reporter,
  );
}

/** Removes the drafts of a resource whose process has ended. Best effort. */
export async function removeDrafts(folder: string, reporter: Told, key?: string): Promise<void> {
  for (const path of await endedDrafts(folder, reporter, key)) await removeEndedDraft(path, reporter);
}

/**
 * Removes the drafts of any resource that are a day older than another draft. The ages come from the file system's clock, which
 * is the same for the processes of all machines. Best effort.
 */
export async function removeOldDrafts(folder: string, than: string, reporter: Told): Promise<void> {
  const { mtimeMs } = await lstat(than);
  const old: string[] = [];
  for (const { path, owner } of await draftsIn(folder)) {
    const stats = await lstat(path).catch(() => undefined);
    if (stats && isAbandoned(owner, stats.mtimeMs, mtimeMs)) old.push(path);
  }
  for (const path of await withoutOthers(folder, old, reporter)) await removeEndedDraft(path, reporter);
}

/** The drafts that runs of this user made. A line names each of the others: they stay. */
async function withoutOthers(folder: string, drafts: readonly string[], reporter: Told): Promise<string[]> {
  const own: string[] = [];
  const user = drafts.length > 0 ? await userIn(folder) : undefined;
  for (const path of drafts) {
    const reason = await ofOthers(path, user);
    if (reason === undefined) own.push(path);
    else reporter.info(`${path} is left alone: ${reason}. Remove it when nobody needs it`);
  }
  return own;
}

/**
 * The number of the user to whom files belong that this process makes in a folder: on a network file system, it may be another one than
 * that of the process. Windows has none: `undefined`.
 */
async function userIn(folder: string): Promise<number | undefined> {
  const probe = draftPath(folder);
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  try {
    const file = await open(probe, "wx");
    return await file
      .stat()
      .then(({ uid }) => uid)
      .finally(() => file.close());
  } catch {
    return user; // nothing can be removed there
  } finally {
    await removeDraft(probe);
  }
}

/**
 * Why a draft is not one that a run of this user left: who may write to the folder may have made it, to lead a run to files
 * elsewhere. `undefined` if it is.
 */
async function ofOthers(draft: string, user: number | undefined): Promise<string | undefined> {
  try {
    const stats = await lstat(draft);
    if (user !== undefined && stats.uid !== user) return "another user made it";
    if (!stats.isDirectory()) return undefined; // nothing in it is read: it is removed itself
    const top = await readdir(draft, { withFileTypes: true });
    const link = top.find((entry) => entry.isSymbolicLink());
    if (link) return `it has a link, ${link.name}`;
    const names = [...top.map(({ name }) => name), ...(await namesIn(join(draft, SCRATCH)))];
    for (const each of names) {
      const [, name] = REPLACED.exec(each) ?? [];
      if (name !== undefined && (name !== basename(name) || /^\.\.?$/.test(name))) {
        return `no run makes ${each}`;
      }
    }
    return undefined;
  } catch (error) {
    return `it cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
  }
}

/** Removes a draft. Another process may remove it at the same time. Best effort. */
export function removeDraft(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/** Removes a draft whose process has ended. A folder that the process was replacing comes back first. Best effort. */
export async function removeEndedDraft(path: string, reporter: Told): Promise<void> {
  if (await putBack(path, reporter)) await removeDraft(path);
}

/**
 * Puts folders back that a killed process moved into its draft, and did not replace: they may have files of others.
 *
 * @returns whether nothing of others is left in the draft. If not, a line says why
 */
export async function putBack(draft: string, reporter: Told): Promise<boolean> {
  try {
    for (const place of [draft, join(draft, SCRATCH)]) {
      for (const entry of await namesIn(place)) {
        const [, name] = REPLACED.exec(entry) ?? [];
        if (name === undefined) continue;
        const target = join(dirname(draft), name);
        const replaced = join(place, entry);
        if (!(await lstat(target).catch(ignoreMissing))) await rename(replaced, target);
        else if ((await lstat(replaced)).isDirectory()) {
          await carryOver(await entriesSorted(replaced), replaced, target);
        }
      }
    }
    return true;
  } catch (error) {
    const { message } = error as Error;
    reporter.info(`${draft} stays: what it has of others cannot be put back: ${message}`);
    return false;
  }
}

/**
 * Publishes a folder by one rename. An existing target moves to a draft; files of others in it move to the published folder.
 * Other processes may do the same concurrently.
 *
 * @param options.isDone whether the existing target already has the right content
 * @param options.foreignIn the paths of the files of others in an existing target. Default: there are none
 */
export async function replaceFolder(
  from: string,
  to: string,
  draft: string,
  options: {
    isDone?: () => Promise<boolean>;
    foreignIn?: (folder: string) => Promise<readonly string[]>;
  } = {},
): Promise<void> {
  const moved: string[] = [];
  const foreign = new Set<string>();
  for (let tries = 1; ; tries++) {
    try {
      await rename(from, to);
      break;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!OCCUPIED.includes(code) || tries === MAX_TRIES) throw error;
    }
    if (await options.isDone?.()) {
      // of a target before the one that another process made
      await carryOver([...foreign], from, to);
      break;
    }
    const found = (await options.foreignIn?.(to)) ?? [];
    // they are in both folders until the target is replaced: a kill loses none of them
    await carryOver(found, to, from);
    for (const path of found) foreign.add(path);
    // a later run puts it back if this one is killed before the next rename
    const name = `${tries}-${basename(to)}`;
    await rename(to, join(draft, `${REPLACING}-${name}`)).catch(ignoreMissing);
    moved.push(name);
  }
  // the target has what these had of others: they do not come back if the run fails later, and somebody removes the target meanwhile
  for (const name of moved) {
    await rename(join(draft, `${REPLACING}-${name}`), join(draft, `${DONE}-${name}`)).catch(ignoreMissing);
  }
}

/** The names in a folder; none in a file, or if there is nothing. */
async function namesIn(folder: string): Promise<string[]> {
  const stats = await lstat(folder).catch(ignoring("ENOENT", "ENOTDIR"));
  return stats?.isDirectory() ? readdir(folder) : [];
}

/**
 * Links or copies files into another folder, in which others with the same path stay. Empty folders, whose paths end with `/`, are made.
 *
 * @throws the error of the file system; also if the other folder, or one in it, is a link
 */
async function carryOver(paths: readonly string[], from: string, to: string): Promise<void> {
  for (const path of paths) {
    const target = join(to, path);
    await makeFolderBelow(to, path.slice(0, path.lastIndexOf("/") + 1));
    if (path.endsWith("/")) continue;
    await link(join(from, path), target).catch(async (error: unknown) => {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (["ENOENT", "EEXIST"].includes(code)) return;
      await cp(join(from, path), target, { verbatimSymlinks: true, force: false, preserveTimestamps: true });
    });
  }
}

async function draftsIn(folder: string): Promise<{ path: string; key: string | undefined; owner: string }[]> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
  return names.flatMap((name) => {
    const [, key, owner] = DRAFT.exec(name) ?? [];
    return owner === undefined ? [] : [{ path: join(folder, name), key, owner }];
  });
}
