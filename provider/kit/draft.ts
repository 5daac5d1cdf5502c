import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder } from "../disk/makeFolder";
import { freeName, isOwnerless, ownName } from "../disk/owner";
import { BLOBS } from "./layoutFiles";

/** How a kit in the making is named: hidden, beside what it becomes, so that one rename puts it in place. */
const DRAFT = /^\.docs-hosting-([0-9a-f]{16})\.([\w-]+)\.kit$/;

/** How long what a killed run left is kept, in milliseconds: whoever wanted it would have come back. */
const DRAFT_LIFE_MS = 24 * 3_600_000;

/**
 * A kit in the making. It belongs to one process, who alone writes to it; what a dead one left is taken over by giving it another
 * name, which only one of many can do.
 */
export class KitDraft {
  /** The folder that becomes the kit. Empty at first. */
  readonly kit: string;
  /** Blobs of images that have arrived, by the digits of their digests: also those of a run that was killed. */
  readonly blobs: string;
  /** For what is in nobody's way. Empty at first. */
  readonly scratch: string;
  readonly #folder: string;
  readonly #key: string;
  readonly #path: string;

  private constructor(folder: string, key: string) {
    this.#folder = folder;
    this.#key = key;
    this.#path = join(folder, draftName(key, ownName()));
    this.kit = join(this.#path, "kit");
    this.blobs = join(this.#path, "blobs");
    this.scratch = join(this.#path, "scratch");
  }

  /**
   * A draft of one's own, with the blobs that a killed run of the same owner left.
   *
   * @param owner what tells drafts of the same folder apart: the resource's URN
   * @param nowMs milliseconds since 1970
   * @throws the error of the file system
   */
  static async claim(place: string, owner: string, nowMs: number): Promise<KitDraft> {
    const folder = resolve(place);
    await makeFolder(folder);
    const key = createHash("sha256").update(owner).digest("hex").slice(0, 16);
    const draft = new KitDraft(folder, key);
    let isTaken = false;
    for (const { path, isOurs } of await left(folder, key, nowMs)) {
      // only one of those who try
      if (isOurs && !isTaken) isTaken = await moved(path, draft.#path);
      else await rm(path, { recursive: true, force: true });
    }
    if (!isTaken) await mkdir(draft.#path);
    await draft.#begin();
    return draft;
  }

  /** Keeps the blobs, and nothing else. */
  async #begin(): Promise<void> {
    await mkdir(this.blobs, { recursive: true });
    const laidOut = join(this.kit, BLOBS);
    for (const name of await readdir(laidOut).catch(() => [])) {
      await rename(join(laidOut, name), join(this.blobs, name));
    }
    for (const folder of [this.kit, this.scratch]) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
    }
  }

  /**
   * Puts a folder in its place, by one rename. What is there under this name is ours: it is replaced.
   *
   * @param finished `kit`, or what was made of it
   */
  async publish(finished: string, name: string): Promise<void> {
    const target = join(this.#folder, name);
    await moved(target, join(this.scratch, "replaced"));
    await rename(finished, target);
    await rm(this.#path, { recursive: true, force: true });
  }

  /** Leaves the blobs to the next run, also to one of this process. */
  async release(): Promise<void> {
    const hasBlobs = (await readdir(this.blobs).catch(() => [])).length > 0;
    if (hasBlobs) await rename(this.#path, join(this.#folder, draftName(this.#key, freeName())));
    else await rm(this.#path, { recursive: true, force: true });
  }
}

/** Removes what killed runs of a resource left, when it goes itself. */
export async function removeDrafts(place: string, owner: string): Promise<void> {
  const folder = resolve(place);
  const key = createHash("sha256").update(owner).digest("hex").slice(0, 16);
  for (const { path, isOurs } of await left(folder, key, 0)) {
    if (isOurs) await rm(path, { recursive: true, force: true });
  }
}

function draftName(key: string, owner: string): string {
  return `.docs-hosting-${key}.${owner}.kit`;
}

/** Drafts that nobody works in: those with this key, and those that are too old for anybody. */
async function left(
  folder: string,
  key: string,
  nowMs: number,
): Promise<{ path: string; isOurs: boolean }[]> {
  const found: { path: string; isOurs: boolean }[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const [, itsKey, owner = ""] = DRAFT.exec(name) ?? [];
    if (itsKey === undefined) continue;
    const path = join(folder, name);
    const isOld = nowMs - ((await lstat(path).catch(() => undefined))?.mtimeMs ?? nowMs) > DRAFT_LIFE_MS;
    const isOurs = itsKey === key && isOwnerless(owner);
    if (isOld || isOurs) found.push({ path, isOurs: isOurs && !isOld });
  }
  return found;
}

/** @returns whether there was something to be moved */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
