import { randomUUID } from "node:crypto";
import type { HttpReply } from "../../../../base/http/attempt";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import { redact } from "../../../../base/runtime/messages/plainText";
import { sentParameters } from "../inputs";
import { md5Hash } from "../md5";
import { DIGEST_NAME, type NewObject, type ObjectContent, type SendOptions } from "../objectStore";
import { StoreError } from "../storeError";
import { uploadPartsOf, wholeOf } from "../uploadParts";
import type { GcsClient, GcsRequest } from "./client";
import { corruptedFailure } from "./failure";
import type { GcsInputs } from "./inputs";
import { type JsonFields, jsonFieldsOf, textField } from "./replyText";

/** What is sent with one request, in bytes; the pieces of a session must be multiples of 256 KiB. */
const PIECE_SIZE = 8 * 1024 * 1024;
/** How often an upload begins again when the store forgot its session. */
const SESSIONS = 3;
/** How often in a row a piece may be sent without any of its bytes stored. */
const MOST_STALLS = 6;
/** The part of a body that is sent at once: between two of them, the limits of a silent connection begin again. */
const SLICE_SIZE = 64 * 1024;
/** «Resume Incomplete»: the session needs more. */
const INCOMPLETE = 308;

/** Where the destination is. */
type GcsPlace = "gcsBucket" | "prefix" | "endpoint";

/**
 * Sends an object: a small one with one request, a large one in a session. A session that does not end is not an object: the store
 * forgets it after a week, and does not bill it.
 *
 * The store compares the content with the checksum that is sent before it. The reply is compared, too: stores that only speak its
 * protocol may not do so.
 *
 * @throws StoreError; the error of the content; the signal's reason
 */
export async function sendGcsObject(
  client: GcsClient,
  object: NewObject,
  content: ObjectContent,
  { onlyIf, onProgress, onStored, onProtected }: SendOptions = {},
): Promise<void> {
  const { key, size, sha256, headers } = object;
  const whole = size > PIECE_SIZE ? undefined : await wholeOf(content);
  const checksum = await checksumOf(client, whole ?? content);
  const upload: NewUpload = {
    client,
    object,
    onProgress,
    description: JSON.stringify({
      name: key,
      ...headers,
      ...checksum,
      ...sentParameters<GcsInputs, GcsPlace, JsonFields>(client.inputs, {}),
      metadata: { [DIGEST_NAME]: sha256 },
    }),
    query: { ifGenerationMatch: onlyIf && "0", fields: STORED, name: key },
  };
  const stored = await (whole === undefined ? sendPieces(upload, content) : sendWhole(upload, whole));
  const isSame = Object.entries(checksum).every(([name, value]) => stored[name] === value);
  const { generation } = stored as { generation?: string };
  if (generation === undefined) throw client.notAnswered({ action: "storage.objects.create", key });
  const protection = protectionOf(stored);
  if (protection !== undefined) onProtected?.(protection);
  if (isSame && Number(stored["size"]) === size) return onStored?.(generation);
  const url = client.object(key, { generation });
  const request = { action: "storage.objects.delete", key, method: "DELETE", url } as const;
  const removal = client.send(request, (reply) => reply.beginning(0));
  const isRemoved = await removal.then(Boolean, () => false);
  client.context.signal.throwIfAborted();
  throw corruptedFailure(client.inputs, key, isRemoved ? "" : ", and could not be removed");
}

/** What the reply to an upload is to have. */
const STORED = "generation,size,md5Hash,crc32c,retentionExpirationTime,eventBasedHold,temporaryHold";

/** What protects an object, see https://cloud.google.com/storage/docs/json_api/v1/objects */
function protectionOf({
  retentionExpirationTime: end,
  eventBasedHold,
  temporaryHold,
}: JsonFields): string | undefined {
  if (typeof end === "string") return `a retention policy (until ${redact(end, 40)})`;
  if (eventBasedHold === true) return "an event-based hold";
  return temporaryHold === true ? "a temporary hold" : undefined;
}

interface NewUpload {
  readonly client: GcsClient;
  readonly object: NewObject;
  readonly description: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly onProgress: SendOptions["onProgress"];
}

/** MD5 of content, or its CRC32C where MD5 is switched off (FIPS): as a description has it. */
async function checksumOf(
  { sdk }: GcsClient,
  content: ObjectContent,
): Promise<Readonly<Record<string, string>>> {
  const md5 = md5Hash();
  const crc32c = new sdk.CRC32C();
  for await (const bytes of Buffer.isBuffer(content) ? [content] : content()) {
    if (md5) md5.update(bytes);
    else crc32c.update(Buffer.from(bytes));
  }
  return md5 ? { md5Hash: md5.digest("base64") } : { crc32c: crc32c.toString() };
}

/** See https://cloud.google.com/storage/docs/uploading-objects, «Single-request uploads». */
async function sendWhole(upload: NewUpload, content: Buffer): Promise<JsonFields> {
  const { client, object, query, onProgress } = upload;
  const boundary = randomUUID();
  const body = Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${upload.description}\r\n` +
        `--${boundary}\r\ncontent-type: ${object.headers.contentType}\r\n\r\n`,
    ),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const stored = await client.json({
    action: "storage.objects.create",
    key: object.key,
    isOfBucket: true,
    method: "POST",
    url: client.upload({ ...query, uploadType: "multipart" }),
    headers: {
      "content-type": `multipart/related; boundary=${boundary}`,
      "content-length": String(body.length),
    },
    body: () => (body.length > SLICE_SIZE ? slicesOf(body) : body),
  });
  onProgress?.(object.size);
  return stored;
}

/** See https://cloud.google.com/storage/docs/performing-resumable-uploads */
async function sendPieces(upload: NewUpload, content: ObjectContent): Promise<JsonFields> {
  for (let sessions = 1; ; sessions++) {
    try {
      return await sendSession(upload, await beginSession(upload), content);
    } catch (error) {
      const isForgotten = error instanceof StoreError && error.failure === "missing";
      if (!isForgotten || sessions === SESSIONS) throw error;
    }
  }
}

/** @returns the session's address */
async function beginSession(upload: NewUpload): Promise<URL> {
  const { client, object, query } = upload;
  const { key, size, headers } = object;
  const description = Buffer.from(upload.description);
  const request: GcsRequest = {
    action: "storage.objects.create",
    key,
    isOfBucket: true,
    method: "POST",
    url: client.upload({ ...query, uploadType: "resumable" }),
    headers: {
      "content-type": "application/json; charset=utf-8",
      "x-upload-content-type": headers.contentType,
      "x-upload-content-length": String(size),
    },
    body: () => description,
  };
  const location = await client.send(request, async (reply) => {
    await reply.beginning(0);
    return reply.headers.get("location");
  });
  const url = location === null ? null : URL.parse(location, client.endpoint);
  if (url?.origin !== new URL(client.endpoint).origin) {
    throw new DestinationError(
      `the store of ${client.uri} began an upload without an address of its own to continue at`,
      "It does not implement the protocol of Cloud Storage as Google does; a proxy before it must keep the header Host.",
    );
  }
  client.context.secrets.addLink(url.href); // who has it can write the object
  return url;
}

/** How far a session is: the bytes that the store has from the beginning, or the object. */
type Progress = { readonly bytes: number } | { readonly stored: JsonFields };

async function sendSession(
  { client, object: { key, size }, onProgress }: NewUpload,
  session: URL,
  content: ObjectContent,
): Promise<JsonFields> {
  const requestOf = (range: string, body: Buffer): GcsRequest => ({
    action: "storage.objects.create",
    key,
    method: "PUT",
    url: session,
    accepted: [INCOMPLETE],
    headers: { "content-range": `bytes ${range}/${size}`, "content-length": String(body.length) },
    body: () => slicesOf(body),
  });
  let start = 0;
  for await (const piece of uploadPartsOf(content, PIECE_SIZE)) {
    let at = start;
    for (let stalls = 0; at < start + piece.length;) {
      const rest = piece.subarray(at - start);
      const sent = requestOf(`${at}-${at + rest.length - 1}`, rest);
      // after a failure, the store says what it has
      const progress = await client.send(sent, readProgress, requestOf("*", Buffer.alloc(0)), stalls);
      if ("stored" in progress) return progress.stored;
      stalls = progress.bytes > at ? 0 : stalls + 1;
      if (progress.bytes < start || progress.bytes > at + rest.length || stalls > MOST_STALLS) {
        throw lost(client, key);
      }
      at = progress.bytes;
      onProgress?.(at);
    }
    start += piece.length;
  }
  throw lost(client, key);
}

async function readProgress(reply: HttpReply): Promise<Progress> {
  const text = await textField(reply, SLICE_SIZE);
  if (reply.status !== INCOMPLETE) return { stored: jsonFieldsOf(text) };
  const [, last] = /^bytes[ =]0-(\d+)$/.exec(reply.headers.get("range") ?? "") ?? [];
  return { bytes: last === undefined ? 0 : Number(last) + 1 };
}

function lost({ uri }: GcsClient, key: string): StoreError {
  return new StoreError(
    `the upload of ${uri}/${key} did not proceed: the store lost what it had received`,
    "Run `pulumi up` again.",
    { failure: "other", code: "upload" },
  );
}

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_SIZE) {
    yield await Promise.resolve(bytes.subarray(at, at + SLICE_SIZE));
  }
}
