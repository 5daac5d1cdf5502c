import { hash } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  draftPath,
  endedDrafts,
  putBack,
  removeDraft,
  removeDrafts as removeDraftsOf,
  removeEndedDraft,
  removeOldDrafts,
  replaceFolder,
  SCRATCH,
} from "../../runtime/files/drafts";
import { ignoreMissing } from "../../runtime/files/ignoreMissing";
import { filesBelow, foreignText } from "../../runtime/files/listing";
import { makeFolder } from "../../runtime/files/makeFolder";
import { freeName } from "../../runtime/files/ownerProcess";
import { removedMeanwhile, type OwnershipContext } from "../../copies/ownership/ownership";
import { BLOBS } from "./ociLayout";

/**
 * A kit that is being written. One process owns it and alone writes to it. A later process takes over the draft of a dead process
 * by renaming it; only one of several processes can succeed.
 */
export class KitDraft {
  /** The folder that becomes the kit. Initially empty. */
  readonly kit: string;
  /** Fetched blobs of images, named by the digits of their digests; includes those of a killed run. */
  readonly blobs: string;
  /** For temporary files. Initially empty. */
  readonly scratch: string;
  readonly #folder: string;
  readonly #key: string;
  readonly #path: string;

  private constructor(folder: string, key: string) {
    this.#folder = folder;
    this.#key = key;
    this.#path = draftPath(folder, key);
    this.kit = join(this.#path, "kit");
    this.blobs = join(this.#path, "blobs");
    this.scratch = join(this.#path, SCRATCH);
  }

  /**
   * Creates a draft for this process, with the blobs that a killed run of the same owner left.
   *
   * @param owner distinguishes drafts in the same folder: the resource's URN
   * @throws the error of the file system
   */
  static async claim(place: string, owner: string): Promise<KitDraft> {
    const folder = resolve(place);
    await makeFolder(folder);
    const draft = new KitDraft(folder, keyOf(owner));
    let isTaken = false;
    for (const path of await endedDrafts(folder, draft.#key)) {
      // only one of several processes succeeds
      if (isTaken) await removeEndedDraft(path);
      else isTaken = (await rename(path, draft.#path).then(() => true, ignoreMissing)) === true;
    }
    if (!isTaken) await mkdir(draft.#path);
    await mkdir(draft.blobs, { recursive: true });
    await draft.#keepBlobs();
    await mkdir(draft.kit);
    await mkdir(draft.scratch);
    await removeOldDrafts(folder, draft.#path);
    return draft;
  }

  /** Removes everything except the blobs. */
  async #keepBlobs(): Promise<void> {
    await putBack(this.#path);
    const laidOut = join(this.kit, BLOBS);
    for (const name of await readdir(laidOut).catch(() => [])) {
      await rename(join(laidOut, name), join(this.blobs, name));
    }
    for (const folder of [this.kit, this.scratch]) await rm(folder, { recursive: true, force: true });
  }

  /**
   * Publishes a folder with one rename. An existing folder with this name has the same content, and is replaced unless it is whole:
   * files of others in it stay.
   *
   * @param finished `kit`, or a folder made from it
   * @param isWhole whether the existing folder is a whole kit
   */
  async publish(
    finished: string,
    name: string,
    { reporter }: Pick<OwnershipContext, "reporter">,
    isWhole: (kit: string) => Promise<boolean>,
  ): Promise<void> {
    const target = join(this.#folder, name);
    const written = new Set(await filesBelow(finished));
    await replaceFolder(finished, target, this.scratch, {
      isDone: () => isWhole(target),
      foreignIn: async (kit) => {
        const stats = await lstat(kit).catch(ignoreMissing);
        const there = stats?.isDirectory() ? await filesBelow(kit) : [];
        const foreign = there.filter((path) => !written.has(path));
        if (foreign.length > 0) reporter.warn(foreignText(kit, foreign, "kit"));
        return foreign;
      },
    });
    if (!(await lstat(target).catch(ignoreMissing))) throw removedMeanwhile(target);
    await removeDraft(this.#path);
  }

  /** Leaves the blobs to the next run, even one of this process. */
  async release(): Promise<void> {
    await this.#keepBlobs();
    const hasBlobs = (await readdir(this.blobs).catch(() => [])).length > 0;
    if (hasBlobs) await rename(this.#path, draftPath(this.#folder, this.#key, freeName()));
    else await removeDraft(this.#path);
  }
}

/** Removes the drafts that killed runs of a resource left, when the resource is deleted. */
export function removeDrafts(place: string, owner: string): Promise<void> {
  return removeDraftsOf(resolve(place), keyOf(owner));
}

function keyOf(owner: string): string {
  return hash("sha256", owner).slice(0, 16);
}
