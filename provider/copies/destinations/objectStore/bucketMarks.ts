import { LEAVING, ownerOf, STAYING, type Mark, type Marks } from "../../ownership/marks";
import { isOwnerId, markText } from "../../ownership/owner";
import { Ownership } from "../../ownership/ownership";
import type { ListedObject } from "./objectStore";
import { readText } from "./readObject";
import { StoreError } from "./storeError";
import { RECORDS_FOLDER } from "./inputs";
import { BucketPlace } from "./bucketPlace";
import { sendText } from "./sendObject";

/** The objects of marks are below it. */
const MARKS_FOLDER = `${RECORDS_FOLDER}/owners`;

const HEADERS = { contentType: "application/json", cacheControl: "no-store" };

/** Whether there is a mark at a path below the prefix. */
export const isMarkPath = (path: string): boolean => path.startsWith(`${MARKS_FOLDER}/`);

/** A place with the rights of the operation's owner at its copies. */
export class OwnedPlace extends BucketPlace {
  readonly ownership = new Ownership(bucketMarks(this), this.context, (item) => this.itemUri(item));
}

/**
 * Marks in a bucket: the object `.docs-hosting/owners/ITEM/OWNER.json` for each owner, and `OWNER.leaving` while it removes the
 * item. An object of another name counts as an owner, too.
 */
export function bucketMarks(place: BucketPlace): Marks {
  const at = (item: string, name: string): string => place.key(`${MARKS_FOLDER}/${item}/${name}`);
  const write = (key: string, text: string): Promise<void> => sendText(place, key, text, HEADERS);
  const find = async (prefix: string): Promise<Map<string, Mark[]> | undefined> => {
    try {
      const listed: ListedObject[] = [];
      await place.objects.list(prefix, (object) => listed.push(object));
      return marksIn(place, listed);
    } catch (error) {
      if (error instanceof StoreError && error.failure === "denied") return undefined;
      throw error;
    }
  };

  const stay = (item: string, owner: string): Promise<void> =>
    place.objects.remove([at(item, `${owner}${LEAVING}`)]);

  return {
    list: async (item) => {
      const found = await find(at(item, ""));
      return found && (found.get(item) ?? []);
    },
    all: async () => (await find(place.key(`${MARKS_FOLDER}/`))) ?? new Map<string, Mark[]>(),
    read: (item, owner) => readText(place, at(item, `${owner}${STAYING}`)).catch(() => undefined),
    async write(item, owner) {
      await write(at(item, `${owner.id}${STAYING}`), markText(owner));
      if ((await find(at(item, `${owner.id}${LEAVING}`)))?.has(item)) await stay(item, owner.id);
    },
    stay,
    leave: (item, owner) => write(at(item, `${owner.id}${LEAVING}`), "{}"),
    async remove(item, owner) {
      // the announcement last: without it, a mark that is still there would count
      for (const end of [STAYING, LEAVING]) await place.objects.remove([at(item, `${owner}${end}`)]);
    },
    nameOf: (item, owner) => place.uriOf(at(item, `${owner}${STAYING}`)),
  };
}

/** The marks among listed objects, by item. */
export function marksIn(place: BucketPlace, listed: Iterable<ListedObject>): Map<string, Mark[]> {
  const prefix = place.key(`${MARKS_FOLDER}/`);
  const found = new Map<string, Map<string, Mark>>();
  for (const { key, modifiedAtMs } of listed) {
    if (!key.startsWith(prefix)) continue;
    const [, item = "", name = ""] = /^([^/]*)\/(.+)$/s.exec(key.slice(prefix.length)) ?? [];
    if (name === "") continue;
    const owner = ownerOf(name);
    const marks = found.get(item) ?? new Map<string, Mark>();
    const isAnnouncement = name.endsWith(LEAVING) && isOwnerId(owner);
    const isLeaving = isAnnouncement || marks.get(owner)?.isLeaving === true;
    const writtenAt = isAnnouncement ? (marks.get(owner)?.writtenAt ?? 0) : modifiedAtMs;
    found.set(item, marks.set(owner, { owner, isLeaving, writtenAt }));
  }
  return new Map([...found].map(([item, marks]) => [item, [...marks.values()]]));
}
