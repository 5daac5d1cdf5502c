import { cp, link, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ignoreMissing } from "./ignoreMissing";
import { filesBelow } from "./listing";
import { makeFolder } from "./makeFolder";
import { isAbandoned, hasNoOwner, ownName } from "./ownerProcess";

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

/** Maximum number of attempts to publish a folder while other processes do the same. */
const MAX_TRIES = 9;
/** Error codes of a rename to an existing path. */
const OCCUPIED = ["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM"];

/** @param key the resource that continues the draft of an ended process. Without it, nothing continues the draft */
export function draftPath(folder: string, key?: string, owner = ownName()): string {
  return join(folder, `.docs-hosting-${key === undefined ? "" : `${key}.`}${owner}.draft`);
}

/** Makes an empty draft in a folder, and removes drafts whose process has ended. */
export async function beginDraft(folder: string): Promise<string> {
  const draft = draftPath(folder);
  await makeFolder(folder);
  await mkdir(draft);
  await removeDrafts(folder);
  await removeOldDrafts(folder, draft);
  return draft;
}

/** The drafts of a resource whose process has ended. */
export async function endedDrafts(folder: string, key?: string): Promise<string[]> {
  return (await draftsIn(folder))
    .filter((each) => each.key === key && hasNoOwner(each.owner))
    .map(({ path }) => path);
}

/** Removes the drafts of a resource whose process has ended. Best effort. */
export async function removeDrafts(folder: string, key?: string): Promise<void> {
  for (const path of await endedDrafts(folder, key)) await removeEndedDraft(path);
}

/**
 * Removes the drafts of any resource that are a day older than another draft. The ages come from the file system's clock, which
 * is the same for the processes of all machines. Best effort.
 */
export async function removeOldDrafts(folder: string, than: string): Promise<void> {
  const { mtimeMs } = await lstat(than);
  for (const { path, owner } of await draftsIn(folder)) {
    const stats = await lstat(path).catch(() => undefined);
    if (stats && isAbandoned(owner, stats.mtimeMs, mtimeMs)) await removeEndedDraft(path);
  }
}

/** Removes a draft. Another process may remove it at the same time. Best effort. */
export function removeDraft(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/** Removes a draft whose process has ended. A folder that the process was replacing comes back first. Best effort. */
export async function removeEndedDraft(path: string): Promise<void> {
  if (await putBack(path)) await removeDraft(path);
}

/**
 * Puts folders back that a killed process moved into its draft, and did not replace: they may have files of others.
 *
 * @returns whether nothing of others is left in the draft
 */
export async function putBack(draft: string): Promise<boolean> {
  try {
    for (const place of [draft, join(draft, SCRATCH)]) {
      for (const entry of await namesIn(place)) {
        const [, name] = REPLACED.exec(entry) ?? [];
        if (name === undefined) continue;
        const target = join(dirname(draft), name);
        if (await lstat(target).catch(ignoreMissing))
          await carryOver(await filesBelow(join(place, entry)), join(place, entry), target);
        else await rename(join(place, entry), target);
      }
    }
    return true;
  } catch {
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
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!OCCUPIED.includes(code) || tries === MAX_TRIES) throw error;
    }
    if (await options.isDone?.()) return;
    // they are in both folders until the target is replaced: a kill loses none of them
    await carryOver((await options.foreignIn?.(to)) ?? [], to, from);
    // a later run puts it back if this one is killed before the next rename
    await rename(to, join(draft, `replaced-${tries}-${basename(to)}`)).catch(ignoreMissing);
  }
}

/** The names in a folder; none in a file, or if there is nothing. */
async function namesIn(folder: string): Promise<string[]> {
  const stats = await lstat(folder).catch(() => undefined);
  return stats?.isDirectory() ? readdir(folder) : [];
}

/** Links or copies files into another folder, in which others with the same path stay. */
async function carryOver(paths: readonly string[], from: string, to: string): Promise<void> {
  for (const path of paths) {
    const target = join(to, path);
    await makeFolder(dirname(target));
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
