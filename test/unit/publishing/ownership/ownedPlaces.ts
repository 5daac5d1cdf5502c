import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, onTestFinished } from "vitest";
import type {
  Copy,
  DestinationContext,
  DraftingDestination,
} from "../../../../provider/publishing/destinations/destination.ts";
import {
  type BucketStub,
  startBucketStub,
  type StubOperation,
  stubOperation,
} from "../../../simulation/bucketStub.ts";
import { otherOwner, OWNER } from "../../../simulation/owners.ts";

export const OTHER = otherOwner();

export const OWNER_FILE = ".docs-hosting/owner.json";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export let root: string;

export let store: BucketStub;

export let operation: StubOperation;

/** Each test has a folder and a store of its own. */
export function withPlaces(): void {
  beforeEach(async (context) => {
    root = mkdtempSync(join(tmpdir(), "places-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    store = await startBucketStub(context);
    operation = await stubOperation(context);
  });
}

export const as = (owner = OWNER, more: Partial<DestinationContext> = {}): DestinationContext => ({
  ...operation,
  owner,
  isCreate: true,
  ...more,
});

export async function publish(
  destination: DraftingDestination,
  text: string,
  context: DestinationContext,
): Promise<Copy> {
  const path = join(root, `${text}.tar.gz`);
  writeFileSync(path, text);
  const bundle = { path, format: "tar.gz", sha256: sha256(text), size: text.length, version: text } as const;
  const scratch = mkdtempSync(join(root, "scratch-"));
  const draft = await destination.begin(bundle, { ...context, scratch: () => Promise.resolve(scratch) });
  try {
    for (const [name, body] of Object.entries({ "index.html": text, [`${text}.css`]: text })) {
      await draft.sink?.file({ path: name, size: body.length }, Readable.from([Buffer.from(body)]));
    }
    return await draft.publish();
  } catch (error) {
    await draft.abandon?.();
    throw error;
  }
}

export function contentOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name).slice(folder.length + 1),
        readFileSync(join(entry.parentPath, entry.name), "utf8"),
      ]),
  );
}
