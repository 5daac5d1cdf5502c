import { hash } from "node:crypto";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { isOwnerId } from "../../ownership/owner";
import { LONGEST_MARK, MARK_NAME, markIn, type PlaceMark, RECORDS_FOLDER } from "../../ownership/placeMark";
import { type MarkStore, PlaceOwner, PROOF_LIFE_MS, UnreadableMarkError } from "../../ownership/placeOwner";
import { BucketPlace } from "./bucketPlace";
import { sendObject, sendText } from "./sendObject";
import { StoreError, type StoreFailure } from "./storeError";

/** The path of the mark, below the prefix. */
export const MARK_PATH: string = `${RECORDS_FOLDER}/${MARK_NAME}`;

/** The marks at items, of versions that were not released, and files of copies that other owners had replaced. */
const EARLIER_FOLDERS = [`${RECORDS_FOLDER}/owners/`, `${RECORDS_FOLDER}/saved/`] as const;
const [EARLIER_MARKS] = EARLIER_FOLDERS;

const HEADERS = { contentType: "application/json", cacheControl: "no-store" };

/** Failures that say nothing about the mark. After any other, the operation fails, and the next one asks again. */
const SAYS_NOTHING: ReadonlySet<StoreFailure> = new Set(["denied", "unsupported", "other"]);

/** How many objects are removed before the age of the proof is looked at: four of the largest batches. */
const OBJECTS_A_PROOF = 4_000;

/** A place with the rights of the operation's resource. */
export class OwnedPlace extends BucketPlace {
  readonly owner: PlaceOwner = new PlaceOwner(bucketMark(this), this.context);

  /**
   * Removes objects as long as the place belongs to the resource.
   *
   * @throws DestinationError when it does not any more: what is left stays
   */
  async removeOwn(names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += OBJECTS_A_PROOF) {
      await this.owner.confirm(at === 0 ? 0 : PROOF_LIFE_MS);
      await this.remove(names.slice(at, at + OBJECTS_A_PROOF));
    }
  }
}

/** Reads a mark as a text; `undefined` only if the store says that there is none. @throws UnreadableMarkError; StoreError */
async function readMark(place: BucketPlace, key: string): Promise<string | undefined> {
  let size = 0;
  let text: string | undefined;
  try {
    text = await place.objects.read(key, async (content) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) {
        pieces.push(piece);
        size += piece.length;
        if (size > LONGEST_MARK) break;
      }
      return Buffer.concat(pieces).toString();
    });
  } catch (error) {
    if (error instanceof StoreError && SAYS_NOTHING.has(error.failure)) {
      throw new UnreadableMarkError(error.message, error.remedy);
    }
    if (size <= LONGEST_MARK) throw error;
  }
  if (size > LONGEST_MARK) throw new UnreadableMarkError("it is larger than 64 KiB");
  return text;
}

/** The mark below a prefix: the object `.docs-hosting/owner.json`. */
function bucketMark(place: BucketPlace): MarkStore {
  const key = place.key(MARK_PATH);
  const { prefix = "" } = place.fields;
  const listBelow = async (folder: string): Promise<string[]> => {
    const keys: string[] = [];
    await place.objects.list(place.key(folder), (object) => keys.push(object.key));
    return keys;
  };
  return {
    uri: place.uri,
    markUri: place.uriOf(key),
    ownFor: (name) => `a prefix of its own, for example \`${prefix === "" ? "" : `${prefix}/`}${name}\``,

    read: () => readMark(place, key),

    async isEmpty() {
      try {
        return (await listBelow(`${RECORDS_FOLDER}/`)).length === 0;
      } catch (error) {
        if (error instanceof StoreError) return false;
        throw error;
      }
    },

    async make(text) {
      const content = Buffer.from(text);
      const object = { key, size: content.length, sha256: hash("sha256", content), headers: HEADERS };
      try {
        return await sendObject(place, object, content, true);
      } catch (error) {
        if (!isUnconditional(error)) throw error;
        if ((await readMark(place, key)) !== undefined) return false;
        await sendText(place, key, text, HEADERS);
        return true;
      }
    },

    replace: (text) => sendText(place, key, text, HEADERS),

    async remove() {
      await place.objects.remove([key]);
      return [];
    },

    async earlier() {
      const keys = await listBelow(EARLIER_MARKS).catch((error: unknown) => {
        // no version that was released made such marks
        if (error instanceof StoreError && error.failure === "denied") return [];
        throw error;
      });
      const marks: PlaceMark[] = [];
      for (const each of keys) {
        const [, owner] = /\/([0-9a-f]{32})\.json$/.exec(each) ?? [];
        if (!isOwnerId(owner)) continue;
        const text = await readMark(place, each).catch((error: unknown) => {
          if (error instanceof UnreadableMarkError) return "";
          throw error;
        });
        const found = markIn(text ?? "");
        marks.push({ owner, urn: found.kind === "mark" ? found.mark.urn : undefined });
      }
      return marks;
    },

    async removeEarlier() {
      for (const folder of EARLIER_FOLDERS) await place.objects.remove(await listBelow(folder));
    },
  };
}

/** Whether a store answered that it has no conditional writes. */
const isUnconditional = (error: unknown): boolean =>
  error instanceof StoreError && (error.failure === "unsupported" || error.status === 501);

/** Whether a prefix around this one has a mark: what is below it may belong to that place. */
export async function isInOtherPlace(place: BucketPlace): Promise<boolean> {
  const { prefix = "" } = place.fields;
  const outer = prefix.split("/").map((_, at, all) => all.slice(0, at).join("/"));
  for (const each of prefix === "" ? [] : outer) {
    const key = each === "" ? MARK_PATH : `${each}/${MARK_PATH}`;
    try {
      if ((await readMark(place, key)) !== undefined) return true;
    } catch (error) {
      if (!(error instanceof UnreadableMarkError || error instanceof DestinationError)) throw error;
      return true; // what the store did not say is not proof
    }
  }
  return false;
}
