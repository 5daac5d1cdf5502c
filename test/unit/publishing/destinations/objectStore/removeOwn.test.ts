// How long a proof that a place is the own one lasts while many objects are removed.
import { beforeEach, expect, test, type TestContext } from "vitest";
import { OwnedPlace } from "../../../../../provider/publishing/destinations/objectStore/bucketMark.ts";
import { openS3 } from "../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubOperation,
} from "../../../../simulation/bucketStub.ts";
import { otherOwner } from "../../../../simulation/owners.ts";

const MARK = "v/.docs-hosting/owner.json";
const NAMES = Array.from({ length: 8_001 }, (_, number) => `page-${number}.html`);
const OTHER = otherOwner();

let stub: BucketStub;
beforeEach(async (context) => {
  stub = await startBucketStub(context);
});

/** A place with many objects. @param onBatch called when a batch of them is removed, with its number */
async function placeWith(
  context: TestContext,
  onBatch: (number: number, pass: (ms: number) => void) => void,
) {
  const operation = await stubOperation(context);
  let passedMs = 0;
  const clock = Object.create(operation.clock) as typeof operation.clock;
  clock.monotonic = () => passedMs;
  const store = await openS3({ bucket: STUB_BUCKET, endpoint: stub.endpoint }, operation);
  context.onTestFinished(() => store.close());
  const place = new OwnedPlace(store, { prefix: "v" }, { ...operation, clock });
  await place.owner.claim();
  for (const name of NAMES) stub.put(`v/${name}`, "");
  let batches = 0;
  stub.rule = ({ method }) => {
    if (method === "POST") onBatch(++batches, (ms) => (passedMs += ms));
    return undefined;
  };
  stub.requests.length = 0;
  return place;
}
const looks = (): number =>
  stub.requests.filter(({ method, key }) => method === "GET" && key.endsWith("owner.json")).length;

test("the mark is read once for many objects, if they are removed in no time", async (context) => {
  const place = await placeWith(context, () => undefined);
  await place.removeOwn(NAMES);
  expect([...stub.objects.keys()]).toEqual([MARK]);
  expect(looks()).toBe(1);
});

test("the mark is read again when batches take long", async (context) => {
  const place = await placeWith(context, (_, pass) => pass(10_000));
  await place.removeOwn(NAMES);
  expect([...stub.objects.keys()]).toEqual([MARK]);
  expect(looks()).toBe(3);
});

test("what is left stays, if another resource takes the place over while batches take long", async (context) => {
  const place = await placeWith(context, (number, pass) => {
    if (number !== 2) return;
    pass(30_000);
    stub.put(MARK, JSON.stringify({ format: 1, owner: OTHER.id, urn: OTHER.urn }));
  });
  await expect(place.removeOwn(NAMES)).rejects.toThrow(`belongs to ${OTHER.urn ?? ""}`);
  expect(stub.objects.size).toBe(4_002);
});

test("nothing is read for no objects", async (context) => {
  const place = await placeWith(context, () => undefined);
  await place.removeOwn([]);
  expect(stub.requests).toEqual([]);
});
