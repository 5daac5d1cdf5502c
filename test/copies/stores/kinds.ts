import { azure } from "./azure.ts";
import { gcs } from "./gcs.ts";
import { s3 } from "./s3.ts";
import type { StoreKind } from "./store.ts";

/** The stores over which the tests of buckets run. A test's name has that of its store. */
export const STORES: readonly StoreKind[] = [s3, azure, gcs];

/** As rows of `describe.each`. */
export const EACH_STORE = STORES.map((kind) => [kind.name, kind] as const);
