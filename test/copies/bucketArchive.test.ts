import { readFile } from "node:fs/promises";
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { beforeEach, describe, expect, test, vi, type TestContext } from "vitest";
import { s3Destination } from "../../provider/copies/destinations/objectStore/s3/s3Destination.ts";
import type { Bundle } from "../../provider/site/inspection/bundle.ts";
import type { Copy, Destination } from "../../provider/copies/destinations/destination.ts";
import {
  ACCESS_KEY,
  BUCKET,
  makeBundle,
  operation,
  SECRET,
  startStore,
  type BucketStore,
} from "./bucketStore.ts";

const MB = 1024 * 1024;

beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", ACCESS_KEY);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", SECRET);
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
});

function archives(store: BucketStore, more: { linkLife?: string; bucket?: string } = {}): Destination {
  return s3Destination({ bucket: BUCKET, prefix: "site/archives", endpoint: store.endpoint, ...more });
}

async function publish(
  context: TestContext,
  destination: Destination,
  bundle: Bundle,
  signal?: AbortSignal,
): Promise<Copy> {
  const draft = await destination.begin(bundle, await operation(context, signal));
  return draft.publish();
}

const keyFor = (bundle: Bundle): string => `site/archives/${bundle.sha256}.tar.gz`;

async function contentOf(store: BucketStore, key: string): Promise<Buffer> {
  const { Body } = await store.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

async function openUploads(store: BucketStore): Promise<string[]> {
  const { Uploads = [] } = await store.client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
  return Uploads.map(({ Key = "" }) => Key);
}

/** All keys, without the marks of owners. */
async function allKeys(store: BucketStore): Promise<string[]> {
  const { Contents = [] } = await store.client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
  return Contents.map(({ Key = "" }) => Key).filter((key) => !isMark(key));
}

const isMark = (key: string): boolean => key.includes("/.docs-hosting/owners/");

/** As a run leaves it that was killed after some parts. */
async function leaveUpload(store: BucketStore, bundle: Bundle, parts: readonly number[]): Promise<void> {
  const object = { Bucket: BUCKET, Key: keyFor(bundle) };
  const { UploadId } = await store.client.send(
    new CreateMultipartUploadCommand({
      ...object,
      ChecksumAlgorithm: "SHA256",
      Metadata: { sha256: bundle.sha256 },
    }),
  );
  const content = await readFile(bundle.path);
  for (const number of parts) {
    const Body = content.subarray((number - 1) * 8 * MB, number * 8 * MB);
    await store.client.send(
      new UploadPartCommand({ ...object, UploadId, PartNumber: number, Body, ChecksumAlgorithm: "SHA256" }),
    );
  }
}

describe.for([
  ["in one piece", 3 * MB],
  ["in parts", 37 * MB + 5],
] as const)("an archive %s", ([, size]) => {
  test("is one object under its digest, checked by the store, and found by one request", async (context) => {
    const store = await startStore(context);
    const destination = archives(store);
    const bundle = await makeBundle(context, size);
    const copy = await publish(context, destination, bundle);
    expect(destination.id).toBe("s3://docs/site/archives");
    expect(copy).toMatchObject({
      sha256: bundle.sha256,
      uri: `s3://docs/${keyFor(bundle)}`,
      address: `${store.endpoint}/docs/${keyFor(bundle)}`,
    });
    expect(await allKeys(store)).toEqual([keyFor(bundle)]);
    expect((await contentOf(store, keyFor(bundle))).equals(bundle.content)).toBe(true);
    const head = await store.client.send(
      new HeadObjectCommand({ Bucket: BUCKET, Key: keyFor(bundle), ChecksumMode: "ENABLED" }),
    );
    expect(head.Metadata).toEqual({ sha256: bundle.sha256 });
    expect(head.ContentType).toBe("application/gzip");
    expect(head.ChecksumSHA256).toMatch(size > 16 * MB ? /=-5$/ : /^[^-]+=$/);

    const before = store.requests.length;
    expect(await destination.compare(copy, await operation(context))).toBe("same");
    // the object, and the list of its marks
    expect(store.requests.slice(before).map(({ method }) => method)).toEqual(["HEAD", "GET"]);
  });

  test.for(["slowDown", "cut", "lost", "changed"] as const)(
    "arrives whole despite faulty requests (%s)",
    async (way, context) => {
      const store = await startStore(context);
      const bundle = await makeBundle(context, size);
      let count = 0;
      store.spoil = ({ method }) =>
        (method === "PUT" || method === "POST") && count++ % 2 === 0 ? way : undefined;
      const result = publish(context, archives(store), bundle);
      if (way === "changed") {
        await expect(result).rejects.toThrow(/differs from the data that was sent/);
        expect(await allKeys(store)).toEqual([]);
      } else {
        await result;
        expect((await contentOf(store, keyFor(bundle))).equals(bundle.content)).toBe(true);
      }
      expect(await openUploads(store)).toEqual([]);
      expect(count).toBeGreaterThan(0);
    },
  );

  test("that two runs put at the same time exists once, whole", async (context) => {
    const store = await startStore(context);
    const bundle = await makeBundle(context, size);
    const copies = await Promise.all([1, 2, 3].map(() => publish(context, archives(store), bundle)));
    expect(new Set(copies.map(({ uri }) => uri)).size).toBe(1);
    expect((await contentOf(store, keyFor(bundle))).equals(bundle.content)).toBe(true);
    expect(await openUploads(store)).toEqual([]);
  });
});

test("a part of another content, left under the archive's name, does not become part of it", async (context) => {
  const store = await startStore(context);
  const bundle = await makeBundle(context, 20 * MB);
  const other = await makeBundle(context, 20 * MB);
  await leaveUpload(store, { ...other, sha256: bundle.sha256 }, [1, 2]);
  await publish(context, archives(store), bundle);
  expect((await contentOf(store, keyFor(bundle))).equals(bundle.content)).toBe(true);
});

test("a signed link returns the archive until it ends, and no address does without a signature", async (context) => {
  const store = await startStore(context);
  const destination = archives(store, { linkLife: "2s" });
  const bundle = await makeBundle(context, 1_000);
  const copy = await publish(context, destination, bundle);
  expect(copy.address).toBeUndefined();
  const link = await destination.link?.(copy, await operation(context));
  expect(link?.expiresAtMs).toBeLessThanOrEqual(Date.now() + 2_000);
  const fetched = await fetch(link?.url ?? "");
  expect(Buffer.from(await fetched.arrayBuffer()).equals(bundle.content)).toBe(true);
  // signed three seconds ago
  const past = await operation(context);
  const clock = { ...past.clock, now: () => Date.now() - 3_000 };
  const ended = await destination.link?.(copy, { ...past, clock });
  expect(ended?.expiresAtMs).toBeLessThan(Date.now());
  const refused = await fetch(ended?.url ?? "");
  expect(refused.status).toBe(403);
  await refused.body?.cancel();
});

describe("a store that refuses reports the reason", () => {
  const refusal = async (context: TestContext, more: { bucket?: string } = {}): Promise<string> => {
    const store = await startStore(context);
    const error = await publish(context, archives(store, more), await makeBundle(context, 100)).catch(
      (reason: unknown) => reason as Error & { remedy: string },
    );
    if (!("remedy" in error)) return "nothing was refused";
    expect(error.name).toBe("DestinationError");
    expect(`${error.message} ${error.remedy}`).not.toContain(process.env["AWS_SECRET_ACCESS_KEY"] ?? "?");
    return `${error.message}. ${error.remedy}`;
  };

  test("no such bucket", async (context) => {
    expect(await refusal(context, { bucket: "nowhere" })).toMatch(/^there is no bucket nowhere/);
  });

  test("an access key that is unknown", async (context) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKOTHER");
    expect(await refusal(context)).toMatch(
      /s3:GetObject on s3:.* is not allowed|does not know the access key/,
    );
  });

  test("another secret", async (context) => {
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "some-other-secret");
    expect(await refusal(context)).toMatch(/s3:GetObject on s3:.* is not allowed|does not accept the secret/);
  });

  test("no credentials", async (context) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", undefined);
    expect(await refusal(context)).toMatch(/^no credentials for the bucket docs were found/);
  });
});
