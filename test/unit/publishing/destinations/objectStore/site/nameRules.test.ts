// Which names and buckets a site cannot have. The rules are those of Azure and Google; the objects are in memory.
import { Readable } from "node:stream";
import { beforeEach, describe, expect, test, type TestContext } from "vitest";
import { checkDestination } from "../../../../../../provider/publishing/destinations/inputs.ts";
import { brokenBlobRule as azureRule } from "../../../../../../provider/publishing/destinations/objectStore/azure/inputs.ts";
import { OwnedPlace } from "../../../../../../provider/publishing/destinations/objectStore/bucketMark.ts";
import { brokenObjectRule as googleRule } from "../../../../../../provider/publishing/destinations/objectStore/gcs/inputs.ts";
import type { ObjectStore } from "../../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import { openS3 } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { SITES_IN_BUCKET } from "../../../../../../provider/publishing/destinations/objectStore/site/siteLayout.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubOperation,
} from "../../../../../simulation/bucketStub.ts";

const EDITION = "e".repeat(64);
const BUNDLE = { path: "/nowhere", format: "tar.gz", sha256: EDITION, size: 1, version: "1" } as const;

let stub: BucketStub;
beforeEach(async (context) => {
  stub = await startBucketStub(context);
});

/** A place whose store differs from the stub's. */
async function placeOf(
  context: TestContext,
  differing: (store: ObjectStore) => Partial<ObjectStore>,
  prefix = "v",
) {
  const operation = await stubOperation(context);
  const store = await openS3({ bucket: STUB_BUCKET, endpoint: stub.endpoint }, operation);
  context.onTestFinished(() => store.close());
  const place = new OwnedPlace({ ...store, ...differing(store) }, { layout: "site", prefix }, operation);
  return { place, warnings: operation.reporter.lines.warn };
}

async function publish(place: OwnedPlace, paths: readonly string[]) {
  const draft = await SITES_IN_BUCKET.begin(place, BUNDLE, EDITION, []);
  for (const path of paths) {
    await draft.sink?.file({ path, size: path.length }, Readable.from([Buffer.from(path)]));
  }
  return draft.publish(place);
}

const written = (): string[] => stub.requests.filter(({ method }) => method === "PUT").map(({ key }) => key);
const files = (): string[] => [...stub.objects.keys()].filter((key) => !key.includes(".docs-hosting")).sort();

describe("a name that the store cannot keep", () => {
  test.for([
    ["a file that ends with a dot, in Azure", azureRule, "LICENSE.", /no part of a name ends with a dot/],
    [
      "a folder that ends with a dot, in Azure",
      azureRule,
      "v1./index.html",
      /no part of a name ends with a dot/,
    ],
    ["more parts than Azure has", azureRule, `${"a/".repeat(254)}b.html`, /254 parts at most/],
  ] as const)("is refused before the first write: %s", async ([, brokenRule, path, rule], context) => {
    const { place } = await placeOf(context, () => ({ brokenRule }));
    const error: unknown = await publish(place, ["index.html", path]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message: expect.stringMatching(rule) as string,
      remedy: expect.stringMatching(/^Nothing was written\./) as string,
    });
    expect(String(error)).toContain(path.slice(0, 20));
    expect(written()).toEqual([]);
  });

  test("is left out where it is only the second address of a page", async (context) => {
    const { place } = await placeOf(context, () => ({ brokenRule: azureRule }));
    const copy = await publish(place, ["index.html", "inc.html", "Acme Inc..html"]);
    expect(files()).toEqual(["v/Acme Inc..html", "v/inc", "v/inc.html", "v/index.html"]);
    expect(await SITES_IN_BUCKET.compare(place, copy)).toBe("same");
    expect((await SITES_IN_BUCKET.find(place, EDITION)).destination).toBeUndefined();
  });

  test("in Google, the files of ACME challenges are refused at the bucket's root, and kept below a prefix", async (context) => {
    const path = ".well-known/acme-challenge/token";
    const atRoot = await placeOf(context, () => ({ brokenRule: googleRule }), "");
    await expect(publish(atRoot.place, ["index.html", path])).rejects.toThrow(
      /no name begins with \.well-known/,
    );
    expect(written()).toEqual([]);
    const below = await placeOf(context, () => ({ brokenRule: googleRule }));
    await publish(below.place, ["index.html", path, ".well-known/security.txt"]);
    expect(files()).toContain(`v/${path}`);
  });

  test.for([
    [
      { azureContainer: "site", storageAccount: "docs", prefix: "docs." },
      /no part of a name ends with a dot/,
    ],
    [
      { azureContainer: "site", storageAccount: "docs", prefix: "v1./docs" },
      /no part of a name ends with a dot/,
    ],
    [{ gcsBucket: "docs", prefix: ".well-known/acme-challenge" }, /no name begins with \.well-known/],
  ] as const)("as a prefix is a problem of the input: %o", ([destination, rule]) => {
    expect(checkDestination(destination)).toMatchObject({
      at: "prefix",
      problem: expect.stringMatching(rule) as string,
    });
  });
});

test.for(["a retention policy (until 2027-01-01T00:00:00Z)", "an event-based hold"])(
  "a bucket that protects each new object by %s is refused before a page is public",
  async (by, context) => {
    const { place } = await placeOf(context, (store) => ({
      send: async (object, content, options) => {
        await store.send(object, content, options);
        options?.onProtected?.(by);
      },
    }));
    await expect(publish(place, ["index.html", "a.css"])).rejects.toThrow(
      `protects each new object by ${by}`,
    );
    expect(files()).toEqual([]);
  },
);

test.for([
  ["written again by the next run", false, []],
  ["removed first, where what replaces it would stay there", true, ["v/guide.html"]],
] as const)(
  "a page in a tier that is not served is named, and %s",
  async ([, keepsTier, wanted], context) => {
    const moved: { tier?: string } = {};
    const removed: string[] = [];
    const { place, warnings } = await placeOf(context, (store) => ({
      keepsTier,
      remove: (keys) => {
        removed.push(...keys);
        return store.remove(keys);
      },
      list: (prefix, onObject, atMost) =>
        store.list(
          prefix,
          (object) =>
            onObject(
              moved.tier !== undefined && object.key === "v/guide.html"
                ? { ...object, archiveTier: moved.tier }
                : object,
            ),
          atMost,
        ),
    }));
    const copy = await publish(place, ["index.html", "guide.html"]);
    expect(await SITES_IN_BUCKET.compare(place, copy)).toBe("same");
    moved.tier = "Archive";
    expect(await SITES_IN_BUCKET.compare(place, copy)).toBe("changed");
    expect(warnings).toEqual([
      expect.stringMatching(/no answer for these files, .* in the tier Archive: guide\.html\./),
    ]);
    stub.requests.length = 0;
    await publish(place, ["index.html", "guide.html"]);
    expect(written().filter((key) => !key.includes(".docs-hosting"))).toEqual(["v/guide.html"]);
    expect(removed).toEqual(wanted);
    expect(files()).toContain("v/guide.html");
  },
);
