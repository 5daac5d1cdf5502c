import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import fetch from "node-fetch";
import { onTestFinished } from "vitest";
import { Secrets } from "../../../../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../../../../provider/base/runtime/time/clock.ts";
import type {
  Copy,
  DestinationContext,
  Signing,
} from "../../../../../provider/publishing/destinations/destination.ts";
import type { RepositoryInputs } from "../../../../../provider/publishing/destinations/repository/inputs.ts";
import { repositoryDestination } from "../../../../../provider/publishing/destinations/repository/repositoryDestination.ts";
import { BUNDLE } from "../../../../simulation/copiedBundle.ts";
import { noPauses } from "../../../../simulation/noPauses.ts";
import { OWNER } from "../../../../simulation/owners.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";

/** A page that is worth compressing, and one that is not. */
export const SITE: Readonly<Record<string, string>> = {
  "index.html": "<h1>Hello</h1>".repeat(100),
  "guide/a.html": "short",
};

/** One operation, and its messages. */
export async function operation(): Promise<
  DestinationContext & { reporter: ReturnType<typeof recordingReporter> }
> {
  const scratch = await mkdtemp(join(tmpdir(), "repository-"));
  onTestFinished(() => rm(scratch, { recursive: true, force: true }));
  return {
    fetch,
    clock: noPauses,
    reporter: recordingReporter(),
    secrets: new Secrets(),
    signal: new AbortController().signal,
    deadline: startDeadline(noPauses, 60_000),
    environment: () => undefined,
    scratch: () => Promise.resolve(scratch),
    owner: OWNER,
  };
}

/** Copies a site. */
export async function copySite(
  options: RepositoryInputs,
  {
    files = SITE,
    signing,
    placing,
    context,
    edition,
    earlier,
  }: {
    files?: typeof SITE;
    signing?: Signing;
    placing?: (copy: Copy) => void;
    context?: DestinationContext;
    edition?: string;
    earlier?: readonly Copy[];
  } = {},
): Promise<Copy> {
  const place = repositoryDestination(options);
  const draft = await place.begin(BUNDLE, context ?? (await operation()), edition, earlier);
  for (const [path, text] of Object.entries(files)) {
    await draft.sink?.file({ path, size: text.length }, Readable.from([Buffer.from(text)]));
  }
  return draft.publish(placing, signing);
}
