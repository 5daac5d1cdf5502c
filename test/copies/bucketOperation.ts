import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fetch from "node-fetch";
import type { TestContext } from "vitest";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import { startDeadline, systemClock } from "../../provider/base/runtime/time/clock.ts";
import type { DestinationContext } from "../../provider/publishing/destinations/destination.ts";
import type { Bundle } from "../../provider/publishing/inspection/bundle.ts";
import { OWNER } from "../simulation/owners.ts";

/** A separate operation with a scratch folder, until the test ends. */
export async function operation(
  context: Pick<TestContext, "onTestFinished">,
  signal: AbortSignal = new AbortController().signal,
): Promise<DestinationContext & { readonly lines: string[] }> {
  const scratch = await mkdtemp(join(tmpdir(), "scratch-"));
  context.onTestFinished(() => rm(scratch, { recursive: true, force: true }));
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  return {
    fetch,
    clock: systemClock,
    reporter: { progress: say, debug: say, info: say, warn: say },
    secrets: new Secrets(),
    signal,
    deadline: startDeadline(systemClock, 60_000),
    environment: (name) => process.env[name],
    scratch: () => Promise.resolve(scratch),
    owner: OWNER,
    lines,
  };
}

/** An archive with other bytes each time, which is never unpacked. */
export async function makeBundle(
  context: Pick<TestContext, "onTestFinished">,
  size: number,
): Promise<Bundle & { readonly content: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), "bundle-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const content = randomBytes(size);
  const path = join(folder, randomUUID());
  await writeFile(path, content);
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { path, format: "tar.gz", sha256, size, version: "1", content };
}
