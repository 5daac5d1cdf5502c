import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import fetch from "node-fetch";
import type { TestContext } from "vitest";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../provider/base/runtime/time/clock.ts";
import type { SiteSink } from "../../provider/publishing/archives/siteSink.ts";
import type {
  Copy,
  DestinationContext,
  Signing,
} from "../../provider/publishing/destinations/destination.ts";
import type { RepositoryInputs } from "../../provider/publishing/destinations/repository/inputs.ts";
import { repositoryDestination } from "../../provider/publishing/destinations/repository/repositoryDestination.ts";
import type { Bundle } from "../../provider/publishing/inspection/bundle.ts";
import { BUNDLE } from "../simulation/copiedBundle.ts";
import { FasterClock } from "../simulation/fasterClock.ts";
import { OWNER } from "../simulation/owners.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";
import { scratchFolder } from "./images.ts";

/** A small site: a page that is worth compressing, and one that is not. */
export const SITE: Readonly<Record<string, string | Buffer>> = {
  "index.html": "<h1>Hello</h1>".repeat(100),
  "guide/über uns.html": "short",
};

/** One operation, and what it recorded. */
export interface Operation extends DestinationContext {
  readonly reporter: ReturnType<typeof recordingReporter>;
  readonly clock: FasterClock;
  /** `METHOD /path` of every request, without the query. */
  readonly requests: string[];
  /** The headers of each. */
  readonly headers: Record<string, string>[];
}

/**
 * The context of an operation.
 *
 * @param environment all of its variables
 * @param options.speed of its clock
 */
export async function operation(
  context: Pick<TestContext, "onTestFinished">,
  environment: Readonly<Record<string, string>> = {},
  { signal = new AbortController().signal, speed = 20 }: { signal?: AbortSignal; speed?: number } = {},
): Promise<Operation> {
  const scratch = await mkdtemp(join(await scratchFolder(context), "scratch-"));
  const clock = new FasterClock(speed);
  const requests: string[] = [];
  const headers: Record<string, string>[] = [];
  return {
    fetch: (url, init) => {
      requests.push(`${init.method ?? "GET"} ${new URL(url).pathname}`);
      headers.push({ ...(init.headers as Record<string, string>), host: new URL(url).host });
      return fetch(url, init);
    },
    clock,
    reporter: recordingReporter(),
    secrets: new Secrets(),
    signal,
    deadline: startDeadline(clock, 30 * 60_000),
    environment: (name) => environment[name],
    scratch: () => Promise.resolve(scratch),
    owner: OWNER,
    requests,
    headers,
  };
}

/** Copies a site. */
export async function copySite(
  options: RepositoryInputs,
  context: DestinationContext,
  {
    files = SITE,
    bundle = BUNDLE,
    signing,
    earlier = [],
  }: { files?: typeof SITE; bundle?: Bundle; signing?: Signing; earlier?: readonly Copy[] } = {},
): Promise<Copy> {
  const draft = await repositoryDestination(options).begin(bundle, context, bundle.sha256, earlier);
  if (draft.sink) await fill(draft.sink, files);
  return draft.publish(undefined, signing);
}

/** Passes files to a consumer. */
export async function fill(sink: SiteSink, files: typeof SITE): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const bytes = Buffer.from(text as string);
    await sink.file({ path, size: bytes.length }, Readable.from([bytes]));
  }
}
