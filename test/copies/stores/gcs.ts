import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { freePort } from "../../programs/freePort.ts";
import { startServer } from "../server.ts";
import { type Answers, startSpoilingProxy } from "./spoilingProxy.ts";
import type { BucketStore, SeenHeaders, SeenRequest, StoreKind } from "./store.ts";

const BUCKET = "docs";
const OBJECTS = `/storage/v1/b/${BUCKET}/o`;

/** A service account that only this run has: its key signs links. */
const folder = mkdtempSync(join(tmpdir(), "service-account-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const account = join(folder, "account.json");
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
writeFileSync(
  account,
  JSON.stringify({
    type: "service_account",
    client_email: "docs@tests.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  }),
);

/** fake-gcs-server, which asks for no credentials. */
export const gcs: StoreKind = {
  name: "gcs",
  environment: {
    GOOGLE_APPLICATION_CREDENTIALS: account,
    CLOUDSDK_CONFIG: "/dev/null/nowhere",
    METADATA_SERVER_DETECTION: "none",
  },
  secret: "GOOGLE_APPLICATION_CREDENTIALS",
  compareMethods: ["GET", "GET"],
  checksum: { whole: /^[\w+/]{22}==$/, parts: /^[\w+/]{22}==$/ },
  hidesUploads: true,
  isOpen: true,
  hasKeysBesideFolders: true,
  removesLists: false,
  refusals: [
    { name: "no such bucket", place: { gcsBucket: "nowhere" }, message: /^there is no bucket nowhere/ },
    {
      name: "no credentials",
      place: { endpoint: "https://storage.example" },
      environment: { GOOGLE_APPLICATION_CREDENTIALS: undefined },
      message: /^no credentials for the bucket docs were found/,
    },
    {
      name: "a file of credentials that does not exist",
      place: { endpoint: "https://storage.example" },
      environment: { GOOGLE_APPLICATION_CREDENTIALS: "/nowhere/account.json" },
      message: /^no credentials for the bucket docs were found or accepted: .*\/nowhere\/account.json/,
    },
  ],
  start: startGcs,
};

async function startGcs(
  context: Pick<TestContext, "onTestFinished">,
  host = "127.0.0.1",
): Promise<BucketStore> {
  const port = await freePort();
  const server = await startServer(
    process.env["FAKE_GCS"] ?? "fake-gcs-server",
    ["-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", String(port)],
    {},
    /server started/,
  );
  context.onTestFinished(() => server.stop());
  const inside = `http://127.0.0.1:${port}`;
  const answer = (status: number, reason: string): Answers["denied"] => ({
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ error: { code: status, message: "Said so.", errors: [{ reason }] } }),
  });
  const answers = { slowDown: answer(503, "backendError"), denied: answer(403, "forbidden") };
  const sessions = new Map<string, { name: string; range: string | undefined; isWhole: boolean }>();
  const sessionOf = ({ query }: SeenRequest) => sessions.get(query.get("upload_id") ?? "");
  const proxy = await startSpoilingProxy(context, { port }, `${OBJECTS}/`, answers, host, {
    sent: ({ method, query }) =>
      query.has("uploadType") && (method === "PUT" || query.get("uploadType") === "multipart")
        ? (query.get("name") ?? undefined)
        : undefined,
    contentAt(bytes) {
      if (!bytes.subarray(0, 2).equals(Buffer.from("--"))) return bytes[0] === 0x7b ? undefined : 0;
      return bytes.indexOf("\r\n\r\n", bytes.indexOf("\r\n\r\n") + 4) + 4;
    },
    // the store takes the question what it has of an upload for its end
    answer(request, outgoing) {
      const session = sessionOf(request);
      if (!request.headers["content-range"]?.startsWith("bytes */") || session === undefined) return false;
      const { name, range, isWhole } = session;
      const describe = async (): Promise<void> => {
        const found = await fetch(`${inside}${OBJECTS}/${encodeURIComponent(name)}`);
        outgoing.writeHead(200, { "content-type": "application/json" }).end(await found.text());
      };
      if (isWhole) void describe();
      else outgoing.writeHead(308, range === undefined ? {} : { range }).end();
      return true;
    },
    answered(request, { statusCode, headers }) {
      const begun = URL.parse(headers.location ?? "")?.searchParams;
      const id = begun?.get("upload_id") ?? request.query.get("upload_id") ?? "";
      const name = begun?.get("name") ?? sessions.get(id)?.name ?? "";
      sessions.set(id, { name, range: headers.range, isWhole: begun === undefined && statusCode === 200 });
    },
  });
  const { origin: endpoint } = proxy;
  // the host of addresses without a signature
  await fetch(`${inside}/_internal/config`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ publicHost: new URL(endpoint).host }),
  });
  const sent = async (path: string, body: string | Buffer, headers: Record<string, string> = {}) => {
    const answer = await fetch(path.startsWith("http") ? path : inside + path, {
      method: path.includes("upload_id") ? "PUT" : "POST",
      body: new Uint8Array(Buffer.from(body)),
      headers: { "content-type": "application/json", ...headers },
    });
    await answer.arrayBuffer();
    return answer;
  };
  await sent("/storage/v1/b", JSON.stringify({ name: BUCKET }));
  const uploads = `/upload/storage/v1/b/${BUCKET}/o`;
  return Object.assign(proxy, {
    endpoint,
    place: { gcsBucket: BUCKET, endpoint },
    uri: `gs://${BUCKET}`,
    address: `${endpoint}/${BUCKET}`,
    async put(key: string, content: string) {
      await sent(`${uploads}?uploadType=media&name=${encodeURIComponent(key)}`, content);
    },
    async remove(key: string) {
      await fetch(`${inside}${OBJECTS}/${encodeURIComponent(key)}`, { method: "DELETE" });
    },
    async setHeaders(key: string, headers: SeenHeaders) {
      const answer = await fetch(`${inside}${OBJECTS}/${encodeURIComponent(key)}`, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(headers),
      });
      await answer.arrayBuffer();
    },
    async read(key: string) {
      const address = `${inside}${OBJECTS}/${encodeURIComponent(key)}`;
      const { metadata, md5Hash, ...headers } = (await (await fetch(address)).json()) as SeenHeaders & {
        metadata: Record<string, string>;
        md5Hash: string;
      };
      const content = Buffer.from(await (await fetch(`${address}?alt=media`)).arrayBuffer());
      return { ...headers, content, metadata, checksum: md5Hash };
    },
    async keys(prefix = "") {
      const answer = await fetch(`${inside}${OBJECTS}?prefix=${encodeURIComponent(prefix)}`);
      const { items = [] } = (await answer.json()) as { items?: { name: string }[] };
      return items.map(({ name }) => name).sort();
    },
    openUploads: () => Promise.resolve([]),
    async leaveUpload(key: string, parts: readonly Buffer[], sha256?: string) {
      const begun = await sent(
        `${uploads}?uploadType=resumable&name=${encodeURIComponent(key)}`,
        JSON.stringify({ name: key, metadata: { sha256 } }),
      );
      let at = 0;
      for (const part of parts) {
        const range = `bytes ${at}-${(at += part.length) - 1}/*`;
        await sent(begun.headers.get("location") ?? "", part, { "content-range": range });
      }
    },
  });
}
