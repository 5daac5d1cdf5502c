import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DestinationError } from "../../words/errors";
import type { Copy, Destination, DestinationContext } from "../destination";
import { diskFailure } from "../../disk/diskFailure";
import { draftName, removeOldDrafts } from "../../disk/drafts";
import { makeFolder } from "../../disk/makeFolder";
import { writeNewFile } from "../../disk/writeFile";

/** The symbolic link that leads to the newest site. */
const CURRENT = "current";

/** Digests of a site's files, by their paths. */
type Listing = Readonly<Record<string, string>>;

/**
 * Unpacked sites in a folder: `<sha256>/…` each, and beside it `<sha256>.json` with the digests of its files; `current` leads to
 * the newest. A site appears by one rename, and so does the link.
 */
export function siteFolder(folder: string): Destination {
  const here = (name: string): string => resolve(folder, name);
  const listingOf = (sha256: string): string => here(`${sha256}.json`);
  const guarded = async <T>({ signal }: DestinationContext, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw diskFailure(error, folder, signal);
    }
  };

  return {
    id: folder,

    begin: (bundle, context) =>
      guarded(context, async () => {
        const { clock, signal, reporter } = context;
        const { sha256 } = bundle;
        await makeFolder(resolve(folder));
        await removeOldDrafts(folder, clock.now());
        await refuseForeignLink(here(CURRENT));
        const draft = here(draftName(clock));
        await mkdir(draft);
        const listing: Record<string, string> = {};
        return {
          sink: {
            file: ({ path }, content) =>
              guarded(context, async () => {
                signal.throwIfAborted();
                const target = join(draft, path);
                await makeFolder(dirname(target));
                listing[path] = (await writeNewFile(target, content, { flush: false })).sha256;
                reporter.progress(`unpacking to ${folder}: ${Object.keys(listing).length} files`);
              }),
          },
          publish: () =>
            guarded(context, async () => {
              signal.throwIfAborted();
              const site = here(sha256);
              if ((await differences(site, listing, signal)) !== "none") {
                // what is there under this name is ours, and broken
                const broken = here(draftName(clock));
                await rename(site, broken).catch(ignoreMissing);
                await rename(draft, site);
                await rm(broken, { recursive: true, force: true });
              }
              await replaceFile(listingOf(sha256), JSON.stringify(listing), here(draftName(clock)));
              const link = here(draftName(clock));
              await symlink(sha256, link);
              await rename(link, here(CURRENT));
              await rm(draft, { recursive: true, force: true });
              return { sha256, uri: join(folder, sha256), parts: { site: sha256 } };
            }),
        };
      }),

    look: (copy, context) =>
      guarded(context, async () => {
        const listing = await readListing(listingOf(copy.sha256));
        const found = await differences(here(copy.sha256), listing ?? {}, context.signal);
        if (found === "all") return "gone";
        const current = await readlink(here(CURRENT)).catch(ignoreMissing);
        return listing && found === "none" && current === copy.sha256 ? "same" : "changed";
      }),

    remove: (copies, kept, context) =>
      guarded(context, async () => {
        const stay = new Set(kept.map(({ sha256 }: Copy) => sha256));
        for (const { sha256 } of copies) {
          if (stay.has(sha256)) continue;
          if ((await readlink(here(CURRENT)).catch(ignoreMissing)) === sha256) await rm(here(CURRENT));
          await rm(here(sha256), { recursive: true, force: true });
          await rm(listingOf(sha256), { force: true });
        }
      }),
  };
}

/** Whether a folder holds these files and no other: `all` of it differs where there is none. */
async function differences(
  site: string,
  listing: Listing,
  signal: AbortSignal,
): Promise<"none" | "some" | "all"> {
  const seen = await lstat(site).catch(ignoreMissing);
  if (!seen) return "all";
  if (!seen.isDirectory()) return "some";
  const entries = await readdir(site, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  if (files.length !== Object.keys(listing).length) return "some";
  for (const [path, sha256] of Object.entries(listing)) {
    signal.throwIfAborted();
    if ((await digestOf(join(site, path))) !== sha256) return "some";
  }
  return "none";
}

async function digestOf(path: string): Promise<string | undefined> {
  if (!(await lstat(path).catch(ignoreMissing))?.isFile()) return undefined;
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest("hex");
}

async function readListing(path: string): Promise<Listing | undefined> {
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Listing);
  } catch {
    return undefined; // somebody wrote something else there
  }
}

async function replaceFile(path: string, text: string, draft: string): Promise<void> {
  await writeFile(draft, text, { flag: "wx", flush: true });
  await rename(draft, path);
}

/** @throws DestinationError for something of others under the name of our link */
async function refuseForeignLink(path: string): Promise<void> {
  const seen = await lstat(path).catch(ignoreMissing);
  if (!seen || (seen.isSymbolicLink() && /^[0-9a-f]{64}$/.test(await readlink(path)))) return;
  throw new DestinationError(
    `${path} is there already, and is no link to a copy`,
    "It was left as it is. Move it away, or give another folder.",
  );
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
