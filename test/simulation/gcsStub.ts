import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import {
  type BucketStub,
  startStoreStub,
  type StoreProtocol,
  STUB_BUCKET,
  type StubAnswer,
  type StubObject,
  type StubRequest,
} from "./bucketStub.ts";

// Google Cloud Storage in memory: https://cloud.google.com/storage/docs/json_api

const OBJECTS = `/storage/v1/b/${STUB_BUCKET}/o`;
const UPLOADS = `/upload/storage/v1/b/${STUB_BUCKET}/o`;
const OF_GOOGLE = { "x-guploader-uploadid": "0" };
/** What of an object's description its request sets. */
const SET = ["contentType", "cacheControl", "contentEncoding", "contentDisposition"];

/** Starts a bucket until the test ends. */
export const startGcsStub = (context: Pick<TestContext, "onTestFinished">): Promise<BucketStub> =>
  startStoreStub(context, GCS);

/** A service account that only this test has: its key signs links. @returns the variables that name it */
export function stubServiceAccount({
  onTestFinished,
}: Pick<TestContext, "onTestFinished">): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "service-account-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const account = {
    type: "service_account",
    client_email: "docs@tests.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
  const file = join(folder, "account.json");
  writeFileSync(file, JSON.stringify(account));
  return { GOOGLE_APPLICATION_CREDENTIALS: file, METADATA_SERVER_DETECTION: "none" };
}

/** An error as Google words it. */
export function gcsError(code: number, reason: string, message = reason): StubAnswer {
  return json({ error: { code, message, errors: [{ domain: "global", reason, message }] } }, code);
}

const GCS: StoreProtocol = {
  keyIn({ pathname, searchParams }) {
    if (pathname.startsWith(`${OBJECTS}/`)) return decodeURIComponent(pathname.slice(OBJECTS.length + 1));
    // an address without the API, as links have it
    const isPlain = pathname.startsWith(`/${STUB_BUCKET}/`);
    if (isPlain) return decodeURIComponent(pathname.slice(STUB_BUCKET.length + 2));
    return pathname === UPLOADS ? (searchParams.get("name") ?? "") : "";
  },
  reply(stub, request, body) {
    const { headers, ...answer } = replyTo(stub, request, body);
    return { ...answer, headers: { ...OF_GOOGLE, ...headers } };
  },
};

function json(value: object, status = 200): StubAnswer {
  const headers = { "content-type": "application/json; charset=UTF-8" };
  return { status, headers, body: JSON.stringify(value) };
}

function replyTo(stub: BucketStub, request: StubRequest, body: Buffer): StubAnswer {
  const { method, key, query, headers } = request;
  if (query.has("upload_id")) return putPiece(stub, request, body);
  if (query.get("uploadType") === "multipart") return putWhole(stub, request, body);
  if (query.get("uploadType") === "resumable") return beginSession(stub, request, body);
  if (method === "POST") return batch(stub, headers, body);
  if (key === "") return list(stub, query);
  const found = stub.objects.get(key);
  const generation = query.get("generation");
  const text = `No such object: ${STUB_BUCKET}/${key}`;
  if (!found || (generation !== null && generation !== found.etag)) {
    // content is answered by another of Google's servers than descriptions are
    const isMedia = method === "GET" && (query.get("alt") === "media" || query.size === 0);
    return isMedia
      ? { status: 404, headers: { "content-type": "text/html; charset=UTF-8" }, body: text }
      : gcsError(404, "notFound", text);
  }
  if (method === "DELETE") {
    stub.objects.delete(key);
    stub.removed.push(key);
    return { status: 204 };
  }
  if (query.get("alt") !== "media" && query.has("fields")) return json(described(key, found));
  const type = String(found.headers["contentType"] ?? "application/octet-stream");
  return {
    status: 200,
    headers: { "content-type": type, "x-goog-generation": found.etag },
    body: found.body,
  };
}

const described = (key: string, { body, etag, headers, modifiedAt = new Date() }: StubObject): object => ({
  kind: "storage#object",
  name: key,
  size: String(body.length),
  generation: etag,
  timeCreated: modifiedAt.toISOString(),
  md5Hash: createHash("md5").update(body).digest("base64"),
  ...headers,
});

function list({ objects }: BucketStub, query: URLSearchParams): StubAnswer {
  const prefix = query.get("prefix") ?? "";
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  const start = Number(query.get("pageToken") ?? 0);
  const end = start + Number(query.get("maxResults") ?? 1_000);
  const items = keys.slice(start, end).flatMap((key) => {
    const object = objects.get(key);
    return object ? [described(key, object)] : [];
  });
  return json({
    ...((query.get("fields") ?? "kind").includes("kind") && { kind: "storage#objects" }),
    ...(items.length > 0 && { items }),
    ...(end < keys.length && { nextPageToken: String(end) }),
  });
}

let writes = 1_700_000_000_000_000;

/** Stores an object. @param given its description */
function put(
  stub: BucketStub,
  { key, query }: Pick<StubRequest, "key" | "query">,
  given: Readonly<Record<string, unknown>>,
  content: Buffer,
): StubAnswer {
  const there = stub.objects.get(key)?.etag;
  const wanted = query.get("ifGenerationMatch");
  if (wanted !== null && wanted !== (there ?? "0")) return gcsError(412, "conditionNotMet");
  const md5 = createHash("md5").update(content).digest("base64");
  if (given["md5Hash"] !== undefined && given["md5Hash"] !== md5) {
    const message = `Provided MD5 hash "${JSON.stringify(given["md5Hash"])}" doesn't match calculated MD5 hash "${md5}".`;
    return gcsError(400, "invalid", message);
  }
  const set = [...SET, "metadata"].flatMap((name) =>
    given[name] === undefined ? [] : [[name, given[name]]],
  );
  stub.put(key, content, Object.fromEntries(set) as IncomingHttpHeaders);
  const stored = stub.objects.get(key);
  if (!stored) throw new Error("it was not stored");
  const object = { ...stored, etag: String(++writes) };
  stub.objects.set(key, object);
  return json(described(key, object));
}

function putWhole(stub: BucketStub, request: StubRequest, body: Buffer): StubAnswer {
  const [, boundary = ""] = /boundary="?([^";]+)/.exec(request.headers["content-type"] ?? "") ?? [];
  const text = body.toString("latin1");
  const [first = 0, second = 0] = [...text.matchAll(/\r\n\r\n/g)].map(({ index }) => index + 4);
  const description = body.subarray(first, body.indexOf(`\r\n--${boundary}`, first));
  const content = body.subarray(second, body.lastIndexOf(`\r\n--${boundary}--`));
  return put(stub, request, JSON.parse(description.toString()) as Record<string, unknown>, content);
}

function beginSession(stub: BucketStub, { key, query, headers }: StubRequest, body: Buffer): StubAnswer {
  const id = String(++writes);
  const condition = query.get("ifGenerationMatch");
  const more = { description: body.toString(), ...(condition !== null && { condition }) };
  stub.uploads.set(id, { key, headers: { ...headers, ...more }, startedAt: new Date(), parts: new Map() });
  const location = `${stub.endpoint}${UPLOADS}?upload_id=${id}&name=${encodeURIComponent(key)}`;
  return { status: 200, headers: { location } };
}

/** See https://cloud.google.com/storage/docs/performing-resumable-uploads */
function putPiece(stub: BucketStub, request: StubRequest, body: Buffer): StubAnswer {
  const id = request.query.get("upload_id") ?? "";
  const upload = stub.uploads.get(id);
  if (!upload) return gcsError(410, "uploadSessionGone");
  const had = upload.parts.get(0) ?? Buffer.alloc(0);
  const [, start, total = ""] =
    /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(request.headers["content-range"] ?? "") ?? [];
  const fresh = start === undefined ? Buffer.alloc(0) : body.subarray(had.length - Number(start));
  const has = Buffer.concat([had, fresh]);
  upload.parts.set(0, has);
  if (has.length < Number(total)) {
    return { status: 308, headers: has.length === 0 ? {} : { range: `bytes=0-${has.length - 1}` } };
  }
  const { description = "{}", condition } = upload.headers as Record<string, string | undefined>;
  const query = new URLSearchParams(condition === undefined ? {} : { ifGenerationMatch: condition });
  const given = JSON.parse(description) as Record<string, unknown>;
  const stored = put(stub, { key: upload.key, query }, given, has);
  stub.uploads.delete(id);
  return stored;
}

/** See https://cloud.google.com/storage/docs/batch */
function batch(stub: BucketStub, headers: IncomingHttpHeaders, body: Buffer): StubAnswer {
  const [, boundary = ""] = /boundary=([^;]+)/.exec(headers["content-type"] ?? "") ?? [];
  const requests = body.toString().split(`--${boundary}`).slice(1, -1);
  if (requests.length > 100) return gcsError(400, "badRequest", "The batch has too many calls.");
  const parts = requests.map((each) => {
    const [, id = ""] = /content-id: *<([^>]*)>/i.exec(each) ?? [];
    const [, path = ""] = /DELETE (\S+) HTTP/.exec(each) ?? [];
    const url = new URL(path, "http://stub");
    const request = { method: "DELETE", key: GCS.keyIn(url), query: url.searchParams, headers: {} };
    const { status, body: text = "" } = replyTo(stub, request, Buffer.alloc(0));
    return (
      `--batch_0\r\nContent-Type: application/http\r\nContent-ID: <response-${id}>\r\n\r\n` +
      `HTTP/1.1 ${status} ${status === 204 ? "No Content" : "Not Found"}\r\n\r\n${String(text)}\r\n`
    );
  });
  return {
    status: 200,
    headers: { "content-type": "multipart/mixed; boundary=batch_0" },
    body: `${parts.join("")}--batch_0--`,
  };
}
