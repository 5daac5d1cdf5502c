import { writeNewFile } from "../../../runtime/files/writeFile";
import { DestinationError } from "../../../runtime/messages/errors";
import { formatBytes } from "../../../runtime/messages/formatBytes";
import type { BucketPlace } from "./bucketPlace";
import type { ListedObject, Revision } from "./objectStore";

/** The longest text that is read, in bytes: the record of the largest accepted site is shorter. */
const LONGEST_TEXT = 256 * 1024 * 1024;

/**
 * Downloads an object into a new file.
 *
 * @returns the SHA-256 of what arrived, hexadecimal digits; `undefined` when the store reports that it does not exist
 * @throws DestinationError when its content ends early
 */
export async function downloadObject(
  { objects }: BucketPlace,
  key: string,
  path: string,
): Promise<string | undefined> {
  return objects.read(key, async (content) => (await writeNewFile(path, content, { flush: false })).sha256);
}

/** An object as the list describes it, which has an error code where the answer to HEAD has none. */
export async function listedAt({ objects }: BucketPlace, key: string): Promise<ListedObject | undefined> {
  let found: ListedObject | undefined;
  await objects.list(key, (object) => (found ??= object.key === key ? object : undefined), 1);
  return found;
}

/**
 * Reads an object's text; `undefined` when the store reports that it does not exist.
 *
 * @param onRead gets the object's revision, where the store's answer has it
 * @throws DestinationError for an object of more than {@link LONGEST_TEXT} bytes
 */
export async function readText(
  place: BucketPlace,
  key: string,
  onRead?: (revision: Revision | undefined) => void,
): Promise<string | undefined> {
  return place.objects.read(key, async (content, revision) => {
    onRead?.(revision);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      if (size > LONGEST_TEXT) {
        throw new DestinationError(
          `${place.uriOf(key)} has more than ${formatBytes(LONGEST_TEXT)}, which no record of a copy has`,
          "Nothing was changed. Find out who wrote it, remove it, and run `pulumi up` again.",
        );
      }
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString();
  });
}
