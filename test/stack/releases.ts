// The releases: the tarballs, and the recorded states of each.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { vi } from "vitest";
import type { ReferenceService } from "../../examples/reference-service/index.ts";
import type { StateResource } from "../engine/index.ts";
import { PATIENTLY } from "../simulation/patience.ts";
import { CANARY_KEY } from "./world.ts";

export const RELEASES_FOLDER = join(import.meta.dirname, "releases");
export const RECORDED_STATES_FOLDER = join(import.meta.dirname, "recordedStates");

/** A state as a release left it, in `recordedStates/RELEASE/NAME.json`. */
export interface RecordedState {
  /** Lines of the program of the state. */
  program: string;
  /** Facts that only the recording run knew. */
  lived: {
    baseUrl: string;
    /** Oldest first: the state is about the last one. */
    jobIds: string[];
    /** ISO 8601 */
    recordedAt: string;
  };
  resources: StateResource[];
}

export interface Release {
  release: string;
  tarball: string;
}

/** The oldest first. */
export const releases: Release[] = readdirSync(RELEASES_FOLDER)
  .filter((file) => file.endsWith(".tgz"))
  .map((file) => ({ release: basename(file, ".tgz"), tarball: join(RELEASES_FOLDER, file) }))
  .sort((a, b) => a.release.localeCompare(b.release, "en", { numeric: true }));

export const recordedStates: { release: string; name: string }[] = readdirSync(
  RECORDED_STATES_FOLDER,
).flatMap((release) =>
  readdirSync(join(RECORDED_STATES_FOLDER, release)).map((file) => ({
    release,
    name: basename(file, ".json"),
  })),
);

/**
 * Reads a recorded state as if it had been written just now, at this service: with its address, with jobs that it really has, and
 * with moved dates. The link's signature stays as it was: it downloads nothing.
 */
export async function reviveState(
  { release, name }: { release: string; name: string },
  service: ReferenceService,
): Promise<RecordedState> {
  let text = readFileSync(join(RECORDED_STATES_FOLDER, release, `${name}.json`), "utf8");
  const { lived } = JSON.parse(text) as RecordedState;
  text = text.replaceAll(lived.baseUrl, service.url);
  for (const jobId of lived.jobIds) text = text.replaceAll(jobId, await finishedJob(service));
  const movedByMs = Date.now() - Date.parse(lived.recordedAt);
  return moveDates(JSON.parse(text) as RecordedState, movedByMs) as RecordedState;
}

/** So that a reader of the state sees at once how it ended. */
export async function finishedJob(service: ReferenceService): Promise<string> {
  const jobId = await startJob(service);
  const headers = { authorization: `Bearer ${CANARY_KEY}` };
  await vi.waitUntil(
    async () => {
      const reply = await fetch(`${service.url}/v1/static-export/jobs/${jobId}`, { headers });
      return ((await reply.json()) as { status?: unknown }).status === "completed";
    },
    { ...PATIENTLY, interval: 20 },
  );
  return jobId;
}

export async function startJob(service: ReferenceService, domain = "docs.example.com"): Promise<string> {
  const reply = await fetch(`${service.url}/v1/static-export/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${CANARY_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ domain }),
  });
  const { jobId } = (await reply.json()) as { jobId?: unknown };
  if (typeof jobId !== "string") throw new Error(`no job was started: ${reply.status}`);
  return jobId;
}

/** Larger numbers are dates in milliseconds since 1970: any other number in a state is smaller. */
const SMALLEST_DATE_MS = 1e12;

function moveDates(value: unknown, byMs: number): unknown {
  if (typeof value === "number") return value >= SMALLEST_DATE_MS ? value + byMs : value;
  if (typeof value === "string") {
    const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
    return isDate ? new Date(Date.parse(value) + byMs).toISOString() : value;
  }
  if (Array.isArray(value)) return value.map((element) => moveDates(element, byMs));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, moveDates(each, byMs)]));
}
