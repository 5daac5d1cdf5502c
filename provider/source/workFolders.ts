import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { DestinationContext } from "../destination/destination";
import type { Context } from "../resource/context";
import type { Deadline } from "../time/deadline";

/** A context in which something is made of a bundle, until the time limit. */
export type WorkContext = Context & { readonly deadline: Deadline };

/** How long what a killed run left is kept, in milliseconds: by then nobody works in it. */
const LEFT_LIFE_MS = 24 * 3_600_000;

/** Where bundles are until something is made of them: in Pulumi's own folder of the user, on a disk and not in memory. */
export interface WorkFolders {
  /** Bundles and parts of them, which a later run goes on from. */
  readonly downloads: string;
  /** What operations work in: a folder each. */
  readonly scratches: string;
}

export function workFolders(environment: (name: string) => string | undefined): WorkFolders {
  // Pulumi takes an empty one for none, too
  const root = join(environment("PULUMI_HOME") || join(homedir(), ".pulumi"), "docs-hosting");
  return { downloads: join(root, "downloads"), scratches: join(root, "scratch") };
}

/**
 * Makes an empty folder for one operation, and removes what killed ones have left.
 *
 * @param nowMs milliseconds since 1970
 */
export async function makeScratch(scratches: string, nowMs: number): Promise<string> {
  await mkdir(scratches, { recursive: true, mode: 0o700 });
  for (const name of await readdir(scratches)) {
    const path = join(scratches, name);
    try {
      if (nowMs - (await stat(path)).mtimeMs > LEFT_LIFE_MS) await rm(path, { recursive: true, force: true });
    } catch {
      // another run was quicker
    }
  }
  return mkdtemp(join(scratches, "copy-"));
}

/** Runs what works with a folder of its own: what asks a destination, or writes to it. */
export async function withScratch<T>(
  context: WorkContext,
  run: (context: DestinationContext) => Promise<T>,
): Promise<T> {
  const { fetch, clock, reporter, signal, deadline } = context;
  const environment = environmentOf(context);
  const scratch = await makeScratch(workFolders(environment).scratches, clock.now());
  try {
    return await run({ fetch, clock, reporter, signal, deadline, scratch, environment });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

export function environmentOf({ configuration }: Context): (name: string) => string | undefined {
  return (name) => configuration.environment(name);
}
