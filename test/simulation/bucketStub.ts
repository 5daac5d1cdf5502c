import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, vi } from "vitest";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../provider/base/runtime/time/clock.ts";
import type { DestinationContext } from "../../provider/publishing/destinations/destination.ts";
import type { Bundle } from "../../provider/publishing/inspection/bundle.ts";
import { OWNER } from "./owners.ts";
import { recordingReporter } from "./recordingReporter.ts";
import { VirtualClock } from "./virtualClock.ts";

/** The only bucket of the stub. */
export const STUB_BUCKET = "docs";

/** The credentials in a test's environment: none of them may be in a message. */
export const CANARIES = {
  AWS_ACCESS_KEY_ID: "AKIAC4N4RY",
  AWS_SECRET_ACCESS_KEY: "c4n4ry/secret+key",
  AWS_SESSION_TOKEN: "c4n4ry//session+token==",
} as const;

/** An object, with the headers of its request. */
export interface StubObject {
  readonly body: Buffer;
  readonly etag: string;
  readonly headers: IncomingHttpHeaders;
  readonly modifiedAt?: Date;
}

/** A multipart upload that is not completed. */
export interface StubUpload {
  readonly key: string;
  readonly headers: IncomingHttpHeaders;
  readonly startedAt: Date;
  readonly parts: Map<number, Buffer>;
  /** Those of Azure, by their ids. */
  readonly blocks?: ReadonlyMap<string, Buffer>;
}

/** A request, as rules for it get it. */
export interface StubRequest {
  readonly method: string;
  /** Below the bucket; empty for the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** An answer in place of the store's own. */
export interface StubAnswer {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
}

/** What a store does in place of what it is asked. */
export type StubFault =
  | { readonly kind: "answer"; readonly answer: StubAnswer }
  /** The connection breaks, before or after the request was carried out. */
  | { readonly kind: "broken"; readonly isDone: boolean }
  /** The store confirms a write, and loses it. */
  | { readonly kind: "lost" }
  /** The store answers as if it had this content. */
  | { readonly kind: "late"; readonly objects: BucketStub["objects"] };

/** A store in memory with the part of S3's protocol that copies need. It does not check signatures. */
export interface BucketStub {
  readonly endpoint: string;
  readonly objects: Map<string, StubObject>;
  /** By upload id. */
  readonly uploads: Map<string, StubUpload>;
  readonly requests: StubRequest[];
  /** The keys that requests removed, in their order. */
  readonly removed: string[];
  /** Multi-object deletions need Content-MD5, as at stores without newer checksums. */
  insistsOnMd5: boolean;
  /** Gets each request before the store does. `"hang"`: no answer ever comes. */
  rule: (request: StubRequest) => StubAnswer | "hang" | undefined;
  /** When the store may handle a request, and what it does in place of that. @default at once, and nothing else */
  ready?: (request: StubRequest) => Promise<StubFault | undefined>;
  /** Writes as another user. */
  put(key: string, body: string | Buffer, headers?: IncomingHttpHeaders): void;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** An error as S3 words it. */
export function stubError(status: number, code: string, message = code): StubAnswer {
  return { status, body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>` };
}

/** The part of a protocol that copies need. */
export interface StoreProtocol {
  /** The key that an address names; empty for the bucket itself. */
  readonly keyIn: (url: URL) => string;
  readonly reply: (stub: BucketStub, request: StubRequest, body: Buffer) => StubAnswer;
}

/** Amazon's. */
const S3: StoreProtocol = {
  keyIn: ({ pathname }) => decodeURIComponent(pathname).slice(`/${STUB_BUCKET}/`.length),
  reply,
};

/** Starts a store with S3's protocol until the test ends. */
export const startBucketStub = (context: Pick<TestContext, "onTestFinished">): Promise<BucketStub> =>
  startStoreStub(context, S3);

/** Starts a store until the test ends. */
export async function startStoreStub(
  context: Pick<TestContext, "onTestFinished">,
  protocol: StoreProtocol,
): Promise<BucketStub> {
  const objects: BucketStub["objects"] = new Map();
  const uploads: BucketStub["uploads"] = new Map();
  const requests: StubRequest[] = [];
  const removed: string[] = [];
  const put: BucketStub["put"] = (key, body, headers = {}) => {
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    objects.set(key, { body: Buffer.from(body), etag, headers, modifiedAt: new Date() });
  };
  const stub: Writable<BucketStub> = {
    objects,
    uploads,
    requests,
    removed,
    put,
    endpoint: "",
    insistsOnMd5: false,
    rule: () => undefined,
  };
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "", "http://stub");
    const { method = "", headers } = incoming;
    const request = { method, key: protocol.keyIn(url), query: url.searchParams, headers };
    requests.push(request);
    const ruled = stub.rule(request);
    if (ruled === "hang") return void incoming.resume();
    const answered = buffer(incoming).then(async (body) => {
      const fault = await stub.ready?.(request);
      if (fault?.kind === "broken" && !fault.isDone) return void outgoing.destroy();
      const answer = ruled ?? faultyReply(protocol, stub, fault, request, body);
      if (fault?.kind === "broken") return void outgoing.destroy();
      outgoing.writeHead(answer.status, { "content-type": "application/xml", ...answer.headers });
      outgoing.end(answer.body);
    });
    answered.catch(() => undefined); // the client was killed
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  stub.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return stub;
}

function faultyReply(
  { reply }: StoreProtocol,
  stub: BucketStub,
  fault: StubFault | undefined,
  request: StubRequest,
  body: Buffer,
): StubAnswer {
  if (fault?.kind === "answer") return fault.answer;
  if (fault?.kind === "late") return reply({ ...stub, objects: fault.objects }, request, body);
  if (fault?.kind !== "lost") return reply(stub, request, body);
  const { objects, uploads } = stub;
  const before = [new Map(objects), new Map(uploads)] as const;
  const answer = reply(stub, request, body);
  objects.clear();
  uploads.clear();
  for (const [key, object] of before[0]) objects.set(key, object);
  for (const [id, upload] of before[1]) uploads.set(id, upload);
  return answer;
}

function reply(stub: BucketStub, request: StubRequest, body: Buffer): StubAnswer {
  const { method, key, query, headers } = request;
  const { objects, uploads, removed } = stub;
  if (key === "" && method === "POST" && query.has("delete")) return deleteObjects(stub, headers, body);
  if (key === "" && query.has("uploads")) return xml("ListMultipartUploadsResult", uploadsXml(stub, query));
  if (key === "") return xml("ListBucketResult", objectsXml(stub, query));
  const uploadId = query.get("uploadId");
  if (uploadId !== null) return replyToUpload(stub, uploadId, request, body);
  if (query.has("uploads")) {
    const id = randomUUID();
    uploads.set(id, { key, headers, startedAt: new Date(), parts: new Map() });
    return xml("InitiateMultipartUploadResult", `<UploadId>${id}</UploadId>`);
  }
  const found = objects.get(key);
  if (method === "DELETE") {
    objects.delete(key);
    removed.push(key);
    return { status: 204 };
  }
  if (method === "PUT") return putObject(stub, request, body);
  if (!found) return method === "HEAD" ? { status: 404 } : stubError(404, "NoSuchKey");
  const { etag } = found;
  const kept = [
    ...["content-type", "cache-control", "content-encoding", "content-disposition"],
    ...["x-amz-meta-sha256", "x-amz-checksum-sha256"],
  ];
  const replyHeaders = Object.fromEntries(
    kept.flatMap((name) => (found.headers[name] === undefined ? [] : [[name, String(found.headers[name])]])),
  );
  const length = { "content-length": String(found.body.length) };
  return {
    status: 200,
    headers: { ...replyHeaders, ...length, etag },
    ...(method === "GET" && { body: found.body }),
  };
}

function putObject(
  stub: Pick<BucketStub, "objects" | "put">,
  { key, headers }: Pick<StubRequest, "key" | "headers">,
  body: Buffer,
): StubAnswer {
  const there = stub.objects.get(key)?.etag;
  const { "if-none-match": unless, "if-match": wanted = there } = headers;
  if ((unless === "*" && there !== undefined) || wanted !== there) {
    return stubError(412, "PreconditionFailed");
  }
  const sent = headers["x-amz-checksum-sha256"];
  if (sent !== undefined && sent !== createHash("sha256").update(body).digest("base64")) {
    return stubError(400, "BadDigest");
  }
  if (!hasItsMd5(headers, body)) return stubError(400, "BadDigest");
  stub.put(key, body, headers);
  return { status: 200, headers: { etag: stub.objects.get(key)?.etag ?? "" } };
}

function hasItsMd5({ "content-md5": md5 }: IncomingHttpHeaders, body: Buffer): boolean {
  return md5 === undefined || md5 === createHash("md5").update(body).digest("base64");
}

function replyToUpload(
  stub: BucketStub,
  id: string,
  { method, query, headers }: StubRequest,
  body: Buffer,
): StubAnswer {
  const upload = stub.uploads.get(id);
  if (!upload) return stubError(404, "NoSuchUpload");
  const { key, parts } = upload;
  if (method === "DELETE") {
    stub.uploads.delete(id);
    return { status: 204 };
  }
  if (method === "PUT") {
    if (!hasItsMd5(headers, body)) return stubError(400, "BadDigest");
    parts.set(Number(query.get("partNumber")), body);
    const checksum = createHash("sha256").update(body).digest("base64");
    return { status: 200, headers: { etag: `"${parts.size}"`, "x-amz-checksum-sha256": checksum } };
  }
  if (method === "GET") return xml("ListPartsResult", partsXml(upload));
  const whole = Buffer.concat([...parts].sort(([one], [other]) => one - other).map(([, part]) => part));
  const { "x-amz-meta-sha256": sha256, "content-type": type } = upload.headers;
  const kept = {
    ...(sha256 !== undefined && { "x-amz-meta-sha256": sha256 }),
    ...(type !== undefined && { "content-type": type }),
    ...(headers["if-none-match"] !== undefined && { "if-none-match": headers["if-none-match"] }),
    ...(headers["if-match"] !== undefined && { "if-match": headers["if-match"] }),
  };
  const stored = putObject(stub, { key, headers: kept }, whole);
  if (stored.status !== 200) return stored;
  stub.uploads.delete(id);
  return xml("CompleteMultipartUploadResult", `<Key>${key}</Key><ETag>${stub.objects.get(key)?.etag}</ETag>`);
}

function deleteObjects(
  { objects, removed, insistsOnMd5 }: BucketStub,
  headers: IncomingHttpHeaders,
  body: Buffer,
): StubAnswer {
  if (insistsOnMd5 && headers["content-md5"] === undefined) {
    return stubError(400, "InvalidRequest", "Missing required header for this request: Content-MD5");
  }
  if (!hasItsMd5(headers, body)) return stubError(400, "BadDigest");
  const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => key);
  if (keys.length > 1_000) return stubError(400, "MalformedXML");
  for (const key of keys) objects.delete(fromXml(key));
  removed.push(...keys.map(fromXml));
  return xml("DeleteResult", keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join(""));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function fromXml(text: string): string {
  return text.replace(/&(?:#x([0-9A-F]+)|(\w+));/gi, (_, code?: string, name: string = "") =>
    code === undefined ? (ENTITIES[name] ?? "") : String.fromCodePoint(parseInt(code, 16)),
  );
}

function toXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function objectsXml({ objects }: Pick<BucketStub, "objects">, query: URLSearchParams): string {
  const prefix = query.get("prefix") ?? "";
  const listed = [...objects].filter(([key]) => key.startsWith(prefix)).sort();
  const entries = listed.map(([key, { body, etag, modifiedAt }]) =>
    contentsXml(key, body.length, etag, modifiedAt),
  );
  return `<IsTruncated>false</IsTruncated>${entries.join("")}`;
}

/** An entry of a list of objects. */
export function contentsXml(
  key: string,
  size: number,
  etag: string,
  modifiedAt = new Date("2026-11-23T00:00:00Z"),
): string {
  const modified = `<LastModified>${modifiedAt.toISOString()}</LastModified>`;
  return `<Contents><Key>${toXml(key)}</Key>${modified}<ETag>${etag}</ETag><Size>${size}</Size></Contents>`;
}

function uploadsXml({ uploads }: Pick<BucketStub, "uploads">, query: URLSearchParams): string {
  const prefix = query.get("prefix") ?? "";
  return [...uploads]
    .filter(([, { key }]) => key.startsWith(prefix))
    .map(([id, { key, startedAt }]) => {
      const initiated = `<Initiated>${startedAt.toISOString()}</Initiated>`;
      return `<Upload><Key>${toXml(key)}</Key><UploadId>${id}</UploadId>${initiated}</Upload>`;
    })
    .join("");
}

function partsXml({ parts, startedAt }: StubUpload): string {
  const modified = `<LastModified>${startedAt.toISOString()}</LastModified>`;
  return [...parts]
    .map(([number, { length }]) => {
      return `<Part><PartNumber>${number}</PartNumber>${modified}<Size>${length}</Size></Part>`;
    })
    .join("");
}

/** One operation at a destination, and its messages. */
export interface StubOperation extends DestinationContext {
  readonly clock: VirtualClock;
  readonly reporter: ReturnType<typeof recordingReporter>;
}

/** An operation with a scratch folder and credentials, until the test ends. */
export async function stubOperation(
  context: Pick<TestContext, "onTestFinished">,
  signal: AbortSignal = new AbortController().signal,
): Promise<StubOperation> {
  const scratch = await mkdtemp(join(tmpdir(), "scratch-"));
  context.onTestFinished(() => rm(scratch, { recursive: true, force: true }));
  for (const [name, value] of Object.entries(CANARIES)) vi.stubEnv(name, value);
  context.onTestFinished(() => void vi.unstubAllEnvs());
  const clock = new VirtualClock(new Date().toISOString());
  return {
    fetch: () => Promise.reject(new Error("nothing is fetched")),
    clock,
    reporter: recordingReporter(),
    secrets: new Secrets(),
    signal,
    deadline: startDeadline(clock, 60_000),
    environment: (name) => process.env[name],
    scratch: () => Promise.resolve(scratch),
    owner: OWNER,
  };
}

/** An archive of the given size, which is never unpacked. */
export async function stubBundle(
  context: Pick<TestContext, "onTestFinished">,
  size: number,
  fill = "archive",
): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "bundle-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const content = Buffer.alloc(size, fill);
  const path = join(folder, "bundle.tar.gz");
  await writeFile(path, content);
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { path, format: "tar.gz", sha256, size, version: "1" };
}

/** A whole reply of the store. */
export function xml(name: string, content: string): StubAnswer {
  return { status: 200, body: `<?xml version="1.0"?><${name}>${content}</${name}>` };
}
