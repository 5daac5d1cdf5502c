// The sites of a fleet in Pulumi's state, on the volumes of its stacks: those of the CLI and of the test engine alike.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FleetInstallation } from "./fleetInstallation.ts";
import { repeatedly } from "./repeatedly.ts";

const PAUSE_MS = 200;
/** The state files of a stack below its volume, for both. */
const FILES = [
  (stack: string) => `state/docs-fleet.${stack}.json`,
  (stack: string) => `state/.pulumi/stacks/docs-fleet/${stack}.json`,
];

/** A site whose export is in the state. */
export interface SiteState {
  urn: string;
  jobId: string;
  /** Milliseconds since 1970. */
  renewAfterMs: number;
  expiresAtMs: number;
}

interface Resource {
  urn: string;
  type: string;
  outputs?: { jobId?: string; renewAfter?: string; expiresAt?: string };
}

/** Sites of a stack that have a link; `undefined` while there is no state, as during its replacement. */
async function readSites(volume: string, stack: string): Promise<SiteState[] | undefined> {
  for (const file of FILES) {
    const text = await readFile(join(volume, file(stack)), "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const document = JSON.parse(text) as {
      resources?: Resource[];
      checkpoint?: { latest?: { resources?: Resource[] } };
    };
    const resources = document.resources ?? document.checkpoint?.latest?.resources ?? [];
    return resources.flatMap(({ urn, type, outputs: { jobId = "", renewAfter, expiresAt } = {} }) =>
      type.endsWith(":StaticExport") && renewAfter !== undefined && expiresAt !== undefined
        ? [{ urn, jobId, renewAfterMs: Date.parse(renewAfter), expiresAtMs: Date.parse(expiresAt) }]
        : [],
    );
  }
  return undefined;
}

export interface WatchedSites {
  /** The present ones, of all stacks. */
  sites(): Promise<SiteState[]>;
  /** All violations so far: a link past its end, a removed site, a job in the place of another. */
  wrongs: ReadonlySet<string>;
}

/** Reads the states of a fleet continuously, until the test ends. */
export function watchSites(
  context: { onTestFinished: (done: () => Promise<void>) => void },
  fleet: Pick<FleetInstallation, "volumeOf">,
  stacks: readonly string[],
  clock: () => number,
): WatchedSites {
  const jobs = new Map<string, string>();
  const wrongs = new Set<string>();
  const stop = repeatedly(async () => {
    for (const stack of stacks) {
      const now = clock();
      const sites = await readSites(fleet.volumeOf(stack), stack);
      if (sites === undefined) continue;
      for (const { urn, jobId, expiresAtMs } of sites) {
        if (expiresAtMs <= now) wrongs.add(`${urn}: its link has ended`);
        if ((jobs.get(urn) ?? jobId) !== jobId) wrongs.add(`${urn}: another job`);
        jobs.set(urn, jobId);
      }
      const gone = [...jobs.keys()].filter(
        (urn) => urn.includes(`:${stack}::`) && !sites.some((site) => site.urn === urn),
      );
      for (const urn of gone) wrongs.add(`${urn}: it is gone`);
    }
  }, PAUSE_MS);
  context.onTestFinished(stop);
  return {
    wrongs,
    sites: async () =>
      (await Promise.all(stacks.map((stack) => readSites(fleet.volumeOf(stack), stack)))).flatMap(
        (sites) => sites ?? [],
      ),
  };
}
