import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { DestinationError } from "../../words/errors";
import { inParallel } from "../../http/inParallel";
import { headObject, type NewObject } from "./objects";
import type { Store } from "./store";
import {
  abortUpload,
  beginUpload,
  completeUpload,
  listParts,
  openUploads,
  sendPart,
  type StoredPart,
  type UploadName,
} from "./uploads";

/** What is larger is sent in parts, in bytes. */
export const LARGEST_WHOLE = 16 * 1024 * 1024;
/** Of a part, in bytes; larger where an object would have too many. */
const SMALLEST_PART = 8 * 1024 * 1024;
/** See https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MOST_PARTS = 10_000;
/** Parts that are on their way at once: as many are held in memory. */
const LANES = 4;
/** How often an upload begins anew that somebody else gave up. */
const MOST_BEGINNINGS = 5;

/** Where the content is. */
export interface Content {
  readonly path: string;
  /** Where it begins in that file. */
  readonly offset: number;
  readonly size: number;
}

/** How it is sent. */
export interface PartsPlan {
  /**
   * Its key names its content: parts that a killed run sent are taken over, and two runs at once help each other. Else what
   * is open for that key is given up.
   */
  readonly isNamedByContent: boolean;
  /** What is at the key already stays. */
  readonly onlyNew: boolean;
  /** Called with the bytes that are there, and those of them that were sent now. */
  readonly onProgress: (bytes: number, sentBytes: number) => void;
}

/** What the store holds of an object that was sent in parts. */
export interface Composite {
  /** The store's checksum of it: `base64-N`. */
  readonly checksum: string;
}

/** The size of its parts: always the same for the same size, so that parts of an earlier run fit. */
export function partSizeOf(size: number): number {
  const needed = Math.ceil(size / MOST_PARTS);
  const mebibyte = 1024 * 1024;
  return Math.max(SMALLEST_PART, Math.ceil(needed / mebibyte) * mebibyte);
}

/** The checksum that a store has of an object in parts, see https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html */
export function compositeOf(checksums: readonly string[]): string {
  const hash = createHash("sha256");
  for (const checksum of checksums) hash.update(Buffer.from(checksum, "base64"));
  return `${hash.digest("base64")}-${checksums.length}`;
}

/** The composite checksum that a content gets, sent in parts. */
export async function compositeOfFile(content: Content, signal: AbortSignal): Promise<string> {
  const checksums: string[] = [];
  const memory = Buffer.allocUnsafeSlow(partSizeOf(content.size));
  for await (const { checksum } of readParts(content, signal, () => memory)) checksums.push(checksum);
  return compositeOf(checksums);
}

/**
 * Sends a large content in parts, four at a time. Each part is checked by the store, and the whole here: it becomes an object only
 * if it is what its digest says. An upload that fails or is stopped is given up at the store; what a killed run left is gone
 * when this returns.
 *
 * @returns the composite checksum; `undefined` when an object is there already, which is then to be looked at
 * @throws DestinationError; the signal's reason
 */
export async function uploadInParts(
  store: Store,
  object: NewObject,
  content: Content,
  plan: PartsPlan,
): Promise<Composite | undefined> {
  for (let beginnings = 0; beginnings < MOST_BEGINNINGS; beginnings++) {
    const [left, ...others] = await uploadsOf(store, object.key);
    if (left !== undefined && !plan.isNamedByContent) await abortUpload(store, left);
    for (const other of others) await abortUpload(store, other);
    const taken = plan.isNamedByContent ? left : undefined;
    const upload = taken ?? { key: object.key, uploadId: await beginUpload(store, object) };
    try {
      const present = taken === undefined ? new Map<number, StoredPart>() : await listParts(store, taken);
      const checksums = present && (await sendParts(store, upload, object.sha256, content, present, plan));
      // another run completed it, or gave it up
      if (checksums === undefined) {
        if (plan.onlyNew && (await headObject(store, object.key)) !== undefined) return undefined;
        continue;
      }
      const parts = checksums.map((part, index) => ({ ...part, number: index + 1 }));
      const end = await completeUpload(store, upload, parts, plan.onlyNew);
      if (end === "stored") return { checksum: compositeOf(parts.map(({ checksum }) => checksum)) };
      if (end === "there") {
        await abortUpload(store, upload);
        return undefined;
      }
      if (plan.onlyNew && (await headObject(store, object.key)) !== undefined) return undefined;
    } catch (error) {
      // what went wrong is told; what stays is the next run's to clear away
      await abortUpload(store, upload).catch(() => undefined);
      throw error;
    }
  }
  throw new DestinationError(
    `the upload to s3://${store.place.bucket}/${object.key} was given up by somebody else, again and again`,
    "Look for another program that clears this bucket of unfinished uploads, and run `pulumi up` again.",
  );
}

/** The uploads in parts for a key, the youngest first. */
export async function uploadsOf(store: Store, key: string): Promise<UploadName[]> {
  const uploads = (await openUploads(store, key)).filter((upload) => upload.key === key);
  return uploads.sort((one, other) => other.startedAtMs - one.startedAtMs);
}

/** @returns ETag and checksum of every part; `undefined` when there is no such upload any more */
async function sendParts(
  store: Store,
  upload: UploadName,
  sha256: string,
  content: Content,
  present: ReadonlyMap<number, StoredPart>,
  { onProgress }: PartsPlan,
): Promise<{ etag: string; checksum: string }[] | undefined> {
  const sent: { etag: string; checksum: string }[] = [];
  const whole = createHash("sha256");
  const state = { isGone: false, bytes: 0, sentBytes: 0 };
  // used again and again: what is only let go of stays for a while, many times over
  const free: Buffer[] = [];
  const take = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(partSizeOf(content.size));
  const parts = (async function* () {
    for await (const part of readParts(content, store.signal, take)) {
      whole.update(part.bytes);
      if (state.isGone) free.push(part.memory);
      else yield part;
    }
  })();
  await inParallel(parts, LANES, async ({ number, bytes: part, memory, checksum }) => {
    const there = present.get(number);
    let etag = there?.size === part.length && there.checksum === checksum ? there.etag : undefined;
    if (etag === undefined) {
      etag = await sendPart(store, upload, number, part, checksum);
      state.sentBytes += part.length;
    }
    free.push(memory); // not after a failure: then it may still be on its way
    if (etag === undefined) {
      state.isGone = true;
      return;
    }
    state.bytes += part.length;
    onProgress(state.bytes, state.sentBytes);
    sent[number - 1] = { etag, checksum };
  });
  if (state.isGone) return undefined;
  if (whole.digest("hex") !== sha256) {
    throw new DestinationError(
      `${content.path} was changed while it was sent`,
      "Nothing else may write there. Run `pulumi up` again.",
    );
  }
  return sent;
}

interface Part {
  readonly number: number;
  /** The beginning of `memory`. */
  readonly bytes: Buffer;
  readonly memory: Buffer;
  /** SHA-256 in base64. */
  readonly checksum: string;
}

/** @param take gives memory for a part */
async function* readParts(
  { path, offset, size }: Content,
  signal: AbortSignal,
  take: () => Buffer,
): AsyncGenerator<Part> {
  const partSize = partSizeOf(size);
  const file = await open(path);
  try {
    for (let at = 0; at < size; at += partSize) {
      signal.throwIfAborted();
      const memory = take();
      const bytes = memory.subarray(0, Math.min(partSize, size - at));
      await fill(bytes, file, offset + at);
      const checksum = createHash("sha256").update(bytes).digest("base64");
      yield { number: at / partSize + 1, bytes, memory, checksum };
    }
  } finally {
    await file.close();
  }
}

/** @throws DestinationError when the file is shorter */
export async function readWhole(file: FileHandle, position: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  await fill(bytes, file, position);
  return bytes;
}

async function fill(bytes: Buffer, file: FileHandle, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) {
      throw new DestinationError(
        "a file was cut while it was sent",
        "Nothing else may write there. Run `pulumi up` again.",
      );
    }
    done += bytesRead;
  }
}
