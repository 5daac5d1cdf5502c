import { DestinationError } from "../../../base/runtime/messages/errors";
import { formatBytes } from "../../../base/runtime/messages/formatBytes";
import type { BucketPlace } from "./bucketPlace";
import type { ListedObject } from "./objectStore";

/** The longest text that is read, in bytes: the record of the largest accepted site is shorter. */
const LONGEST_TEXT = 256 * 1024 * 1024;

/** An object as the list describes it, which has an error code where the reply to HEAD has none. */
export async function listedAt({ objects }: BucketPlace, key: string): Promise<ListedObject | undefined> {
  let found: ListedObject | undefined;
  await objects.list(key, (object) => (found ??= object.key === key ? object : undefined), 1);
  return found;
}

/** The text of an object's content, piece by piece. @throws DestinationError for more than {@link LONGEST_TEXT} bytes */
export async function* textsOf(
  place: BucketPlace,
  key: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > LONGEST_TEXT) {
      throw new DestinationError(
        `${place.uriOf(key)} has more than ${formatBytes(LONGEST_TEXT)}, which no record of a copy has`,
        "Nothing was changed. Find out who wrote it, remove it, and run `pulumi up` again.",
      );
    }
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder.decode();
}
