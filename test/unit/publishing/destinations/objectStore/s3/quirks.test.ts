// What stores do otherwise than Amazon's: a copy of each layout is made, compared, found and removed, or the remedy helps.
import { Readable } from "node:stream";
import { beforeEach, expect, test, type TestContext } from "vitest";
import type {
  Copy,
  DraftingDestination,
} from "../../../../../../provider/publishing/destinations/destination.ts";
import type { BucketInputs } from "../../../../../../provider/publishing/destinations/objectStore/s3/inputs.ts";
import { s3Destination } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { BUCKET_QUIRKS, type BucketQuirk, REFUSING_STORES } from "../../../../../simulation/bucketQuirks.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubBundle,
  stubError,
  stubOperation,
} from "../../../../../simulation/bucketStub.ts";

let store: BucketStub;
beforeEach(async (context) => {
  store = await startBucketStub(context);
});

const LAYOUTS = ["archive", "site"] as const;
/** Enough for two parts in an archive. Large files of a site are sent as archives are. */
const sizeIn = (layout: (typeof LAYOUTS)[number]): number => (layout === "archive" ? 9 * 1024 * 1024 : 10);

const place = (more: Partial<BucketInputs>): DraftingDestination =>
  s3Destination({ bucket: STUB_BUCKET, endpoint: store.endpoint, ...more });

async function publish(context: TestContext, more: Partial<BucketInputs>, size = 10): Promise<Copy> {
  const draft = await place(more).begin(await stubBundle(context, size), await stubOperation(context));
  for (let at = 0; at < 20; at++) {
    await draft.sink?.file({ path: `${at}.css`, size: 1 }, Readable.from([Buffer.from("a")]));
  }
  await draft.sink?.file({ path: "index.html", size }, Readable.from([Buffer.alloc(size, "b")]));
  return draft.publish();
}

const checksumsSent = (): string[] =>
  store.requests.flatMap(({ method, key, headers }) =>
    Object.keys(headers).some((name) => /^x-amz-(?:sdk-)?checksum-/.test(name)) ? [`${method} ${key}`] : [],
  );

for (const [name, rule] of Object.entries<BucketQuirk>(BUCKET_QUIRKS)) {
  for (const layout of LAYOUTS) {
    test(`a copy with the layout «${layout}» in a store with the quirk «${name}»`, async (context) => {
      store.rule = rule;
      const copy = await publish(context, { layout }, sizeIn(layout));
      expect(await place({ layout }).compare(copy, await stubOperation(context))).toBe("same");
      const found = copy.uri.split(layout === "site" ? "#sha256:" : `${STUB_BUCKET}/`).at(-1) ?? "";
      expect((await place({ layout }).find(found, await stubOperation(context))).copy.uri).toBe(copy.uri);
      await place({ layout }).release([copy], await stubOperation(context));
      expect([...store.objects.keys(), ...store.uploads.keys()]).toEqual([]);
    });
  }
}

test.each([
  ["Backblaze B2: no header about checksums", 1],
  ["501 to checksums of content", 1],
] as const)(
  "a store with the quirk «%s» gets one request with a checksum in a run, and others with their MD5",
  async (name, refused) => {
    const context = { onTestFinished: () => undefined } as unknown as TestContext;
    store.rule = BUCKET_QUIRKS[name];
    for (const layout of LAYOUTS) await publish(context, { layout }, sizeIn(layout));
    const ofContent = checksumsSent().filter((line) => !line.startsWith("HEAD"));
    const isHead = name.startsWith("Backblaze");
    expect((isHead ? checksumsSent() : ofContent).length).toBe(refused);
    const stored = store.requests.filter(
      ({ method, query, headers }) => method === "PUT" && !query.has("uploads") && headers["content-md5"],
    );
    expect(stored.length).toBeGreaterThan(20);
  },
);

test("a store that refuses checksums after it accepted them gets the request again without them", async (context) => {
  await publish(context, { layout: "archive" });
  store.rule = BUCKET_QUIRKS["Backblaze B2: no header about checksums"];
  const copy = await publish(context, { layout: "site" });
  expect(copy).toBeDefined();
  expect(store.objects.size).toBeGreaterThan(5);
});

test("a store that refuses a request with and without a checksum is an error with its reason", async (context) => {
  store.rule = ({ method }) => (method === "PUT" ? stubError(400, "Strange", "tea") : undefined);
  await expect(publish(context, { layout: "archive" })).rejects.toThrow(
    "failed with status 400 (Strange): tea",
  );
});

test.each(Object.entries<readonly [BucketQuirk, RegExp]>(REFUSING_STORES))(
  "the remedy fits a store with «%s»",
  async (_, [rule, remedy]) => {
    const context = { onTestFinished: () => undefined } as unknown as TestContext;
    store.rule = rule;
    for (const layout of LAYOUTS) {
      await expect(publish(context, { layout })).rejects.toMatchObject({
        remedy: expect.stringMatching(remedy) as string,
      });
    }
  },
);

test("an answer to HEAD without a reason is followed by a request that has it", async (context) => {
  const copy = await publish(context, { layout: "archive" });
  store.rule = ({ method }) => (method === "HEAD" ? { status: 400 } : stubError(400, "TooStrange", "tea"));
  await expect(place({}).compare(copy, await stubOperation(context))).rejects.toThrow(
    "failed with status 400 (TooStrange): tea",
  );
});

test("an encryption is in each request that stores an object, and in no other", async (context) => {
  const inputs = { encryption: "aws:kms", kmsKeyId: "alias/docs" } as const;
  store.rule = REFUSING_STORES["a policy that requires an encryption"][0];
  for (const layout of LAYOUTS) await publish(context, { ...inputs, layout }, sizeIn(layout));
  const begun = store.requests.filter(
    ({ method, query }) =>
      (method === "PUT" && !query.has("partNumber")) || (method === "POST" && query.has("uploads")),
  );
  for (const { headers } of begun) {
    expect(headers["x-amz-server-side-encryption"]).toBe("aws:kms");
    expect(headers["x-amz-server-side-encryption-aws-kms-key-id"]).toBe("alias/docs");
  }
  const others = store.requests.filter((request) => !begun.includes(request));
  expect(others.filter(({ headers }) => headers["x-amz-server-side-encryption"] !== undefined)).toEqual([]);
});

test("with pathStyle false, the bucket is in the host of requests and addresses", async (context) => {
  const inputs = { bucket: "docs", endpoint: "https://oss-cn-hangzhou.aliyuncs.com", linkLife: "1h" };
  const copy = { sha256: "", uri: "s3://docs/a", parts: { key: "a", size: 1, etag: "e" } };
  const hostAndPath = async (more: object): Promise<string> => {
    const { link } = s3Destination({ ...inputs, ...more });
    const { host, pathname } = new URL((await link?.(copy, await stubOperation(context)))?.url ?? "");
    return `${host}${pathname}`;
  };
  expect(await hostAndPath({})).toBe("oss-cn-hangzhou.aliyuncs.com/docs/a");
  expect(await hostAndPath({ pathStyle: false })).toBe("docs.oss-cn-hangzhou.aliyuncs.com/a");
  expect(await hostAndPath({ endpoint: undefined, region: "eu-west-1", pathStyle: true })).toBe(
    "s3.eu-west-1.amazonaws.com/docs/a",
  );
});
