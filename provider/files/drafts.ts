import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ignoreMissing } from "./ignoreMissing";
import { makeFolder } from "./makeFolder";
import { isAbandoned, isOwnerless, ownName } from "./owner";

/**
 * The name of a draft: hidden, ours, and beside what it becomes, so that one rename publishes it. It names the process that owns it,
 * who alone writes to it. Releases before 0.7 named no owner, or ended the drafts of kits with `.kit`.
 */
const DRAFT = /^\.docs-hosting-(?:([0-9a-f]{16})\.)?([0-9a-z-]+)\.(?:draft|kit)$/;

/** How often a folder is put in its place while other processes do the same. */
const MAX_TRIES = 9;
/** What the system says of a place where something is. */
const OCCUPIED = ["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM"];

/** @param key names the resource that goes on with the draft of an ended process. Without it, nobody goes on with it */
export function draftPath(folder: string, key?: string, owner = ownName()): string {
  return join(folder, `.docs-hosting-${key === undefined ? "" : `${key}.`}${owner}.draft`);
}

/** Makes an empty draft in a folder, and removes those that no process owns any more. */
export async function beginDraft(folder: string): Promise<string> {
  const draft = draftPath(folder);
  await makeFolder(folder);
  await mkdir(draft);
  await removeDrafts(folder);
  await removeOldDrafts(folder, draft);
  return draft;
}

/** The drafts of a resource that no process owns any more. */
export async function endedDrafts(folder: string, key?: string): Promise<string[]> {
  return (await draftsIn(folder)).filter((each) => each.key === key && isOwnerless(each.owner)).map(pathOf);
}

/** Removes the drafts of a resource that no process owns any more. Best effort. */
export async function removeDrafts(folder: string, key?: string): Promise<void> {
  for (const path of await endedDrafts(folder, key)) await removeDraft(path);
}

/**
 * Removes the drafts of any resource that are a day older than another draft, by the clock of the file system: those of this machine's
 * processes and of others' are stamped by it alike. Best effort.
 */
export async function removeOldDrafts(folder: string, than: string): Promise<void> {
  const { mtimeMs } = await lstat(than);
  for (const { path, owner } of await draftsIn(folder)) {
    const seen = await lstat(path).catch(() => undefined);
    if (seen && isAbandoned(owner, seen.mtimeMs, mtimeMs)) await removeDraft(path);
  }
}

/** Another process may remove it at the same time; what may not be removed stays. */
export function removeDraft(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/**
 * Puts a folder in its place by one rename. What is there moves to a draft; other processes may do the same at the same time.
 *
 * @param isDone whether what is there will do as well
 */
export async function replaceFolder(
  from: string,
  to: string,
  draft: string,
  isDone: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!OCCUPIED.includes(code) || tries === MAX_TRIES) throw error;
    }
    if (await isDone()) return;
    await rename(to, join(draft, `replaced-${tries}`)).catch(ignoreMissing);
  }
}

interface FoundDraft {
  readonly path: string;
  readonly key: string | undefined;
  readonly owner: string;
}

const pathOf = ({ path }: FoundDraft): string => path;

async function draftsIn(folder: string): Promise<FoundDraft[]> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
  return names.flatMap((name) => {
    const [, key, owner] = DRAFT.exec(name) ?? [];
    return owner === undefined ? [] : [{ path: join(folder, name), key, owner }];
  });
}
