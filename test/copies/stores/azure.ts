import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BlobServiceClient, type ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob";
import { afterAll } from "vitest";
import { type Server, startServer } from "../server.ts";
import { type Answers, startSpoilingProxy } from "./spoilingProxy.ts";
import type { BucketStore, StoreKind } from "./store.ts";

export const ACCOUNT = "docstest";
export const KEY = Buffer.from("the-key-of-the-tests-which-is-64-bytes").toString("base64");

/** Azurite. */
export const azure: StoreKind = {
  name: "azure",
  environment: { AZURE_STORAGE_KEY: KEY },
  secret: "AZURE_STORAGE_KEY",
  compareMethods: ["HEAD", "GET"],
  // the service keeps no digest of blobs that were sent in blocks
  checksum: { whole: /^[\w+/]{22}==$/, parts: /^$/ },
  hasKeysBesideFolders: true,
  removesLists: true,
  refusals: [
    {
      name: "no such container",
      place: { azureContainer: "nowhere" },
      message: /^there is no container nowhere in the storage account docstest/,
    },
    {
      name: "another key",
      environment: { AZURE_STORAGE_KEY: Buffer.from("another").toString("base64") },
      // Azure says AuthenticationFailed
      message:
        /^the storage account docstest does not accept the key|\(AuthorizationFailure\).* key is of another/,
    },
    {
      name: "a connection string of another account",
      environment: { AZURE_STORAGE_CONNECTION_STRING: `AccountName=other;AccountKey=${KEY}` },
      message: /^AZURE_STORAGE_CONNECTION_STRING is of the storage account other/,
    },
    {
      name: "an expired token",
      environment: {
        AZURE_STORAGE_KEY: undefined,
        AZURE_STORAGE_SAS_TOKEN: "?sv=2022-11-02&sr=c&sp=rcwdl&se=2026-01-01T00%3A00%3A00Z&sig=c2lnbmF0dXJl",
      },
      message: /^the SAS token for the storage account docstest expired at 2026-01-01T00:00:00Z/,
    },
    {
      name: "no credentials",
      // only those of developers: a request for a machine's identity would take long
      environment: { AZURE_STORAGE_KEY: undefined, AZURE_TOKEN_CREDENTIALS: "AzureCliCredential" },
      message: /^no credentials for the storage account docstest were found|is not sent to .* without TLS/,
    },
  ],
  start: startAzure,
};

/** One for all tests of a file: it takes seconds to start. Each test has a container of its own. */
let azurite: Promise<{ server: Server; folder: string }> | undefined;
let containers = 0;
afterAll(async () => {
  const started = await azurite;
  await started?.server.stop();
  if (started) await rm(started.folder, { recursive: true, force: true });
});

/** Starts an Azurite. @param accounts default: the emulator's own account */
export async function startAzurite(
  accounts?: string,
  switches: readonly string[] = ["--skipApiVersionCheck"],
): Promise<{ server: Server; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "azurite-"));
  const program = process.env["AZURITE"] ?? "";
  const server = await startServer(
    process.execPath,
    [program, "--blobPort", "0", "--location", folder, "--silent", "--disableTelemetry", ...switches],
    accounts === undefined ? {} : { AZURITE_ACCOUNTS: accounts },
    /successfully listens on http:\/\/127\.0\.0\.1:(\d+)/,
  );
  return { server, folder };
}

/** A container of an Azurite, until the test ends. @param host address at which it is reached */
async function startAzure(
  context: Parameters<StoreKind["start"]>[0],
  host = "127.0.0.1",
): Promise<BucketStore> {
  const { server } = await (azurite ??= startAzurite(`${ACCOUNT}:${KEY}`));
  const name = `docs-${++containers}`;
  const root = `/${ACCOUNT}/${name}/`;
  const answer = (status: number, code: string): Answers["denied"] => ({
    status,
    headers: { "x-ms-error-code": code, "content-type": "application/xml" },
    body: `<Error><Code>${code}</Code><Message>Said so.</Message></Error>`,
  });
  const answers = {
    slowDown: answer(503, "ServerBusy"),
    denied: answer(403, "AuthorizationPermissionMismatch"),
  };
  const proxy = await startSpoilingProxy(context, { port: server.ready[1] }, root, answers, host);
  const endpoint = `${proxy.origin}/${ACCOUNT}`;
  const service = new BlobServiceClient(endpoint, new StorageSharedKeyCredential(ACCOUNT, KEY));
  const container = service.getContainerClient(name);
  await container.create();
  context.onTestFinished(async () => {
    const direct = `http://127.0.0.1:${server.ready[1] ?? ""}/${ACCOUNT}`;
    const credential = new StorageSharedKeyCredential(ACCOUNT, KEY);
    await new BlobServiceClient(direct, credential).deleteContainer(name);
  });
  proxy.requests.length = 0;
  const place = { azureContainer: name, storageAccount: ACCOUNT, endpoint };
  const address = `${endpoint}/${name}`;
  return Object.assign(proxy, seenBy(container), { endpoint, place, uri: address, address });
}

function seenBy(
  container: ContainerClient,
): Pick<BucketStore, "put" | "remove" | "setHeaders" | "read" | "keys" | "openUploads" | "leaveUpload"> {
  const list = async (prefix: string, includeUncommitedBlobs: boolean): Promise<string[]> => {
    const names: string[] = [];
    for await (const { name } of container.listBlobsFlat({ prefix, includeUncommitedBlobs })) {
      names.push(name);
    }
    return names.sort();
  };
  return {
    async put(key, content) {
      await container.getBlockBlobClient(key).upload(content, Buffer.byteLength(content));
    },
    async remove(key) {
      await container.getBlobClient(key).delete();
    },
    async setHeaders(key, headers) {
      const blob = container.getBlobClient(key);
      const there = await blob.getProperties();
      const { contentType = "", cacheControl = "", contentEncoding = "" } = { ...there, ...headers };
      await blob.setHTTPHeaders({
        blobContentType: contentType,
        blobCacheControl: cacheControl,
        blobContentEncoding: contentEncoding,
        blobContentDisposition: headers.contentDisposition ?? there.contentDisposition ?? "",
        ...(there.contentMD5 && { blobContentMD5: there.contentMD5 }),
      });
    },
    async read(key) {
      const blob = container.getBlockBlobClient(key);
      const { metadata, contentMD5, ...headers } = await blob.getProperties();
      const { contentType, cacheControl, contentEncoding, contentDisposition } = headers;
      return {
        content: await blob.downloadToBuffer(),
        contentType,
        cacheControl,
        contentEncoding,
        contentDisposition,
        metadata,
        checksum: contentMD5 === undefined ? "" : Buffer.from(contentMD5).toString("base64"),
      };
    },
    keys: (prefix = "") => list(prefix, false),
    async openUploads() {
      const there = await list("", false);
      return (await list("", true)).filter((name) => !there.includes(name));
    },
    async leaveUpload(key, parts) {
      const blob = container.getBlockBlobClient(key);
      const sent = parts.length === 0 ? [Buffer.from("begun")] : parts;
      for (const [at, part] of sent.entries()) {
        const id = createHash("sha256").update(`another run's ${at}`).digest("hex").slice(0, 48);
        await blob.stageBlock(Buffer.from(id).toString("base64"), part, part.length);
      }
    },
  };
}
