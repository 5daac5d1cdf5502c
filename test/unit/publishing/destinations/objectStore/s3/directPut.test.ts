// Small objects that are sent without the SDK's middleware: what the store gets is the same, and whatever goes wrong, the SDK settles.
import { createHash } from "node:crypto";
import dns from "node:dns";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import tls from "node:tls";
import { beforeEach, expect, test, type TestContext, vi } from "vitest";
import type { SendOptions } from "../../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import type { BucketInputs } from "../../../../../../provider/publishing/destinations/objectStore/s3/inputs.ts";
import { openS3 } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { identity, trustAuthority } from "../../../../../faults/certificates.ts";
import { BUCKET_QUIRKS } from "../../../../../simulation/bucketQuirks.ts";
import {
  type BucketStub,
  CANARIES,
  startBucketStub,
  STUB_BUCKET,
  type StubAnswer,
  stubError,
  stubOperation,
  type StubRequest,
} from "../../../../../simulation/bucketStub.ts";

let store: BucketStub;
beforeEach(async (context) => {
  store = await startBucketStub(context);
});

type Send = (key: string, text?: string, options?: SendOptions & { sha256?: string }) => Promise<void>;

async function sender(
  context: TestContext,
  more: Partial<BucketInputs> = {},
  signal?: AbortSignal,
): Promise<Send> {
  const inputs = { bucket: STUB_BUCKET, endpoint: store.endpoint, ...more };
  const objects = await openS3(inputs, await stubOperation(context, signal));
  context.onTestFinished(() => objects.close());
  return (key, text = key, { sha256, ...options } = {}) => {
    const content = Buffer.from(text);
    const digest = sha256 ?? createHash("sha256").update(content).digest("hex");
    const headers = { contentType: "text/html", cacheControl: "no-cache" };
    return objects.send({ key, size: content.length, sha256: digest, headers }, content, options);
  };
}

/** The SDK counts the attempts of its requests in a header. */
const isDirect = ({ headers }: StubRequest): boolean => headers["amz-sdk-request"] === undefined;
const directKeys = (): string[] => store.requests.filter(isDirect).map(({ key }) => key);

test("an object is sent like the one before it, with headers and a signature of its own", async (context) => {
  const revisions: string[] = [];
  const options = { onlyIf: "absent", onStored: (revision: string) => revisions.push(revision) } as const;
  const send = await sender(context, { encryption: "aws:kms", kmsKeyId: "alias/docs" });
  for (const key of ["first", "größe/ä b+c'(1).html"]) await send(key, `<${key}>`, options);
  expect(directKeys()).toEqual(["größe/ä b+c'(1).html"]);
  const [first, second] = store.requests.map(({ headers }) => headers);
  const ofAttempt =
    /^(?:amz-sdk-.*|authorization|content-length|x-amz-(?:date|content-sha256|checksum-.*|meta-.*))$/;
  const shared = (headers: object = {}): object =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !ofAttempt.test(name)));
  expect(shared(second)).toEqual(shared(first));
  const sha256 = createHash("sha256").update("<größe/ä b+c'(1).html>").digest();
  expect(second).toMatchObject({
    "x-amz-content-sha256": sha256.toString("hex"),
    "x-amz-meta-sha256": sha256.toString("hex"),
    "x-amz-checksum-sha256": sha256.toString("base64"),
    "if-none-match": "*",
    "x-amz-server-side-encryption": "aws:kms",
    "x-amz-security-token": CANARIES.AWS_SESSION_TOKEN,
  });
  expect(second?.authorization).toMatch(/us-east-1\/s3\/aws4_request/);
  expect(second?.authorization).not.toBe(first?.authorization);
  expect(revisions).toEqual([...store.objects.values()].map(({ etag }) => etag));
});

test.each<[string, StubAnswer]>([
  ["too busy", stubError(503, "SlowDown")],
  ["a fault of the store", stubError(500, "InternalError")],
  ["moved", { ...stubError(307, "TemporaryRedirect"), headers: { location: "http://127.0.0.1:1/" } }],
  ["an expired token", stubError(400, "ExpiredToken")],
  ["a wrong signature", stubError(403, "SignatureDoesNotMatch")],
  ["no revision", { status: 200 }],
  ["another success", { status: 204 }],
])("after an answer that is no plain success (%s), the SDK sends the object", async (_, answer) => {
  const context = { onTestFinished: () => undefined } as unknown as TestContext;
  const send = await sender(context);
  await send("a");
  store.rule = (request) => (isDirect(request) ? answer : undefined);
  await send("b");
  store.rule = () => undefined;
  await send("c");
  expect(directKeys()).toEqual(["b", "c"]);
  expect([...store.objects.keys()]).toEqual(["a", "b", "c"]);
});

test("a store that takes nothing else gets everything from the SDK, after some trials", async (context) => {
  store.rule = (request) => (isDirect(request) ? stubError(403, "AccessDenied") : undefined);
  const send = await sender(context);
  for (let at = 0; at < 130; at++) await send(`${at}`);
  expect(store.objects.size).toBe(130);
  expect(directKeys()).toHaveLength(100);
});

test("a condition that does not hold is a conflict, as from the SDK", async (context) => {
  const send = await sender(context);
  await send("a");
  store.put("b", "theirs");
  await expect(send("b", "ours", { onlyIf: "absent" })).rejects.toMatchObject({ failure: "conflict" });
  expect(store.objects.get("b")?.body.toString()).toBe("theirs");
});

// without the stop, the SDK's own limit of 30 s would end it
const SOON = { timeout: 10_000 };

test(
  "a stopped run does not wait for the answer to an object, and sends it no second time",
  SOON,
  async (context) => {
    const stop = new AbortController();
    const send = await sender(context, {}, stop.signal);
    await send("first");
    store.rule = () => {
      stop.abort(new Error("stopped"));
      return "hang";
    };
    await expect(send("second")).rejects.toThrow("stopped");
    expect(store.requests.map(({ key }) => key)).toEqual(["first", "second"]);
  },
);

test("content that is not what its digest says does not become an object", async (context) => {
  const send = await sender(context);
  await send("a");
  const sha256 = createHash("sha256").update("b").digest("hex");
  await expect(send("b", "c", { sha256 })).rejects.toThrow("s3://docs/b was changed");
  expect([...store.objects.keys()]).toEqual(["a"]);
});

test("a store without newer checksums gets the MD5 of each object", async (context) => {
  store.rule = BUCKET_QUIRKS["Backblaze B2: no header about checksums"];
  const send = await sender(context);
  for (const key of ["a", "b", "c"]) await send(key);
  const [last] = store.requests.slice(-1);
  expect(last?.headers["content-md5"]).toBe(createHash("md5").update("c").digest("base64"));
  expect(directKeys()).toEqual(["b", "c"]);
});

test("a clock that is an hour off is corrected once, also for what is sent directly", async (context) => {
  const storeNow = (): number => Date.now() + 3_600_000;
  store.rule = ({ headers }) => {
    const [, day = "", time = ""] = /^(\d{8})T(\d{6})Z$/.exec(String(headers["x-amz-date"])) ?? [];
    const iso = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`;
    const isFar = Math.abs(Date.parse(iso) - storeNow()) > 900_000;
    const date = new Date(storeNow()).toUTCString();
    return isFar
      ? { ...stubError(403, "RequestTimeTooSkewed"), headers: { date } }
      : { status: 200, headers: { date, etag: '"e"' } };
  };
  const send = await sender(context);
  for (const key of ["a", "b", "c"]) await send(key);
  expect(directKeys()).toEqual(["b", "c"]);
  expect(store.requests).toHaveLength(4);
});

test("credentials that expire are renewed between objects", async (context) => {
  let given = 0;
  const role = createServer((_, answer) => {
    const Expiration = new Date(Date.now() + 60_000).toISOString();
    answer.end(
      JSON.stringify({ AccessKeyId: "AK", SecretAccessKey: "s", Token: `token-${++given}`, Expiration }),
    );
  });
  await new Promise<void>((resolve) => role.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => void role.close());
  const send = await sender(context);
  for (const name of Object.keys(CANARIES)) vi.stubEnv(name, undefined);
  const { port } = role.address() as AddressInfo;
  vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `http://127.0.0.1:${port}/`);
  for (const key of ["a", "b", "c", "d"]) await send(key);
  expect(directKeys()).toEqual(["b", "c", "d"]);
  const tokens = store.requests.map(({ headers }) => headers["x-amz-security-token"]);
  expect(new Set(tokens).size).toBeGreaterThan(1);
  for (const token of tokens) expect(token).toMatch(/^token-\d+$/);
});

test("an object is sent over TLS of a private authority, with the bucket in the host", async (context) => {
  const host = "s3.docs-host.test";
  const { port } = new URL(store.endpoint);
  const server = tls.createServer(await identity({ host: `${STUB_BUCKET}.${host}` }), (socket) => {
    const onward = connect(Number(port), "127.0.0.1");
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) {
      end.on("error", () => [socket, onward].forEach((each) => each.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => void server.close());
  await trustAuthority();
  const asked = vi.spyOn(dns, "lookup") as unknown as {
    mockImplementation(stub: (...args: unknown[]) => void): void;
  };
  asked.mockImplementation((_name, options, callback) => {
    const isAll = (options as { all?: boolean }).all === true;
    const answer = callback as (error: null, address: unknown, family?: number) => void;
    if (isAll) answer(null, [{ address: "127.0.0.1", family: 4 }]);
    else answer(null, "127.0.0.1", 4);
  });
  context.onTestFinished(() => void vi.restoreAllMocks());
  const secure = (server.address() as AddressInfo).port;
  const send = await sender(context, { endpoint: `https://${host}:${secure}`, pathStyle: false });
  // the stub knows a bucket in the path only
  const kept: string[] = [];
  store.rule = (request) => {
    kept.push(`${isDirect(request) ? "direct" : "SDK"} ${String(request.headers.host)}`);
    return { status: 200, headers: { etag: '"e"' } };
  };
  await send("a");
  await send("b/c.html");
  const at = `${STUB_BUCKET}.${host}:${secure}`;
  expect(kept).toEqual([`SDK ${at}`, `direct ${at}`]);
});
