import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { diskFailure } from "../../../base/runtime/files/diskFailure";
import { DestinationError } from "../../../base/runtime/messages/errors";
import type { BucketPlace } from "./bucketPlace";
import { type FileHeaders, hasHeaders } from "./fileHeaders";
import type { NewObject, SendOptions, StoredObject } from "./objectStore";

/** Where content begins in a file. */
interface FileContent {
  readonly path: string;
  readonly offset: number;
}

/**
 * Sends an object. A file that changed during the upload does not become an object.
 *
 * @param onlyNew keeps an existing object at the key
 * @returns whether the store has this content now, and unless `onlyNew` these headers; `false` when it keeps other content
 * @throws DestinationError; the signal's reason
 */
export async function sendObject(
  { objects, context: { signal } }: BucketPlace,
  object: NewObject,
  content: FileContent | Buffer,
  onlyNew: boolean,
  more: Pick<SendOptions, "onProgress" | "onStored" | "onProtected"> = {},
): Promise<boolean> {
  const sent = Buffer.isBuffer(content) ? content : () => readChecked(content, object, signal);
  try {
    await objects.send(object, sent, { ...more, onlyIf: onlyNew ? "absent" : undefined });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // the reply was lost, or another run was faster
    const stored = await objects.head(object.key).catch(() => undefined);
    const isSent = stored !== undefined && isSameContent(stored, object);
    if (isSent && (onlyNew || hasHeaders(stored.headers, object.headers))) {
      more.onStored?.(stored.revision);
      return true;
    }
    if (stored !== undefined && onlyNew) return false;
    throw error;
  }
}

/** Sends a text, which replaces the one at the key. @param text bytes are in UTF-8 */
export async function sendText(
  place: BucketPlace,
  key: string,
  text: string | Buffer,
  headers: FileHeaders,
  more?: Pick<SendOptions, "onStored" | "onProtected">,
): Promise<void> {
  const content = typeof text === "string" ? Buffer.from(text) : text;
  const object = { key, size: content.length, sha256: hash("sha256", content), headers };
  await sendObject(place, object, content, false, more);
}

export function isSameContent(stored: StoredObject, wanted: Pick<NewObject, "size" | "sha256">): boolean {
  return stored.size === wanted.size && stored.sha256 === wanted.sha256;
}

/** The error of content that was not what it had been. */
export function changedOnDisk(path: string): DestinationError {
  return new DestinationError(
    `${path} was changed while it was sent`,
    "Nothing else may write there. Run `pulumi up` again.",
  );
}

async function* readChecked(
  { path, offset }: FileContent,
  { size, sha256 }: NewObject,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const digest = createHash("sha256");
  if (size > 0) {
    const range = { start: offset, end: offset + size - 1 };
    try {
      for await (const bytes of createReadStream(path, range) as AsyncIterable<Buffer>) {
        digest.update(bytes);
        yield bytes;
      }
    } catch (error) {
      throw diskFailure(error, path, signal, { kind: "file" });
    }
  }
  if (digest.digest("hex") !== sha256) throw changedOnDisk(path);
}
