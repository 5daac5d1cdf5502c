// Whose a place is: what only folders, or only buckets, have. For every place: test/contracts/place.ts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DraftingDestination } from "../../../../provider/publishing/destinations/destination.ts";
import { STUB_BUCKET } from "../../../simulation/bucketStub.ts";
import { draftingDestination } from "../../../simulation/draftingDestination.ts";
import { as, operation, OTHER, publish, root, store, withPlaces } from "./ownedPlaces.ts";

withPlaces();

test("records of another kind of resource stay with their items, and the last removal names both", async () => {
  const place = draftingDestination({ folder: join(root, "public") });
  const copy = await publish(place, "v1", as());
  mkdirSync(join(root, "public/docs-v1-0123456789ab"));
  const record = join(root, "public/.docs-hosting/docs-v1-0123456789ab.json");
  writeFileSync(record, "{}");
  await place.release([copy], as());
  expect(operation.reporter.lines.warn.at(-1)).toContain(
    `${record}, ${join(root, "public/docs-v1-0123456789ab")}. Remove them`,
  );
});

test("a prefix below another's is a place of its own: neither touches the other's files", async () => {
  const at = (prefix: string): DraftingDestination =>
    draftingDestination({ bucket: STUB_BUCKET, prefix, endpoint: store.endpoint, layout: "site" });
  const outer = await publish(at("public"), "v1", as());
  const inner = await publish(at("public/b"), "v1", as(OTHER));
  await at("public").release([outer], as());
  expect(await at("public/b").compare(inner, as(OTHER))).toBe("same");
  // an outer site must not count the inner one's files as its own
  store.put("public/index.html", store.objects.get("public/b/index.html")?.body ?? "");
  await at("public/b").release([inner], as(OTHER));
  expect([...store.objects.keys()]).toEqual(["public/index.html"]);
});
