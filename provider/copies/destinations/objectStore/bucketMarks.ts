import { createHash } from "node:crypto";
import type { Mark, Marks } from "../../ownership/marks";
import { Ownership } from "../../ownership/ownership";
import { isOwnerId, markText } from "../../ownership/owner";
import { listObjects, readObject, removeObjects, type ListedObject } from "./objects";
import { RECORDS_FOLDER } from "./inputs";
import type { Store } from "./store";
import { sendObject } from "./uploads";

/** The objects of marks are below it. */
const MARKS_FOLDER = `${RECORDS_FOLDER}/owners`;
const STAYING = ".json";
const LEAVING = ".leaving";

const HEADERS = { contentType: "application/json", cacheControl: "no-store" };

/** Whether there is a mark at a path below the prefix. */
export const isMarkPath = (path: string): boolean => path.startsWith(`${MARKS_FOLDER}/`);

/** The rights of the operation's owner at the items of a bucket. @param addressOf of an item, for messages */
export function bucketOwnership(store: Store, addressOf: (item: string) => string): Ownership {
  return new Ownership(bucketMarks(store), store.context, addressOf);
}

/**
 * Marks in a bucket: the object `.docs-hosting/owners/ITEM/OWNER.json` for each owner, and `OWNER.leaving` while it removes the
 * item. An object of another name counts as an owner, too.
 */
function bucketMarks(store: Store): Marks {
  const at = (item: string, name: string): string => store.key(`${MARKS_FOLDER}/${item}/${name}`);
  const write = async (key: string, text: string): Promise<void> => {
    const content = Buffer.from(text);
    const sha256 = createHash("sha256").update(content).digest("hex");
    await sendObject(store, { key, size: content.length, sha256, headers: HEADERS }, content, false);
  };
  const find = async (prefix: string): Promise<Map<string, Mark[]> | undefined> => {
    const listed = await listObjects(store, prefix, { isOptional: true });
    return listed && marksIn(store, listed.values());
  };

  const stay = (item: string, owner: string): Promise<void> =>
    removeObjects(store, [at(item, `${owner}${LEAVING}`)]);

  return {
    list: async (item) => {
      const found = await find(at(item, ""));
      return found && (found.get(item) ?? []);
    },
    all: async () => (await find(store.key(`${MARKS_FOLDER}/`))) ?? new Map<string, Mark[]>(),
    read: (item, owner) => readObject(store, at(item, `${owner}${STAYING}`)).catch(() => undefined),
    async write(item, owner) {
      await write(at(item, `${owner.id}${STAYING}`), markText(owner));
      const marks = (await find(at(item, `${owner.id}${LEAVING}`)))?.get(item) ?? [];
      if (marks.length > 0) await stay(item, owner.id);
    },
    stay,
    leave: (item, owner) => write(at(item, `${owner.id}${LEAVING}`), "{}"),
    async remove(item, owner) {
      // the announcement last: without it, a mark that is still there would count
      for (const end of [STAYING, LEAVING]) await removeObjects(store, [at(item, `${owner}${end}`)]);
    },
    nameOf: (item, owner) => store.uriOf(at(item, `${owner}${STAYING}`)),
  };
}

/** The marks among listed objects, by item. */
export function marksIn(store: Store, listed: Iterable<ListedObject>): Map<string, Mark[]> {
  const prefix = store.key(`${MARKS_FOLDER}/`);
  const found = new Map<string, Map<string, Mark>>();
  for (const { key, modifiedAtMs } of listed) {
    if (!key.startsWith(prefix)) continue;
    const [item = "", ...rest] = key.slice(prefix.length).split("/");
    const name = rest.join("/");
    if (name === "") continue;
    const owner = name.replace(/\.(?:json|leaving)$/, "");
    const marks = found.get(item) ?? new Map<string, Mark>();
    const isAnnouncement = name.endsWith(LEAVING) && isOwnerId(owner);
    const isLeaving = isAnnouncement || marks.get(owner)?.isLeaving === true;
    const writtenAt = isAnnouncement ? (marks.get(owner)?.writtenAt ?? 0) : modifiedAtMs;
    found.set(item, marks.set(owner, { owner, isLeaving, writtenAt }));
  }
  return new Map([...found].map(([item, marks]) => [item, [...marks.values()]]));
}
