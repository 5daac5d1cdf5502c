// What Azure answers on bad days, and what only an account of Azure has: canned answers of a server. `test/copies` has the good days.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import * as blobs from "@azure/storage-blob";
import { beforeEach, describe, expect, test, type TestContext, vi } from "vitest";
import { Secrets } from "../../../../../../provider/base/runtime/messages/secrets.ts";
import type { Clock } from "../../../../../../provider/base/runtime/time/clock.ts";
import { openAzure } from "../../../../../../provider/publishing/destinations/objectStore/azure/azureStore.ts";
import { containerClient } from "../../../../../../provider/publishing/destinations/objectStore/azure/client.ts";
import {
  type Access,
  findAccess,
} from "../../../../../../provider/publishing/destinations/objectStore/azure/credentials.ts";
import { azureFailure } from "../../../../../../provider/publishing/destinations/objectStore/azure/failure.ts";
import { blobLink } from "../../../../../../provider/publishing/destinations/objectStore/azure/link.ts";
import {
  loadIdentity,
  verifyAzureSdk,
} from "../../../../../../provider/publishing/destinations/objectStore/azure/sdk.ts";
import type { ObjectStore } from "../../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import { StoreError } from "../../../../../../provider/publishing/destinations/objectStore/storeError.ts";
import { stubOperation } from "../../../../../simulation/bucketStub.ts";
import { FasterClock } from "../../../../../simulation/fasterClock.ts";

const PLACE = { azureContainer: "site", storageAccount: "docs" };
const KEY = Buffer.from("c4n4ry-key-of-an-account").toString("base64");
const SAS = "sv=2022-11-02&sp=rcwdl&se=2026-01-01T00:00:00Z&sig=c4n4rySignature";

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

describe("a link", () => {
  const NOW_MS = Date.parse("2026-01-02T03:04:05.678Z");
  const LIFE_MS = 7 * 24 * 3_600_000;

  async function linked(context: TestContext, access: Access): Promise<{ url: URL; expiresAtMs?: number }> {
    const operation = await stubOperation(context);
    operation.clock.wallMs = NOW_MS;
    const client = containerClient(PLACE, blobs, access, operation);
    const link = await blobLink(client, "a b", LIFE_MS);
    expect(operation.secrets.removeFrom(link.url)).not.toContain(new URL(link.url).searchParams.get("sig"));
    return { ...link, url: new URL(link.url) };
  }

  test("is signed with the account's key where there is one", async (context) => {
    const credential = new blobs.StorageSharedKeyCredential("docs", KEY);
    const { url, expiresAtMs } = await linked(context, { kind: "key", credential });
    expect(url.origin + url.pathname).toBe("https://docs.blob.core.windows.net/site/a%20b");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ sp: "r", spr: "https", sr: "b" });
    expect(expiresAtMs).toBe(Date.parse("2026-01-09T03:04:05Z"));
  });

  test("is signed with a key of the service for an identity, which lives seven days at most", async (context) => {
    const [start, end] = [new Date("2026-01-02T02:59:05Z"), new Date("2026-01-09T02:59:05Z")];
    const key = {
      signedStartsOn: start,
      signedExpiresOn: end,
      signedObjectId: "o",
      signedTenantId: "t",
      signedService: "b",
      signedVersion: "2022-11-02",
      value: KEY,
    };
    const asked = vi
      .spyOn(blobs.BlobServiceClient.prototype, "getUserDelegationKey")
      .mockResolvedValue(key as unknown as blobs.ServiceGetUserDelegationKeyResponse);
    context.onTestFinished(() => asked.mockRestore());
    const credential = { getToken: () => Promise.resolve({ token: "t", expiresOnTimestamp: 0 }) };
    const { url, expiresAtMs } = await linked(context, { kind: "identity", credential });
    expect(asked.mock.calls[0]?.slice(0, 2)).toEqual([start, end]);
    expect([url.searchParams.get("se"), expiresAtMs]).toEqual(["2026-01-09T02:59:05Z", end.getTime()]);
  });

  test("cannot be signed with a token", async (context) => {
    await expect(linked(context, { kind: "sas", token: SAS })).rejects.toThrow(
      /^a SAS token cannot sign a link/,
    );
  });
});

describe("credentials", () => {
  const failed = (access: Access, error: object): string => {
    const about = { action: "sign", inputs: PLACE, access, nowMs: Date.now() } as const;
    const { message, remedy } = azureFailure(error, about);
    return `${message}. ${remedy}`;
  };
  const identity = { kind: "identity", credential: { getToken: () => Promise.resolve(null) } } as const;

  test.for<[Record<string, string>, RegExp]>([
    [{ AZURE_STORAGE_CONNECTION_STRING: "AccountName=docs" }, /has neither an AccountKey nor a/],
    [
      { AZURE_STORAGE_CONNECTION_STRING: `AccountName=other;AccountKey=${KEY}` },
      /of the storage account other/,
    ],
    [
      {
        AZURE_STORAGE_CONNECTION_STRING: `AccountName=docs;AccountKey=${KEY};EndpointSuffix=core.chinacloudapi.cn`,
      },
      /is of another address than https:\/\/docs\.blob\.core\.windows\.net/,
    ],
  ])(
    "a connection string that does not fit is refused before any request",
    async ([environment, message], context) => {
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
      const error = await openAzure(PLACE, await stubOperation(context)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        name: "ConfigurationError",
        message: expect.stringMatching(message) as string,
      });
      expect(JSON.stringify(error)).not.toContain(KEY);
    },
  );

  test.for([
    { AZURE_STORAGE_KEY: KEY },
    { AZURE_STORAGE_CONNECTION_STRING: `AccountName=docs;AccountKey=${KEY}` },
    { AZURE_STORAGE_SAS_TOKEN: `?${SAS}` },
  ])("of %o are secrets before the first request", async (given) => {
    const secrets = new Secrets();
    const environment = (name: string): string | undefined =>
      Object.entries(given).find(([each]) => each === name)?.[1];
    await findAccess(PLACE, { environment, secrets }, blobs);
    const text = `AccountKey=${KEY} https://docs.example.com/a?${SAS}`;
    expect(secrets.removeFrom(text)).not.toContain(
      "AZURE_STORAGE_SAS_TOKEN" in given ? "c4n4rySignature" : KEY,
    );
  });

  const accessOf = (environment: Readonly<Record<string, string>>, more: object = {}) =>
    findAccess(
      { ...PLACE, ...more },
      { environment: (name) => environment[name], secrets: new Secrets() },
      blobs,
    );

  test.for([
    ["as it is", SAS],
    ["with a question mark", `?${SAS}`],
    ["in quotes", `"${SAS}"`],
    ["in single quotes, with a question mark", `'?${SAS}'`],
    ["with blanks and an end of line around it", `  ${SAS} \n`],
    ["as a whole URL", `https://docs.blob.core.windows.net/site?${SAS}`],
    ["as a URL in quotes", `"https://docs.blob.core.windows.net/?${SAS}"`],
    ["broken into lines", SAS.replace("&se=", "\n&se=")],
    ["from the source of a page", SAS.replaceAll("&", "&amp;")],
    ["that is encoded as a whole", encodeURIComponent(SAS)],
    ["as a URL that is encoded as a whole", encodeURIComponent(`https://docs.blob.core.windows.net/?${SAS}`)],
    ["with the service's port", `https://docs.blob.core.windows.net:443/site?${SAS}`],
  ] as const)("a SAS token %s is the same token", async ([, AZURE_STORAGE_SAS_TOKEN]) => {
    const access = await accessOf({ AZURE_STORAGE_SAS_TOKEN });
    expect(access).toMatchObject({ kind: "sas" });
    if (access.kind !== "sas") return;
    expect(Object.fromEntries(new URLSearchParams(access.token))).toEqual(
      Object.fromEntries(new URLSearchParams(SAS)),
    );
  });

  test.for([
    ["decoded", "sv=1&se=2026-01-01T00:00:00Z&sig=a+b/c=="],
    ["decoded as a form, with a blank", "sv=1&se=2026-01-01T00:00:00Z&sig=a b/c=="],
    ["encoded", "sv=1&se=2026-01-01T00%3A00%3A00Z&sig=a%2Bb%2Fc%3D%3D"],
  ] as const)("a signature that was %s is sent encoded", async ([, AZURE_STORAGE_SAS_TOKEN]) => {
    expect(await accessOf({ AZURE_STORAGE_SAS_TOKEN })).toMatchObject({
      token: "sv=1&se=2026-01-01T00%3A00%3A00Z&sig=a%2Bb%2Fc%3D%3D",
    });
  });

  test.for([
    [
      "https://other.blob.core.windows.net/site?sv=1&sig=c4n4ry",
      /is a URL of other\.blob\.core\.windows\.net/,
    ],
    ["sv=1&se=c4n4ry", /is not a SAS token: it has no «sig»/],
    ["c4n4ry", /is not a SAS token/],
  ] as const)("a token that cannot be one is refused before any request: %s", async ([token, message]) => {
    const error: unknown = await accessOf({ AZURE_STORAGE_SAS_TOKEN: token }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(message) as string,
    });
    expect(JSON.stringify(error)).not.toContain("c4n4ry");
  });

  test("each destination of a program may have a connection string of its own", async () => {
    const environment = {
      AZURE_STORAGE_CONNECTION_STRING: `AccountName=docs;AccountKey=${KEY}`,
      ARCHIVE_CONNECTION: `"AccountName=archive;AccountKey=${KEY}"`,
    };
    const other = { storageAccount: "archive" };
    expect(await accessOf(environment)).toMatchObject({ kind: "key", credential: { accountName: "docs" } });
    expect(
      await accessOf(environment, { ...other, connectionStringVariable: "ARCHIVE_CONNECTION" }),
    ).toMatchObject({
      credential: { accountName: "archive" },
    });
    await expect(accessOf(environment, other)).rejects.toMatchObject({
      remedy: expect.stringContaining("`connectionStringVariable`") as string,
    });
    await expect(accessOf(environment, { ...other, connectionStringVariable: "UNSET" })).rejects.toThrow(
      /^the variable UNSET, .* is not set/,
    );
  });

  test.for([
    `accountname=docs;accountkey=${KEY}`,
    `  AccountName = docs ; AccountKey = ${KEY} ;  `,
    `DefaultEndpointsProtocol=https;\nAccountName=docs;\nAccountKey=${KEY};\nEndpointSuffix=core.windows.net\n`,
    `BlobEndpoint=https://docs.blob.core.windows.net/;AccountName=docs;AccountKey=${KEY}`,
  ])("a connection string has its key in any letter case, order and lines", async (text) => {
    expect(await accessOf({ AZURE_STORAGE_CONNECTION_STRING: text })).toMatchObject({ kind: "key" });
  });

  test("UseDevelopmentStorage=true is the account of the emulator", async () => {
    const environment = { AZURE_STORAGE_CONNECTION_STRING: "UseDevelopmentStorage=true" };
    const storageAccount = "devstoreaccount1";
    const endpoint = "http://127.0.0.1:10000/devstoreaccount1";
    expect(await accessOf(environment, { storageAccount, endpoint })).toMatchObject({
      kind: "key",
      credential: { accountName: storageAccount },
    });
    await expect(accessOf(environment, { storageAccount })).rejects.toMatchObject({
      remedy: `Give the destination the \`endpoint\` «${endpoint}».`,
    });
    await expect(accessOf(environment)).rejects.toThrow(/of the storage account devstoreaccount1/);
  });

  test("without credentials at an endpoint with http:, the variables are named before any request", async () => {
    await expect(accessOf({}, { endpoint: "http://127.0.0.1:10000/docs" })).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining("an identity is not sent to 127.0.0.1:10000 without TLS") as string,
      remedy: expect.stringMatching(
        /AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN/,
      ) as string,
    });
  });

  test("a wrong account name is a host that does not exist", () => {
    const error = { name: "RestError", code: "ENOTFOUND", message: "getaddrinfo ENOTFOUND docs" };
    expect(failed(identity, error)).toMatch(
      /^there is no host docs\.blob\.core\.windows\.net \(ENOTFOUND\)\. Correct/,
    );
  });

  test("what Azure's own tools do not find is said with all ways to give it", () => {
    const error = { name: "AggregateAuthenticationError", message: "az login" };
    expect(failed(identity, error)).toMatch(
      /^no credentials for the storage account docs .*AZURE_STORAGE_SAS_TOKEN/,
    );
  });

  test("an identity needs a role to sign, another to write; a token needs permissions", () => {
    const denied = { code: "AuthorizationPermissionMismatch", statusCode: 403, message: "" };
    expect(failed(identity, denied)).toContain("«Storage Blob Delegator»");
    expect(failed({ kind: "sas", token: "sig=x" }, denied)).toContain("(rcwdl)");
    expect(failed({ kind: "sas", token: SAS }, { ...denied, code: "AuthenticationFailed" })).toMatch(
      /^the SAS token for the storage account docs expired at 2026-01-01T00:00:00Z/,
    );
  });

  test("without the Azure SDK the error has the command that installs it", async () => {
    const code = "MODULE_NOT_FOUND";
    const missing = (): never => {
      throw Object.assign(new Error("Cannot find module"), { code });
    };
    const remedy = "Run `npm install @azure/storage-blob @azure/identity` in the project's folder.";
    expect(() => verifyAzureSdk(missing)).toThrow(expect.objectContaining({ remedy }) as Error);
    await expect(loadIdentity(() => Promise.resolve().then(missing))).rejects.toMatchObject({ remedy });
    expect(() => verifyAzureSdk()).not.toThrow();
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
