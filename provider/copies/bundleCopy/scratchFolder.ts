import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { diskFailure } from "../../base/runtime/files/diskFailure";
import { ELSEWHERE, homeFolder, makeHomeFolder } from "../../base/runtime/files/homeFolder";
import { isAbandoned, ownName } from "../../base/runtime/files/ownerProcess";
import type { Claimant, DestinationContext } from "../../publishing/index";
import type { LimitedContext } from "../../resource/withinLimit";

/**
 * Runs an operation on a destination. Its scratch folder is created on first use and removed at the end.
 *
 * @throws DestinationError for a folder that cannot be made or written; what `run` throws
 */
export async function withScratchFolder<T>(
  context: LimitedContext & Pick<Claimant, "owner"> & Partial<Claimant>,
  run: (context: DestinationContext) => Promise<T>,
): Promise<T> {
  const { clock, signal, configuration } = context;
  const { environment } = configuration;
  const scratches = homeFolder(environment, "scratch");
  let made: Promise<string> | undefined;
  const scratch = (): Promise<string> => (made ??= makeScratch(scratches, clock.now()));
  try {
    return await run({ ...context, environment, scratch });
  } catch (error) {
    throw made ? diskFailure(error, scratches, signal, ELSEWHERE) : error;
  } finally {
    await made?.then((path) => rm(path, { recursive: true, force: true })).catch(() => undefined);
  }
}

/**
 * Creates an empty folder for one operation, and removes those that killed operations left. @param nowMs milliseconds since 1970
 */
async function makeScratch(scratches: string, nowMs: number): Promise<string> {
  makeHomeFolder(scratches);
  for (const name of await readdir(scratches)) {
    const path = join(scratches, name);
    try {
      if (isAbandoned(name, (await stat(path)).mtimeMs, nowMs)) {
        await rm(path, { recursive: true, force: true });
      }
    } catch {
      // another run was quicker
    }
  }
  const own = join(scratches, ownName());
  await mkdir(own, { mode: 0o700 });
  return own;
}
