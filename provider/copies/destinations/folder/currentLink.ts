import { lstat, readlink, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { draftPath, removeDraft } from "../../../runtime/files/drafts";
import { linkFolder, replaceLink } from "../../../runtime/files/folderLink";
import { ignoreMissing } from "../../../runtime/files/ignoreMissing";
import { DestinationError } from "../../../runtime/messages/errors";
import type { Ownership } from "../../ownership/ownership";
import type { DestinationContext } from "../destination";

/** The symbolic link to the site that was published last. */
export const CURRENT = "current";

/** How often the link is moved again because another run moved it at the same time. */
const MAX_TRIES = 20;

/** The link `current` of a folder. It belongs to the owner who published last. */
export class CurrentLink {
  readonly #folder: string;
  readonly #ownership: Ownership;
  readonly #context: DestinationContext;

  constructor(folder: string, ownership: Ownership, context: DestinationContext) {
    this.#folder = resolve(folder);
    this.#ownership = ownership;
    this.#context = context;
  }

  async isAt(site: string): Promise<boolean> {
    return (await this.#target()) === site;
  }

  /** Moves the link to a site that is published now. A warning names the other owners of the site that it led to. */
  async take(site: string): Promise<void> {
    const before = await this.#target();
    if (before !== undefined && before !== site) {
      const others = await this.#ownership.otherOwners(before);
      if (others !== undefined) {
        this.#context.reporter.warn(
          `${this.#path} led to a copy of ${others}: it leads to this copy now. Give each resource a folder of its own`,
        );
      }
    }
    for (let tries = 1; tries <= MAX_TRIES && !(await this.isAt(site)); tries++) await this.#moveTo(site);
  }

  /**
   * Moves the link from a site that its owner leaves to the newest whole site that another owner has, or removes it. A link to
   * another site stays.
   */
  async giveAway(site: string): Promise<void> {
    for (let from: string | undefined = site, tries = 1; tries <= MAX_TRIES; tries++) {
      if ((await this.#target()) !== from) return;
      const heir = await this.#newestWhole();
      if (heir === from) return;
      if (heir === undefined) return this.#removeUnlessUsed(site);
      await this.#moveTo(heir);
      from = heir; // a newer one may have been published meanwhile
    }
  }

  async #removeUnlessUsed(site: string): Promise<void> {
    await rm(this.#path, { force: true });
    // published while the link was removed: its own look at the link may have been before
    const heir = await this.#newestWhole();
    if (heir !== undefined && heir !== site && (await this.#target()) === undefined) await this.#moveTo(heir);
  }

  async #newestWhole(): Promise<string | undefined> {
    for (const item of await this.#ownership.newestFirst()) {
      const stats = await stat(join(this.#folder, item)).catch(ignoreMissing);
      if (stats?.isDirectory() && (await lstat(join(this.#folder, `${item}.json`)).catch(ignoreMissing)))
        return item;
    }
    return undefined;
  }

  async #moveTo(site: string): Promise<void> {
    const draft = draftPath(this.#folder);
    try {
      await linkFolder(site, draft);
      await replaceLink(draft, this.#path);
    } finally {
      await removeDraft(draft);
    }
  }

  #target(): Promise<string | undefined> {
    return linkTarget(this.#path);
  }

  get #path(): string {
    return join(this.#folder, CURRENT);
  }
}

/** The target of a symbolic link; `undefined` if there is none. */
export async function linkTarget(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(ignoreMissing);
  return stats?.isSymbolicLink() ? readlink(path).catch(ignoreMissing) : undefined;
}

/** @throws DestinationError if something else has the name of our link */
export async function refuseForeignLink(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  if (stats.isSymbolicLink()) {
    const target = await readlink(path).catch(ignoreMissing);
    // another run may just have removed it
    if (target === undefined || /^[0-9a-f]{64}$/.test(target)) return;
  }
  throw new DestinationError(
    `${path} exists already, and is not a link to a copy`,
    "It is unchanged. Move it away, or give another folder.",
  );
}
