import { createHash } from "node:crypto";
import type { TestContext } from "vitest";
import type {
  Copy,
  DestinationContext,
  DraftingDestination,
} from "../../provider/publishing/destinations/destination.ts";
import type { Bundle } from "../../provider/publishing/inspection/bundle.ts";
import { draftingDestination } from "../simulation/draftingDestination.ts";
import { operation } from "./bucketOperation.ts";
import type { BucketStore } from "./stores/store.ts";

/** Contents by their paths. */
export type Site = Readonly<Record<string, string | Buffer>>;

/** The destination of sites in a store. */
export function sites(store: Pick<BucketStore, "place">, prefix = "v"): DraftingDestination {
  return draftingDestination({ ...store.place, layout: "site", prefix });
}

/** The bundle that a site is of: another one for each content. */
export function bundleOf(site: Site): Bundle {
  const sha256 = createHash("sha256").update(JSON.stringify(site)).digest("hex");
  return { path: "/nowhere", format: "tar.gz", sha256, size: 1, version: "1" };
}

/** Publishes a site. */
export async function publish(
  context: TestContext,
  destination: DraftingDestination,
  site: Site,
  by?: DestinationContext,
): Promise<Copy> {
  const draft = await destination.begin(bundleOf(site), by ?? (await operation(context)));
  for (const [path, content] of Object.entries(site)) {
    const bytes = Buffer.from(content);
    await draft.sink?.file({ path, size: bytes.length }, pieces(bytes));
  }
  return draft.publish();
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) {
    yield await Promise.resolve(bytes.subarray(at, at + 65_536));
  }
}
