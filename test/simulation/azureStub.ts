import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { TestContext } from "vitest";
import {
  type BucketStub,
  startStoreStub,
  type StoreProtocol,
  STUB_BUCKET,
  type StubAnswer,
  type StubObject,
  type StubRequest,
  type StubUpload,
} from "./bucketStub.ts";

// Azure Blob Storage in memory: https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api

/** The only account of the stub. Its container is `STUB_BUCKET`. */
export const STUB_ACCOUNT = "docsaccount";
/** A key of the account: signatures are not verified. */
export const STUB_ACCOUNT_KEY = Buffer.from("c4n4ry-key-of-an-account").toString("base64");

const ROOT = `/${STUB_ACCOUNT}/${STUB_BUCKET}/`;
const VERSION = { "x-ms-version": "2025-11-05", "x-ms-request-id": "0" };
/** Headers of a blob, and the names under which a request sets them. */
const SET_BY: Readonly<Record<string, string>> = {
  "content-type": "x-ms-blob-content-type",
  "cache-control": "x-ms-blob-cache-control",
  "content-encoding": "x-ms-blob-content-encoding",
  "content-disposition": "x-ms-blob-content-disposition",
};

/** Starts a container until the test ends. */
export async function startAzureStub(context: Pick<TestContext, "onTestFinished">): Promise<BucketStub> {
  const stub = await startStoreStub(context, AZURE);
  return Object.assign(stub, { endpoint: `${stub.endpoint}/${STUB_ACCOUNT}` });
}

/** An error as Azure words it. */
export function azureError(status: number, code: string): StubAnswer {
  const headers = { ...VERSION, "x-ms-error-code": code };
  return { status, headers, body: `<Error><Code>${code}</Code><Message>Said so.</Message></Error>` };
}

const AZURE: StoreProtocol = {
  keyIn: ({ pathname }) => decodeURIComponent(pathname).slice(ROOT.length),
  reply(stub, request, body) {
    const { headers, ...answer } = replyTo(stub, request, body);
    const whole = { ...answer, headers: { ...VERSION, ...headers } };
    return request.method === "HEAD" ? { ...whole, body: "" } : whole;
  },
};

function replyTo(stub: BucketStub, request: StubRequest, body: Buffer): StubAnswer {
  const { method, key, query, headers } = request;
  const asked = query.get("comp");
  if (query.get("restype") === "account") {
    return { status: 200, headers: { "x-ms-sku-name": "Standard_LRS", "x-ms-is-hns-enabled": "false" } };
  }
  if (key === "" && asked === "list") return { status: 200, body: listXml(stub, query) };
  if (key === "" && asked === "batch") return batch(stub, headers, body);
  if (method === "PUT" && asked === "block") return stageBlock(stub, request, body);
  if (method === "PUT") return putBlob(stub, request, body);
  const found = stub.objects.get(key);
  if (!found) return azureError(404, "BlobNotFound");
  if (method === "DELETE") return deleteBlob(stub, key, headers["if-match"]);
  const described = {
    ...(found.headers as Record<string, string>),
    etag: found.etag,
    "content-length": String(found.body.length),
    "last-modified": dateOf(found),
    "x-ms-blob-type": "BlockBlob",
  };
  return { status: 200, headers: described, ...(method === "GET" && { body: found.body }) };
}

function deleteBlob({ objects, removed }: BucketStub, key: string, ifMatch?: string): StubAnswer {
  const found = objects.get(key);
  if (!found) return azureError(404, "BlobNotFound");
  if (ifMatch !== undefined && ifMatch !== found.etag) return azureError(412, "ConditionNotMet");
  objects.delete(key);
  removed.push(key);
  return { status: 202 };
}

let writes = 0;

/** Writes a blob as a whole, or of blocks that were sent before. */
function putBlob(stub: BucketStub, { key, query, headers }: StubRequest, body: Buffer): StubAnswer {
  const there = stub.objects.get(key)?.etag;
  if (headers["if-none-match"] === "*" && there !== undefined) return azureError(409, "BlobAlreadyExists");
  const wanted = headers["if-match"];
  if (wanted !== undefined && wanted !== there) return azureError(412, "ConditionNotMet");
  let content = body;
  if (query.get("comp") === "blocklist") {
    const blocks = stub.uploads.get(key)?.blocks;
    const ids = [...body.toString().matchAll(/<Latest>([^<]*)<\/Latest>/g)].map(([, id = ""]) => id);
    const parts = ids.map((id) => blocks?.get(id));
    if (parts.includes(undefined)) return azureError(400, "InvalidBlockList");
    content = Buffer.concat(parts.filter((part) => part !== undefined));
  } else if (!hasItsMd5(headers, body)) return azureError(400, "Md5Mismatch");
  const set = Object.entries(SET_BY).flatMap(([name, by]) =>
    headers[by] === undefined ? [] : [[name, headers[by]] as const],
  );
  const metadata = Object.entries(headers).filter(([name]) => name.startsWith("x-ms-meta-"));
  stub.put(key, content, Object.fromEntries([...set, ...metadata]));
  const etag = `"0x${(++writes).toString(16).toUpperCase()}"`;
  const put = stub.objects.get(key);
  if (put) stub.objects.set(key, { ...put, etag });
  stub.uploads.delete(key);
  return { status: 201, headers: { etag, "last-modified": new Date().toUTCString() } };
}

function stageBlock(stub: BucketStub, { key, query, headers }: StubRequest, body: Buffer): StubAnswer {
  if (!hasItsMd5(headers, body)) return azureError(400, "Md5Mismatch");
  const begun: StubUpload = { key, headers, startedAt: new Date(), parts: new Map() };
  const upload = stub.uploads.get(key) ?? begun;
  const blocks = new Map(upload.blocks).set(query.get("blockid") ?? "", body);
  stub.uploads.set(key, { ...upload, blocks });
  return { status: 201 };
}

function hasItsMd5(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const md5 = headers["content-md5"];
  return md5 === undefined || md5 === createHash("md5").update(body).digest("base64");
}

const dateOf = ({ modifiedAt = new Date() }: StubObject): string => modifiedAt.toUTCString();
const toXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function listXml({ objects, uploads }: BucketStub, query: URLSearchParams): string {
  const prefix = query.get("prefix") ?? "";
  const has = (what: string): boolean => (query.get("include") ?? "").split(",").includes(what);
  const uncommitted = has("uncommittedblobs") ? [...uploads.keys()].filter((key) => !objects.has(key)) : [];
  const keys = [...objects.keys(), ...uncommitted].filter((key) => key.startsWith(prefix)).sort();
  const start = Number(query.get("marker") ?? 0);
  const end = start + Number(query.get("maxresults") ?? 5_000);
  const blobs = keys.slice(start, end).map((key) => {
    const object = objects.get(key);
    const described = object
      ? `<Last-Modified>${dateOf(object)}</Last-Modified><Etag>${object.etag.replaceAll('"', "")}</Etag>` +
        `<Content-Length>${object.body.length}</Content-Length>` +
        `<Content-Type>${toXml(object.headers["content-type"] ?? "")}</Content-Type>`
      : `<Last-Modified>${uploads.get(key)?.startedAt.toUTCString()}</Last-Modified><Content-Length>0</Content-Length>`;
    return `<Blob><Name>${toXml(key)}</Name><Properties>${described}<BlobType>BlockBlob</BlobType></Properties></Blob>`;
  });
  const next = end < keys.length ? String(end) : "";
  return (
    `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ContainerName="${STUB_BUCKET}">` +
    `<Blobs>${blobs.join("")}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`
  );
}

/** See https://learn.microsoft.com/rest/api/storageservices/blob-batch */
function batch(stub: BucketStub, headers: IncomingHttpHeaders, body: Buffer): StubAnswer {
  const [, boundary = ""] = /boundary=([^;]+)/.exec(headers["content-type"] ?? "") ?? [];
  const requests = body.toString().split(`--${boundary}`).slice(1, -1);
  if (requests.length > 256) return azureError(400, "InvalidInput");
  const parts = requests.map((each) => {
    const [, id = ""] = /content-id: *(\d+)/i.exec(each) ?? [];
    const [, path = ""] = /DELETE (\S+) HTTP/.exec(each) ?? [];
    const { pathname } = new URL(path, "http://stub");
    const key = decodeURIComponent(pathname).replace(/^(?:\/docsaccount)?\/docs\//, "");
    const { status, headers: said = {}, body: text = "" } = deleteBlob(stub, key);
    const lines = Object.entries({ ...VERSION, ...said }).map(([name, value]) => `${name}: ${value}\r\n`);
    return (
      `--batchresponse_0\r\nContent-Type: application/http\r\nContent-ID: ${id}\r\n\r\n` +
      `HTTP/1.1 ${status} ${status === 202 ? "Accepted" : "Failed"}\r\n${lines.join("")}\r\n${String(text)}\r\n`
    );
  });
  return {
    status: 202,
    headers: { "content-type": "multipart/mixed; boundary=batchresponse_0" },
    body: `${parts.join("")}--batchresponse_0--`,
  };
}
