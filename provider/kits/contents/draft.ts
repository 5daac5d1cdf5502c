import { hash } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  DRAFT_MODE,
  draftPath,
  endedDrafts,
  putBack,
  removeDraft,
  removeDrafts as removeDraftsOf,
  removeEndedDraft,
  removeOldDrafts,
  replaceFolder,
  SCRATCH,
} from "../../base/runtime/files/drafts";
import { ignoreMissing } from "../../base/runtime/files/ignoreMissing";
import { entriesSorted, filesBelow, foreignText } from "../../base/runtime/files/listing";
import { makeFolder } from "../../base/runtime/files/makeFolder";
import { freeName } from "../../base/runtime/files/ownerProcess";
import type { Reporter } from "../../base/runtime/messages/reporter";
import { removedMeanwhile } from "../../publishing/index";
import { BLOBS } from "./imagesFolder";

/** A kit that is being written. */
export interface KitDraft {
  /** The folder that becomes the kit. Initially empty. */
  readonly kit: string;
  /** Fetched blobs of images, named by the digits of their digests; includes those of a killed run. */
  readonly blobs: string;
  /** For temporary files. Initially empty. */
  readonly scratch: string;
  /**
   * Publishes a folder with one rename. An existing folder with this name has the same content, and is replaced unless it is whole:
   * files of others in it stay.
   *
   * @param finished `kit`, or a folder made from it
   * @param isWhole whether the existing folder is a whole kit
   */
  publish(finished: string, name: string, isWhole: (kit: string) => Promise<boolean>): Promise<void>;
  /** Leaves the blobs to the next run, even one of this process. */
  release(): Promise<void>;
}

/**
 * Begins a kit, with the blobs that a killed run of the same owner left. One process owns the draft and alone writes to it. A later
 * process takes over the draft of a dead process by renaming it; only one of several processes can succeed.
 *
 * @param owner distinguishes drafts in the same folder: the resource's URN
 * @param reporter gets a line about each draft that is left alone
 * @throws the error of the file system
 */
export async function claimDraft(place: string, owner: string, reporter: Reporter): Promise<KitDraft> {
  const folder = resolve(place);
  const key = keyOf(owner);
  const draft = draftPath(folder, key);
  const [kit, blobs, scratch] = [join(draft, "kit"), join(draft, "blobs"), join(draft, SCRATCH)];

  /** Removes everything except the blobs. @returns whether nothing of others is in the draft */
  const keepBlobs = async (): Promise<boolean> => {
    if (!(await putBack(draft, reporter))) return false;
    const laidOut = join(kit, BLOBS);
    for (const name of await readdir(laidOut).catch(() => [])) {
      await rename(join(laidOut, name), join(blobs, name));
    }
    for (const each of [kit, scratch]) await rm(each, { recursive: true, force: true });
    return true;
  };
  /** Leaves the draft to a later run. */
  const setFree = (): Promise<void> => rename(draft, draftPath(folder, key, freeName()));

  await makeFolder(folder);
  let isTaken = false;
  for (const path of await endedDrafts(folder, reporter, key)) {
    if (isTaken) await removeEndedDraft(path, reporter);
    // only one of several processes succeeds
    else if ((await rename(path, draft).then(() => true, ignoreMissing)) === true) {
      await mkdir(blobs, { recursive: true });
      isTaken = await keepBlobs();
      if (!isTaken) await setFree();
    }
  }
  if (!isTaken) await mkdir(draft, { mode: DRAFT_MODE });
  await mkdir(blobs, { recursive: true });
  await mkdir(kit);
  await mkdir(scratch);
  await removeOldDrafts(folder, draft, reporter);

  return {
    kit,
    blobs,
    scratch,

    async publish(finished: string, name: string, isWhole: (kit: string) => Promise<boolean>): Promise<void> {
      const target = join(folder, name);
      const written = new Set(await filesBelow(finished));
      await replaceFolder(finished, target, scratch, {
        isDone: () => isWhole(target),
        foreignIn: async (existing) => {
          const stats = await lstat(existing).catch(ignoreMissing);
          const there = stats?.isDirectory() ? await entriesSorted(existing) : [];
          const foreign = there.filter((path) => !written.has(path));
          if (foreign.length > 0) reporter.warn(foreignText(existing, foreign, "kit"));
          return foreign;
        },
      });
      if (!(await lstat(target).catch(ignoreMissing))) throw removedMeanwhile(target);
      await removeDraft(draft);
    },

    async release(): Promise<void> {
      const isEmpty = (await keepBlobs()) && (await readdir(blobs).catch(() => [])).length === 0;
      if (isEmpty) await removeDraft(draft);
      else await setFree();
    },
  };
}

/** Removes the drafts that killed runs of a resource left, when the resource is deleted. */
export function removeKitDrafts(place: string, owner: string, reporter: Reporter): Promise<void> {
  return removeDraftsOf(resolve(place), reporter, keyOf(owner));
}

function keyOf(owner: string): string {
  return hash("sha256", owner).slice(0, 16);
}
