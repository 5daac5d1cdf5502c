import { rm, writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, test, vi, type TestContext } from "vitest";
import { bucketDestination } from "../../../../provider/destination/bucket/bucketDestination.ts";
import type { BucketInputs } from "../../../../provider/destination/bucket/inputs.ts";
import type { Bundle } from "../../../../provider/archive/bundle.ts";
import type { Copy, Destination } from "../../../../provider/destination/destination.ts";
import {
  CANARIES,
  startBucketStub,
  STUB_BUCKET,
  stubBundle,
  stubError,
  stubOperation,
  type BucketStub,
  type StubRequest,
} from "../../../simulation/bucketStub.ts";

const MB = 1024 * 1024;
let store: BucketStub;

beforeEach(async (context) => {
  store = await startBucketStub(context);
});

const archives = (more: Partial<BucketInputs> = {}): Destination =>
  bucketDestination({ bucket: STUB_BUCKET, prefix: "a", endpoint: store.endpoint, ...more });
const keyOf = ({ sha256 }: { sha256: string }): string => `a/${sha256}.tar.gz`;
const isPart = ({ method, query }: StubRequest): boolean => method === "PUT" && query.has("partNumber");
const isEnd = ({ method, query }: StubRequest): boolean => method === "POST" && query.has("uploadId");
const isBegin = ({ method, query }: StubRequest): boolean => method === "POST" && query.has("uploads");

async function publish(context: TestContext, bundle: Bundle, signal?: AbortSignal): Promise<Copy> {
  const draft = await archives().begin(bundle, await stubOperation(context, signal));
  return draft.publish();
}

/** As a run leaves it that was killed after one part. */
function leaveUpload(id: string, key: string, ageMs: number): void {
  const startedAt = new Date(Date.now() - ageMs);
  store.uploads.set(id, { key, headers: {}, startedAt, parts: new Map([[1, Buffer.alloc(5)]]) });
}

describe.for([
  ["in one piece", MB],
  ["in parts", 9 * MB + 5],
] as const)("an archive %s", ([, size]) => {
  test("becomes one object, with type and digest in the request", async (context) => {
    const bundle = await stubBundle(context, size);
    const copy = await publish(context, bundle);
    expect(copy).toMatchObject({ sha256: bundle.sha256, uri: `s3://docs/${keyOf(bundle)}` });
    expect([...store.objects.keys()]).toEqual([keyOf(bundle)]);
    const { body, headers } = store.objects.get(keyOf(bundle)) ?? {};
    expect(body?.length).toBe(size);
    expect(headers).toMatchObject({
      "content-type": "application/gzip",
      "x-amz-meta-sha256": bundle.sha256,
    });
    expect(store.uploads.size).toBe(0);
    expect(await archives().compare(copy, await stubOperation(context))).toBe("same");
  });

  test("is accepted when the store has it, though the answer was an error", async (context) => {
    const bundle = await stubBundle(context, size);
    store.rule = (request) => {
      const { method, query } = request;
      if (!(size > 8 * MB ? isEnd(request) : method === "PUT" && !query.has("partNumber"))) return undefined;
      store.put(keyOf(bundle), Buffer.alloc(size), { "x-amz-meta-sha256": bundle.sha256 });
      return stubError(400, "Strange");
    };
    await publish(context, bundle);
    expect(store.uploads.size).toBe(0);
  });

  test("that changes while it is sent does not become an object", async (context) => {
    const bundle = await stubBundle(context, size);
    await writeFile(bundle.path, Buffer.alloc(size, "other"));
    await expect(publish(context, bundle)).rejects.toMatchObject({
      name: "DestinationError",
      message: `${bundle.path} was changed while it was sent`,
    });
    expect(store.objects.size).toBe(0);
    expect(store.uploads.size).toBe(0);
  });

  test("leaves no upload when the store refuses it, and the refusal is reported", async (context) => {
    const bundle = await stubBundle(context, size);
    store.rule = (request) =>
      request.method === "PUT" && (size < 8 * MB || request.query.get("partNumber") === "2")
        ? stubError(403, "AccessDenied")
        : undefined;
    await expect(publish(context, bundle)).rejects.toThrow(
      `s3:PutObject on s3://docs/${keyOf(bundle)} is not`,
    );
    expect(store.objects.size).toBe(0);
    expect(store.uploads.size).toBe(0);
  });

  test("ends at once, without an upload, when the operation is stopped", async (context) => {
    const bundle = await stubBundle(context, size);
    const stop = new AbortController();
    const reason = new Error("stopped");
    store.rule = (request) => {
      if (request.method !== "PUT") return undefined;
      setImmediate(() => stop.abort(reason));
      return "hang";
    };
    await expect(publish(context, bundle, stop.signal)).rejects.toBe(reason);
    expect(store.objects.size).toBe(0);
    expect(store.uploads.size).toBe(0);
  });

  test("that somebody replaced stays when the copy is removed, and is named", async (context) => {
    const bundle = await stubBundle(context, size);
    const copy = await publish(context, bundle);
    store.put(keyOf(bundle), "theirs", { "x-amz-meta-sha256": bundle.sha256 });
    const operation = await stubOperation(context);
    await archives().remove([copy], [], operation);
    expect(store.objects.get(keyOf(bundle))?.body.toString()).toBe("theirs");
    expect(operation.reporter.lines.warn).toEqual([
      `s3://docs/${keyOf(bundle)} is not removed: someone else overwrote it`,
    ]);
  });

  test("that somebody stored again unchanged is removed", async (context) => {
    const bundle = await stubBundle(context, size);
    const copy = await publish(context, bundle);
    const { body = "", headers } = store.objects.get(keyOf(bundle)) ?? {};
    store.objects.set(keyOf(bundle), { body: Buffer.from(body), headers: headers ?? {}, etag: '"other"' });
    await archives().remove([copy], [], await stubOperation(context));
    expect(store.objects.size).toBe(0);
  });
});

test("a store that requires Content-MD5 for multi-object deletions gets single ones", async (context) => {
  store.insistsOnMd5 = true;
  const bundles = [await stubBundle(context, 10, "one"), await stubBundle(context, 10, "two")];
  const copies: Copy[] = [];
  for (const bundle of bundles) copies.push(await publish(context, bundle));
  await archives().remove(copies, [], await stubOperation(context));
  expect([...store.objects.keys()]).toEqual([]);
});

test("an archive that is missing already is removed without an error or a message", async (context) => {
  const copy = await publish(context, await stubBundle(context, 10));
  store.objects.clear();
  const operation = await stubOperation(context);
  await archives().remove([copy], [], operation);
  expect(operation.reporter.lines.warn).toEqual([]);
});

test("an archive that is also a kept copy stays", async (context) => {
  const copy = await publish(context, await stubBundle(context, 10));
  await archives().remove([copy], [copy], await stubOperation(context));
  expect(store.objects.size).toBe(1);
});

test("uploads that killed runs left are aborted: of this archive at once, of others after an hour", async (context) => {
  const bundle = await stubBundle(context, 10);
  const other = `a/${"0".repeat(64)}.zip`;
  leaveUpload("own", keyOf(bundle), 0);
  leaveUpload("young", other, 3_500_000);
  leaveUpload("old", other, 3_700_000);
  leaveUpload("foreign", "a/film.mp4", 3_700_000);
  leaveUpload("elsewhere", `b/${"0".repeat(64)}.zip`, 3_700_000);
  await publish(context, bundle);
  expect([...store.uploads.keys()].sort()).toEqual(["elsewhere", "foreign", "young"]);
});

test("an upload whose name never arrived, because the operation was stopped at its start, is aborted by the next run", async (context) => {
  const bundle = await stubBundle(context, 9 * MB);
  const stop = new AbortController();
  store.rule = (request) => {
    if (!isBegin(request)) return undefined;
    store.uploads.set("nameless", {
      key: keyOf(bundle),
      headers: {},
      startedAt: new Date(),
      parts: new Map(),
    });
    stop.abort(new Error("stopped"));
    return "hang";
  };
  await expect(publish(context, bundle, stop.signal)).rejects.toThrow("stopped");
  expect([...store.uploads.keys()]).toEqual(["nameless"]);
  store.rule = () => undefined;
  await publish(context, bundle);
  expect(store.uploads.size).toBe(0);
});

test("an old upload that still gets parts belongs to somebody", async (context) => {
  leaveUpload("old", `a/${"0".repeat(64)}.zip`, 3_700_000);
  store.rule = ({ method, query }) =>
    method === "GET" && query.has("uploadId")
      ? {
          status: 200,
          body: `<ListPartsResult><Part><PartNumber>2</PartNumber><LastModified>${new Date().toISOString()}</LastModified></Part></ListPartsResult>`,
        }
      : undefined;
  await publish(context, await stubBundle(context, 10));
  expect([...store.uploads.keys()]).toEqual(["old"]);
});

test("removing the last copy also aborts old uploads of killed runs", async (context) => {
  const copy = await publish(context, await stubBundle(context, 10));
  leaveUpload("old", `a/${"0".repeat(64)}.zip`, 3_700_000);
  await archives().remove([copy], [], await stubOperation(context));
  expect(store.uploads.size).toBe(0);
});

test("without the right to list uploads, none is aborted, and publishing and removing still work", async (context) => {
  store.rule = ({ method, query }) =>
    method === "GET" && query.has("uploads") ? stubError(403, "AccessDenied") : undefined;
  const copy = await publish(context, await stubBundle(context, 10));
  await archives().remove([copy], [], await stubOperation(context));
  expect(store.objects.size).toBe(0);
});

test("an upload that is not in the state is continued as the advice says", async (context) => {
  const bundle = await stubBundle(context, 10);
  const copy = await publish(context, bundle);
  const unknown = { ...copy, parts: {} };
  await expect(archives().remove([unknown], [], await stubOperation(context))).rejects.toMatchObject({
    message: `the state does not contain the location of ${copy.uri}`,
    remedy:
      "Run `pulumi state delete` with the URN of this resource, then `pulumi up`: it finds the archive in the bucket and adopts it.",
  });
  expect(await publish(context, bundle)).toEqual(copy);
  expect(store.requests.filter(({ method }) => method === "PUT")).toHaveLength(1);
});

test("when signing fails, the copy is published, and can be signed and removed later", async (context) => {
  const destination = archives({ linkLife: "1h" });
  const bundle = await stubBundle(context, 10);
  const copy = await (await destination.begin(bundle, await stubOperation(context))).publish();
  const operation = await stubOperation(context);
  vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  await expect(destination.link?.(copy, operation)).rejects.toThrow(
    "no credentials for the bucket docs were found",
  );
  const later = await stubOperation(context);
  expect(await destination.compare(copy, later)).toBe("same");
  expect((await destination.link?.(copy, later))?.url).toContain("X-Amz-Signature=");
  await destination.remove([copy], [], later);
  expect(store.objects.size).toBe(0);
});

test("an unreadable archive is reported with its path", async (context) => {
  const bundle = await stubBundle(context, 10);
  await rm(bundle.path);
  await expect(publish(context, bundle)).rejects.toThrow(`the file ${bundle.path} cannot be used: ENOENT`);
});

test("no access key, secret key, session token or query of a link in a store's messages is shown", async (context) => {
  const link = "https://docs.s3.amazonaws.com/a?X-Amz-Signature=c4n4ry-signature&X-Amz-Credential=c4n4ry";
  const forms = (value: string): string => `${value} ${encodeURIComponent(value)} ${btoa(value)}`;
  const credentials = [...Object.values(CANARIES).map(forms), link.replace("&", "&amp;")].join(" ");
  store.rule = ({ method }) => (method === "PUT" ? stubError(400, "Strange", credentials) : undefined);
  const operation = await stubOperation(context);
  const draft = await archives().begin(await stubBundle(context, 10), operation);
  const error = await draft.publish().catch((reason: unknown) => reason as Error);
  operation.secrets.removeFromError(error);
  const { message } = error as Error;
  expect(message).toContain("failed with status 400 (Strange): [removed]");
  for (const value of [...Object.values(CANARIES), "c4n4ry"]) {
    for (const form of [value, encodeURIComponent(value), btoa(value).replace(/=+$/, "")]) {
      expect(message).not.toContain(form);
    }
  }
});

test("an upload without a name is reported", async (context) => {
  store.rule = (request) =>
    isBegin(request) ? { status: 200, body: "<InitiateMultipartUploadResult/>" } : undefined;
  await expect(publish(context, await stubBundle(context, 17 * MB))).rejects.toMatchObject({
    message: "the store of s3://docs began an upload without an id",
  });
  expect(store.requests.filter(isPart)).toHaveLength(0);
});
