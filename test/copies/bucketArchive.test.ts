import { readFile } from "node:fs/promises";
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
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

  test("that exists already is not sent again", async (context) => {
    const store = await startStore(context);
    const bundle = await makeBundle(context, size);
    const copy = await publish(context, archives(store), bundle);
    const before = store.requests.length;
    expect(await publish(context, archives(store), bundle)).toEqual(copy);
    const sent = store.requests
      .slice(before)
      .filter(({ method, key }) => !["GET", "HEAD"].includes(method) && !isMark(key));
    expect(sent).toEqual([]);
  });

  test("is refused where another content has its name, which stays", async (context) => {
    const store = await startStore(context);
    const bundle = await makeBundle(context, size);
    await store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: keyFor(bundle), Body: "theirs" }));
    await expect(publish(context, archives(store), bundle)).rejects.toThrow(
      "its content does not match its name",
    );
    expect((await contentOf(store, keyFor(bundle))).toString()).toBe("theirs");
    expect(await openUploads(store)).toEqual([]);
  });

  test("is refused where another content gets its name at the last moment, which stays", async (context) => {
    const store = await startStore(context);
    const bundle = await makeBundle(context, size);
    let theirs: Promise<unknown> | undefined;
    store.spoil = ({ method, key }) => {
      if (method === "HEAD" && key === keyFor(bundle) && theirs === undefined) {
        theirs = store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: "theirs" }));
      }
      return undefined;
    };
    await expect(publish(context, archives(store), bundle)).rejects.toThrow(
      "its content does not match its name",
    );
    await theirs;
    expect((await contentOf(store, keyFor(bundle))).toString()).toBe("theirs");
    expect(await openUploads(store)).toEqual([]);
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

  test("that was stopped does not wait for missing answers, and leaves no upload", async (context) => {
    const store = await startStore(context);
    const bundle = await makeBundle(context, size);
    const stop = new AbortController();
    const reason = new Error("stopped");
    let stoppedAt = 0;
    store.spoil = (request) => {
      if (request.method !== "PUT" || (size > 16 * MB && request.query.get("partNumber") !== "3"))
        return undefined;
      stoppedAt = performance.now();
      setImmediate(() => stop.abort(reason));
      return "stuck";
    };
    await expect(publish(context, archives(store), bundle, stop.signal)).rejects.toBe(reason);
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
    expect(await openUploads(store)).toEqual([]);
    expect(await allKeys(store)).toEqual([]);
  });

  test("that two runs put at the same time exists once, whole", async (context) => {
    const store = await startStore(context);
    const bundle = await makeBundle(context, size);
    const copies = await Promise.all([1, 2, 3].map(() => publish(context, archives(store), bundle)));
    expect(new Set(copies.map(({ uri }) => uri)).size).toBe(1);
    expect((await contentOf(store, keyFor(bundle))).equals(bundle.content)).toBe(true);
    expect(await openUploads(store)).toEqual([]);
  });

  test("is removed, unless a kept copy is the same; a second removal is no error", async (context) => {
    const store = await startStore(context);
    const destination = archives(store);
    const one = await publish(context, destination, await makeBundle(context, size));
    const other = await publish(context, destination, await makeBundle(context, 100));
    await store.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "site/archives/theirs", Body: "x" }));
    await destination.remove([one], [one, other], await operation(context));
    expect(await destination.compare(one, await operation(context))).toBe("same");
    for (let times = 0; times < 2; times++)
      await destination.remove([one], [other], await operation(context));
    expect(await destination.compare(one, await operation(context))).toBe("gone");
    expect(await destination.compare(other, await operation(context))).toBe("same");
    await destination.remove([other], [], await operation(context));
    expect(await allKeys(store)).toEqual(["site/archives/theirs"]);
  });

  test("counts as changed after somebody has written to it", async (context) => {
    const store = await startStore(context);
    const destination = archives(store);
    const bundle = await makeBundle(context, size);
    const copy = await publish(context, destination, bundle);
    await store.client.send(
      new PutObjectCommand({
        Bucket: BUCKET,
        Key: keyFor(bundle),
        Body: "x",
        Metadata: { sha256: bundle.sha256 },
      }),
    );
    expect(await destination.compare(copy, await operation(context))).toBe("changed");
  });
});

test("the next run aborts the upload that a killed run left, and sends the archive again", async (context) => {
  const store = await startStore(context);
  const bundle = await makeBundle(context, 37 * MB);
  await leaveUpload(store, bundle, [1, 2, 4]);
  await publish(context, archives(store), bundle);
  expect((await contentOf(store, keyFor(bundle))).equals(bundle.content)).toBe(true);
  expect(await openUploads(store)).toEqual([]);
});

test("a part of another content, left under the archive's name, does not become part of it", async (context) => {
  const store = await startStore(context);
  const bundle = await makeBundle(context, 20 * MB);
  const other = await makeBundle(context, 20 * MB);
  await leaveUpload(store, { ...other, sha256: bundle.sha256 }, [1, 2]);
  await publish(context, archives(store), bundle);
  expect((await contentOf(store, keyFor(bundle))).equals(bundle.content)).toBe(true);
});

test("an upload for another digest is left alone for an hour, and then aborted", async (context) => {
  const store = await startStore(context);
  const other = await makeBundle(context, 20 * MB);
  await leaveUpload(store, other, [1]);
  await store.client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key: "site/archives/theirs" }));
  const bundle = await makeBundle(context, 100);
  await publish(context, archives(store), bundle);
  expect(await openUploads(store)).toEqual([keyFor(other), "site/archives/theirs"].sort());
  const later = await operation(context);
  const clock = { ...later.clock, now: () => Date.now() + 3_700_000 };
  const draft = await archives(store).begin(bundle, { ...later, clock });
  await draft.publish();
  expect(await openUploads(store)).toEqual(["site/archives/theirs"]);
});

test("an archive that changes while it is sent does not become an object", async (context) => {
  const store = await startStore(context);
  for (const size of [MB, 20 * MB]) {
    const bundle = await makeBundle(context, size);
    const other = await makeBundle(context, size);
    await expect(publish(context, archives(store), { ...bundle, path: other.path })).rejects.toThrow(
      "was changed",
    );
  }
  expect(await allKeys(store)).toEqual([]);
  expect(await openUploads(store)).toEqual([]);
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
