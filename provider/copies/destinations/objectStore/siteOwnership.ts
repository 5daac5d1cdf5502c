import { createHash } from "node:crypto";
import type { Ownership } from "../../ownership/ownership";
import { bucketOwnership } from "./bucketMarks";
import { headersOf } from "./fileHeaders";
import type { Inventory } from "./siteInventory";
import { recordPath, writeRecord } from "./siteRecord";
import type { Store } from "./store";
import { sendObject } from "./uploads";

/** The rights of the operation's owner at the sites below the prefix. An item is a copy's edition. */
export function siteOwnership(store: Store): Ownership {
  return bucketOwnership(store, (edition) => `${store.uri}/#sha256:${edition}`);
}

/** Whether an owner other than the operation's has a copy, and stays. */
export function hasOtherOwner(store: Store, { marks }: Pick<Inventory, "marks">, edition: string): boolean {
  const { id } = store.context.owner;
  return (marks.get(edition) ?? []).some(({ owner, isLeaving }) => owner !== id && !isLeaving);
}

/** Writes the record of a copy. */
export async function putRecord(store: Store, record: Parameters<typeof writeRecord>[0]): Promise<void> {
  const key = store.key(recordPath(record.sha256));
  const content = Buffer.from(writeRecord(record));
  const sha256 = createHash("sha256").update(content).digest("hex");
  await sendObject(store, { key, size: content.length, sha256, headers: headersOf(key) }, content, false);
}
