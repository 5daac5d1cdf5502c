// How a container is opened: credentials, links that they sign, and what is said where they are missing.
import * as blobs from "@azure/storage-blob";
import { beforeEach, describe, expect, test, type TestContext, vi } from "vitest";
import { Secrets } from "../../../../../../provider/base/runtime/messages/secrets.ts";
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
import { stubOperation } from "../../../../../simulation/bucketStub.ts";
import { KEY, PLACE } from "./azureAccount.ts";

const SAS = "sv=2022-11-02&sp=rcwdl&se=2026-01-01T00:00:00Z&sig=c4n4rySignature";

beforeEach(() => {
  for (const name of ["AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_SAS_TOKEN"]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("AZURE_STORAGE_KEY", KEY);
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
