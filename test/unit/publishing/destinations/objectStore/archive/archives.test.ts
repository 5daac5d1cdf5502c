import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Copy } from "../../../../../../provider/publishing/destinations/destination.ts";
import type { Bundle } from "../../../../../../provider/publishing/inspection/bundle.ts";
import {
  CANARIES,
  stubBundle,
  stubError,
  stubOperation,
  type StubRequest,
} from "../../../../../simulation/bucketStub.ts";
import { archives, keyOf, MB, publish, store, withStore } from "./storedArchives.ts";

withStore();

const isEnd = ({ method, query }: StubRequest): boolean => method === "POST" && query.has("uploadId");

const MARK = "a/.docs-hosting/owner.json";

const recordOf = (bundle: Bundle): string => `a/.docs-hosting/${keyOf(bundle).slice("a/".length)}.json`;

describe.for([
  ["in one piece", MB],
  ["in parts", 9 * MB + 5],
] as const)("an archive %s", ([, size]) => {
  test("becomes one object, with type and digest in the request", async (context) => {
    const bundle = await stubBundle(context, size);
    const copy = await publish(context, bundle);
    expect(copy).toMatchObject({ sha256: bundle.sha256, uri: `s3://docs/${keyOf(bundle)}` });
    expect([...store.objects.keys()]).toEqual([MARK, recordOf(bundle), keyOf(bundle)]);
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
      const { method, query, key } = request;
      if (key !== keyOf(bundle)) return undefined;
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
    store.rule = ({ method, key, query }) =>
      method === "PUT" && key === keyOf(bundle) && (size < 8 * MB || query.get("partNumber") === "2")
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
    await archives().release([copy], operation);
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
    await archives().release([copy], await stubOperation(context));
    expect(store.objects.size).toBe(0);
  });
});

test("a store that requires Content-MD5 for multi-object deletions gets single ones", async (context) => {
  store.insistsOnMd5 = true;
  const bundles = [await stubBundle(context, 10, "one"), await stubBundle(context, 10, "two")];
  const copies: Copy[] = [];
  for (const bundle of bundles) copies.push(await publish(context, bundle));
  await archives().release(copies, await stubOperation(context));
  expect([...store.objects.keys()]).toEqual([]);
});

test("an upload that is not in the state is continued as the advice says", async (context) => {
  const bundle = await stubBundle(context, 10);
  const copy = await publish(context, bundle);
  const unknown = { ...copy, parts: {} };
  await expect(archives().release([unknown], await stubOperation(context))).rejects.toMatchObject({
    message: `the state does not contain the location of ${copy.uri}`,
    remedy:
      "Run `pulumi state delete` with the URN of this resource, then `pulumi up`: it finds the archive in the bucket and adopts it.",
  });
  expect(await publish(context, bundle)).toEqual(copy);
  expect(store.requests.filter(({ method, key }) => method === "PUT" && key === keyOf(bundle))).toHaveLength(
    1,
  );
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
  await destination.release([copy], later);
  expect(store.objects.size).toBe(0);
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

test("an archive is sent with its type, its caching and its size, and its progress is shown", async (context) => {
  const bundle = { ...(await stubBundle(context, 10)), format: "zip" } as const;
  const operation = await stubOperation(context);
  const placed: Copy[] = [];
  const copy = await (await archives().begin(bundle, operation)).publish((each) => placed.push(each));
  const key = `a/${bundle.sha256}.zip`;
  // before the mark is written, the store has given no ETag
  expect(placed).toEqual([{ ...copy, parts: { key, size: 10, etag: "" } }, copy]);
  expect(copy).toEqual({
    sha256: bundle.sha256,
    uri: `s3://docs/${key}`,
    address: `${store.endpoint}/docs/${key}`,
    parts: { key, size: 10, etag: store.objects.get(key)?.etag },
  });
  expect(store.objects.get(key)?.headers).toMatchObject({
    "content-type": "application/zip",
    "cache-control": "private, max-age=31536000, immutable",
    "if-none-match": "*",
  });
  expect(operation.reporter.lines.progress[0]).toBe("uploading 10 B");
  expect(operation.reporter.lines.progress.at(-1)).toMatch(/^100% · 10 B of 10 B/);
});

test("an object of others with the name of the archive is an error, and stays", async (context) => {
  const bundle = await stubBundle(context, 10);
  for (const [body, sha256] of [
    ["theirs", bundle.sha256],
    ["0123456789", "0".repeat(64)],
  ] as const) {
    store.put(keyOf(bundle), body, { "x-amz-meta-sha256": sha256 });
    await expect(publish(context, bundle)).rejects.toMatchObject({
      message: `s3://docs/${keyOf(bundle)} exists already, and its content does not match its name`,
      remedy: "It is unchanged. Find out who wrote it, remove it, and run `pulumi up` again.",
    });
    expect(String(store.objects.get(keyOf(bundle))?.body)).toBe(body);
  }
});

test("an archive is the same by its content and its place, has changed, or is gone", async (context) => {
  const bundle = await stubBundle(context, 10);
  const copy = await publish(context, bundle);
  const compared = async () => archives().compare(copy, await stubOperation(context));
  expect(await compared()).toBe("same");
  const { body = Buffer.from(""), headers = {}, etag = "" } = store.objects.get(keyOf(bundle)) ?? {};
  store.objects.set(keyOf(bundle), { body, headers, etag: '"other"' });
  expect(await compared()).toBe("changed");
  store.objects.set(keyOf(bundle), { body: Buffer.from("longer than before"), headers, etag });
  expect(await compared()).toBe("changed");
  store.objects.set(keyOf(bundle), { body, headers: {}, etag });
  expect(await compared()).toBe("changed");
  store.rule = ({ method }) => (method === "HEAD" ? { status: 404 } : undefined);
  expect(await compared()).toBe("changed");
  store.objects.clear();
  expect(await compared()).toBe("gone");
  store.rule = ({ method }) => (method === "HEAD" ? { status: 404 } : stubError(404, "NoSuchBucket"));
  await expect(compared()).rejects.toThrow("there is no bucket docs");
});

test("the checksum of the store counts before the note of the sender; one of parts does not", async (context) => {
  const bundle = await stubBundle(context, 10);
  const copy = await publish(context, bundle);
  const { body = Buffer.from(""), etag = "" } = store.objects.get(keyOf(bundle)) ?? {};
  const right = Buffer.from(bundle.sha256, "hex").toString("base64");
  const wrong = Buffer.alloc(32).toString("base64");
  for (const [checksum, note, found] of [
    [right, "0".repeat(64), "same"],
    [wrong, bundle.sha256, "changed"],
    [`${wrong}-2`, bundle.sha256, "same"],
  ] as const) {
    const headers = { "x-amz-checksum-sha256": checksum, "x-amz-meta-sha256": note };
    store.objects.set(keyOf(bundle), { body, headers, etag });
    expect(await archives().compare(copy, await stubOperation(context))).toBe(found);
  }
});

test("an archive is read into a file; one that is gone is not", async (context) => {
  const bundle = await stubBundle(context, 10);
  const copy = await publish(context, bundle);
  const content = await archives().read(copy, await stubOperation(context));
  expect(await readFile((content as { archive: string }).archive, "utf8")).toBe("archivearc");
  store.objects.clear();
  expect(await archives().read(copy, await stubOperation(context))).toBeUndefined();
});

test("an archive is found by its name, whole and with its digest", async (context) => {
  const bundle = await stubBundle(context, 10);
  const { sha256, ...copy } = await publish(context, bundle);
  const name = `${sha256}.tar.gz`;
  const operation = await stubOperation(context);
  const found = await archives().find(name, operation);
  expect(found).toEqual({ copy, edition: sha256, sha256, archive: expect.any(String) as unknown });
  expect(operation.reporter.lines.progress).toEqual(["downloading 10 B"]);
  store.put(keyOf(bundle), "archivearc");
  await expect(archives().find(name, await stubOperation(context))).rejects.toMatchObject({
    message: `s3://docs/a/${name} does not record its SHA-256, as copies of this package do`,
    remedy: "It is unchanged. Import another copy, or make a new one.",
  });
  store.put(keyOf(bundle), "other", { "x-amz-meta-sha256": sha256 });
  await expect(archives().find(name, await stubOperation(context))).rejects.toThrow(
    `s3://docs/a/${name} is not the archive that its name says: its SHA-256 is d9298a10`,
  );
  store.objects.clear();
  await expect(archives().find(name, await stubOperation(context))).rejects.toMatchObject({
    message: `there is no object s3://docs/a/${name}`,
    remedy: "Check its name, and `endpoint` and `region`.",
  });
});

test.each([{ key: 7 }, { size: "10" }, { etag: undefined }])(
  "a state with %j is an error, not a request",
  async (change) => {
    const parts = { key: "a/x", size: 10, etag: '"e"', ...change };
    const copy = { sha256: "0".repeat(64), uri: "s3://docs/a/x", parts };
    await expect(archives().compare(copy, await stubOperation({ onTestFinished }))).rejects.toThrow(
      "the state does not contain the location of s3://docs/a/x",
    );
    expect(store.requests).toEqual([]);
  },
);

describe("an archive of which a gateway answers to HEAD that it is not there", () => {
  const answer404 = (key: string): void => {
    store.rule = (request) =>
      request.method === "HEAD" && request.key === key ? { status: 404 } : undefined;
  };

  test("stays if somebody overwrote it, until the store says what it is", async (context) => {
    const bundle = await stubBundle(context, 1_000);
    const copy = await publish(context, bundle);
    store.put(keyOf(bundle), "theirs");
    answer404(keyOf(bundle));
    await expect(archives().release([copy], await stubOperation(context))).rejects.toThrow(
      `nothing is removed from s3://docs/a: the store lists s3://docs/${keyOf(bundle)}, and answers that it is`,
    );
    store.rule = () => undefined;
    const operation = await stubOperation(context);
    await archives().release([copy], operation);
    expect([...store.objects.keys()]).toEqual([keyOf(bundle)]);
    expect(operation.reporter.lines.warn).toHaveLength(1);
  });

  test("is removed if the list has it as it was sent", async (context) => {
    const bundle = await stubBundle(context, 1_000);
    const copy = await publish(context, bundle);
    answer404(keyOf(bundle));
    await archives().release([copy], await stubOperation(context));
    expect(store.objects.size).toBe(0);
  });

  test("is named by a destroy without the mark", async (context) => {
    const bundle = await stubBundle(context, 1_000);
    const copy = await publish(context, bundle);
    store.objects.delete("a/.docs-hosting/owner.json");
    answer404(keyOf(bundle));
    const operation = await stubOperation(context);
    await archives().release([copy], operation);
    expect(store.objects.has(keyOf(bundle))).toBe(true);
    expect(operation.reporter.lines.warn).toEqual([
      expect.stringContaining(`These stay: s3://docs/${keyOf(bundle)}.`),
    ]);
  });

  test("keeps its record if its upload seems to fail", async (context) => {
    const bundle = await stubBundle(context, 1_000);
    store.rule = ({ method, key }) => {
      if (key !== keyOf(bundle)) return undefined;
      if (method === "PUT") store.put(key, "arrived");
      return method === "PUT" ? stubError(403, "AccessDenied") : { status: 404 };
    };
    await expect(publish(context, bundle)).rejects.toThrow("s3:PutObject on");
    expect([...store.objects.keys()]).toContain(`a/.docs-hosting/${bundle.sha256}.tar.gz.json`);
  });
});
