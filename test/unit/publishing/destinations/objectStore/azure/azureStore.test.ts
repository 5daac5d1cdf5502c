// What Azure answers on bad days, and what only an account of Azure has: canned answers of a server. `test/copies` has the good days.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, describe, expect, test, type TestContext, vi } from "vitest";
import type { Clock } from "../../../../../../provider/base/runtime/time/clock.ts";
import { openAzure } from "../../../../../../provider/publishing/destinations/objectStore/azure/azureStore.ts";
import type { ObjectStore } from "../../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import { StoreError } from "../../../../../../provider/publishing/destinations/objectStore/storeError.ts";
import { stubOperation } from "../../../../../simulation/bucketStub.ts";
import { FasterClock } from "../../../../../simulation/fasterClock.ts";
import { KEY, PLACE } from "./azureAccount.ts";

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What a request gets; below the container. */
type Rule = (method: string, path: string, headers: IncomingHttpHeaders) => Answer;

async function open(
  context: TestContext,
  rule: Rule,
  clock?: Clock,
): Promise<{ store: ObjectStore; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const path = url.replace("/docs/site", "");
    requests.push(`${method} ${path}`);
    request.resume().on("end", () => {
      const { status, code, headers: more, body } = rule(method, path, headers);
      response.writeHead(status, {
        "content-type": "application/xml",
        ...(code !== undefined && { "x-ms-error-code": code }),
        ...more,
      });
      const error = `<Error><Code>${code ?? ""}</Code><Message>Said so.</Message></Error>`;
      response.end(method === "HEAD" ? undefined : (body ?? (status < 300 ? undefined : error)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`;
  const operation = { ...(await stubOperation(context)), ...(clock && { clock }) };
  return { store: await openAzure({ ...PLACE, endpoint }, operation), requests };
}

beforeEach(() => {
  for (const name of ["AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_SAS_TOKEN"]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("AZURE_STORAGE_KEY", KEY);
});

const object = {
  key: "v/a",
  size: 1,
  sha256: "0".repeat(64),
  headers: { contentType: "a/b", cacheControl: "c" },
};

test.for([
  [404, "ContainerNotFound", "noBucket", /^there is no container site in the storage account docs/],
  [409, "ContainerBeingDeleted", "noBucket", /^there is no container site/],
  [403, "AuthenticationFailed", "credentials", /^the storage account docs does not accept the key/],
  [403, "KeyBasedAuthenticationNotPermitted", "credentials", /does not permit keys/],
  [409, "PublicAccessNotPermitted", "credentials", /does not accept the key/],
  [403, "AuthorizationFailure", "denied", /The network rules of the account docs exclude this machine/],
  [403, "AuthorizationPermissionMismatch", "denied", /^write on .*\/site\/v\/a is not allowed/],
  [403, "InsufficientAccountPermissions", "denied", /^write on .* is not allowed/],
  [409, "BlobAlreadyExists", "conflict", /was written by somebody else/],
  [412, "ConditionNotMet", "conflict", /was written by somebody else/],
  [412, "LeaseIdMissing", "denied", /has a lease of somebody else/],
  [409, "BlobImmutableDueToPolicy", "denied", /is protected by an immutability policy/],
  [409, "BlobArchived", "denied", /is in the archive tier/],
  [400, "Md5Mismatch", "corrupted", /differs from the data that was sent/],
  [
    400,
    "InvalidHeaderValue",
    "unsupported",
    /does not accept a header of the Azure SDK.*--skipApiVersionCheck/,
  ],
  [418, "Teapot", "other", /failed with status 418 \(Teapot\): Said so\./],
] as const)("the answer %d %s is the failure «%s»", async ([status, code, failure, message], context) => {
  const { store } = await open(context, () => ({ status, code }));
  const error = await store
    .send(object, Buffer.from("x"), { onlyIf: "absent" })
    .catch((reason: unknown) => reason);
  if (!(error instanceof StoreError)) expect.fail("it was not refused");
  expect([error.failure, `${error.message}. ${error.remedy}`]).toEqual([
    failure,
    expect.stringMatching(message),
  ]);
  expect(JSON.stringify(error)).not.toContain("c4n4ry");
});

test.for([
  [503, "ServerBusy", "busy"],
  [429, "TooManyRequests", "busy"],
  [500, "InternalError", "other"],
] as const)(
  "a request is repeated after %d, by what Retry-After says, and not for ever",
  async ([status, code, failure], context) => {
    let refusals = 2;
    const clock = new FasterClock(50);
    const answer = (): Answer =>
      refusals-- > 0 ? { status, code, headers: { "retry-after": "7" } } : { status: 201 };
    const { store, requests } = await open(context, answer, clock);
    const startedAt = clock.monotonic();
    await store.send(object, Buffer.from("x"));
    expect(clock.monotonic() - startedAt).toBeGreaterThan(13_990);
    refusals = Infinity;
    await expect(store.send(object, Buffer.from("x"))).rejects.toMatchObject({ failure });
    expect(requests).toHaveLength(3 + 8);
  },
);

test("a HEAD without a reason is explained by the clock of the service, if that differs", async (context) => {
  const { store } = await open(context, () => ({
    status: 403,
    code: "AuthenticationFailed",
    headers: { date: new Date(Date.now() - 3_600_000).toUTCString() },
  }));
  await expect(store.head("v/a")).rejects.toMatchObject({ failure: "clock" });
});

test("a write for which no blob may exist says so to the service", async (context) => {
  let sent: IncomingHttpHeaders = {};
  const { store } = await open(context, (_method, _path, headers) => {
    sent = headers;
    return { status: 201 };
  });
  await store.send(object, Buffer.from("x"), { onlyIf: "absent" });
  expect(sent).toMatchObject({ "if-none-match": "*" });
});

test("the revision of a blob is known from what it is read with and from what it is sent with", async (context) => {
  const headers = { etag: '"0x1"' };
  const { store } = await open(context, (method) =>
    method === "GET"
      ? { status: 200, headers: { ...headers, "content-length": "1" }, body: "x" }
      : { status: 201, headers },
  );
  const found: unknown[] = [];
  const large = Buffer.alloc(9 * 1024 * 1024);
  const onStored = (revision: string): void => void found.push(revision);
  await store.send(object, Buffer.from("x"), { onStored });
  await store.send({ ...object, size: large.length }, large, { onStored });
  await store.read("v/a", (_, revision) => Promise.resolve(found.push(revision)));
  expect(found).toEqual(Array(3).fill("0x1"));
});

test("snapshots, which soft delete and versions leave, are removed with their blob", async (context) => {
  const seen: IncomingHttpHeaders[] = [];
  const { store } = await open(context, (method, _path, headers) => {
    if (method === "DELETE") seen.push(headers);
    return { status: 202 };
  });
  await store.remove(["v/a"]);
  expect(seen[0]?.["x-ms-delete-snapshots"]).toBe("include");
});

const blob = (name: string, more = ""): string =>
  `<Blob><Name>${name}</Name><Properties><Etag>0x1</Etag><Last-Modified>Thu, 26 Nov 2026 08:00:00 GMT</Last-Modified>` +
  `<Content-Length>0</Content-Length><Content-Type>a/b</Content-Type></Properties>${more}</Blob>`;

const listOf = (...blobs: string[]): Answer => ({
  status: 200,
  body: `<?xml version="1.0"?><EnumerationResults><Blobs>${blobs.join("")}</Blobs><NextMarker/></EnumerationResults>`,
});

test("in a hierarchical namespace, folders are no objects, and go when they are empty", async (context) => {
  const folder = "<Metadata><hdi_isfolder>true</hdi_isfolder></Metadata>";
  const { store, requests } = await open(context, (method, path) => {
    if (path.includes("comp=list")) return listOf(blob("v/guide", folder), blob("v/guide/a"));
    if (path.includes("restype=account")) return { status: 200, headers: { "x-ms-is-hns-enabled": "true" } };
    return path === "/v" && method === "DELETE"
      ? { status: 409, code: "DirectoryIsNotEmpty" }
      : { status: 202 };
  });
  expect(await store.hasKeysBesideFolders()).toBe(false);
  const found: string[] = [];
  await store.list("v/", ({ key }) => found.push(key));
  expect(found).toEqual(["v/guide/a"]);
  const before = requests.length;
  await store.remove(["v/guide/a"]);
  expect(requests.slice(before)).toEqual(["DELETE /v/guide/a", "DELETE /v/guide", "DELETE /v"]);
});

describe("blocks that a killed run left", () => {
  test("are discarded by an empty blob, which is removed at once and never counts as an object", async (context) => {
    let isDiscarded = false;
    const { store, requests } = await open(context, (method, path) => {
      if (path.includes("comp=list")) return listOf(blob("v/a"));
      if (path.includes("comp=blocklist")) isDiscarded = true;
      if (path.includes("comp=blocklist")) return { status: 201, headers: { etag: '"0x2"' } };
      if (method === "DELETE") return { status: 403, code: "AuthorizationFailure" };
      return isDiscarded
        ? {
            status: 200,
            headers: {
              "content-type": "application/x-docs-hosting-discarded",
              "content-length": "0",
              etag: '"0x2"',
            },
          }
        : { status: 404, code: "BlobNotFound" };
    });
    const [upload] = await store.unfinishedUploads("v/");
    expect(upload).toMatchObject({ key: "v/a", startedAtMs: Date.parse("2026-11-26T08:00:00Z") });
    await Promise.allSettled([upload?.abort()]);
    expect(requests).toContain("PUT /v/a?comp=blocklist");
    expect(await store.head("v/a")).toBeUndefined();
    expect(await store.read("v/a", () => Promise.resolve("read"))).toBeUndefined();
  });
});

test("a blob in the archive tier is listed with it, others without", async (context) => {
  const blob = (name: string, tier: string): string =>
    `<Blob><Name>${name}</Name><Properties><Last-Modified>Mon, 23 Nov 2026 00:00:00 GMT</Last-Modified><Etag>0x1</Etag><Content-Length>1</Content-Length><BlobType>BlockBlob</BlobType><AccessTier>${tier}</AccessTier></Properties></Blob>`;
  const body = `<?xml version="1.0"?><EnumerationResults><Blobs>${blob("v/a", "Archive")}${blob("v/b", "Cool")}</Blobs><NextMarker/></EnumerationResults>`;
  const { store } = await open(context, () => ({ status: 200, body }));
  const listed: unknown[] = [];
  await store.list("v/", ({ key, archiveTier }) => listed.push([key, archiveTier]));
  expect(listed).toEqual([
    ["v/a", "Archive"],
    ["v/b", undefined],
  ]);
});
