import { beforeEach, type TestContext } from "vitest";
import type {
  Copy,
  DraftingDestination,
} from "../../../../../../provider/publishing/destinations/destination.ts";
import type { BucketInputs } from "../../../../../../provider/publishing/destinations/objectStore/s3/inputs.ts";
import { s3Destination } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import type { Bundle } from "../../../../../../provider/publishing/inspection/bundle.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubOperation,
} from "../../../../../simulation/bucketStub.ts";

export const MB = 1024 * 1024;

export let store: BucketStub;

/** Each test has a store of its own. */
export function withStore(): void {
  beforeEach(async (context) => {
    store = await startBucketStub(context);
  });
}

export const archives = (more: Partial<BucketInputs> = {}): DraftingDestination =>
  s3Destination({ bucket: STUB_BUCKET, prefix: "a", endpoint: store.endpoint, ...more });

export const keyOf = ({ sha256 }: { sha256: string }): string => `a/${sha256}.tar.gz`;

export async function publish(context: TestContext, bundle: Bundle, signal?: AbortSignal): Promise<Copy> {
  const draft = await archives().begin(bundle, await stubOperation(context, signal));
  return draft.publish();
}
