// Which names and buckets a site cannot have, and that this is said before a page is public. The stores are in memory.
import { Readable } from "node:stream";
import { describe, expect, test, type TestContext } from "vitest";
import { brokenRule as azureRule } from "../../../../../provider/copies/destinations/objectStore/azure/inputs.ts";
import { OwnedPlace } from "../../../../../provider/copies/destinations/objectStore/bucketMarks.ts";
import { brokenRule as googleRule } from "../../../../../provider/copies/destinations/objectStore/gcs/inputs.ts";
import type {
  ListedObject,
  NewObject,
  ObjectStore,
} from "../../../../../provider/copies/destinations/objectStore/objectStore.ts";
import { openS3 } from "../../../../../provider/copies/destinations/objectStore/s3/s3Store.ts";
import { SITES_IN_BUCKET } from "../../../../../provider/copies/destinations/objectStore/siteLayout.ts";
import { destinationProblems } from "../../../../simulation/destinationProblems.ts";
import { startBucketStub, STUB_BUCKET, stubOperation } from "../../../../simulation/bucketStub.ts";

const EDITION = "e".repeat(64);
const BUNDLE = { path: "/nowhere", format: "tar.gz", sha256: EDITION, size: 1, version: "1" } as const;
