// What layouts of copies rely on, whatever the store: each implementation of `ObjectStore` runs these rows, see test/README.md.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { DestinationError } from "../../provider/base/runtime/messages/errors.ts";
import type {
  ListedObject,
  NewObject,
  ObjectStore,
  SendOptions,
} from "../../provider/publishing/destinations/objectStore/objectStore.ts";

/** A bucket for one test. Keys begin with its prefix. */
export interface StoreUnderTest {
  /** Of keys, ending with a slash; empty if the bucket is empty. */
  readonly prefix: string;
  /** Connects to it. @param signal of the operation. Default: never aborted */
  open(signal?: AbortSignal): Promise<ObjectStore>;
  /** What another program reads at a key; `undefined` if there is nothing. */
  seen(
    key: string,
  ): Promise<{ readonly content: Buffer; readonly contentType?: string | undefined } | undefined>;
  /** The uploads that were neither completed nor aborted, as another program finds them. */
  openUploads(): Promise<readonly string[]>;
}

const MIB = 2 ** 20;
const HEADERS = { contentType: "text/plain", cacheControl: "no-store" };
/** Above the size up to which one request sends an object. */
const LARGE = Buffer.alloc(17 * MIB + 1, "large");

const sha256Of = (content: Buffer | string): string => createHash("sha256").update(content).digest("hex");

/** A store, and what tests do with it. */
class StoreTable {
  readonly under: StoreUnderTest;
  readonly store: ObjectStore;

  constructor(under: StoreUnderTest, store: ObjectStore) {
    this.under = under;
    this.store = store;
  }

  key(name: string): string {
    return `${this.under.prefix}${name}`;
  }

  object(name: string, content: Buffer | string): NewObject {
    const size = Buffer.byteLength(content);
    return { key: this.key(name), size, sha256: sha256Of(content), headers: HEADERS };
  }

  send(name: string, content: Buffer | string, options?: SendOptions): Promise<void> {
    return this.store.send(this.object(name, content), Buffer.from(content), options);
  }

  async text(name: string): Promise<string | undefined> {
    return (await this.under.seen(this.key(name)))?.content.toString();
  }

  async listed(prefix = "", atMost?: number): Promise<ListedObject[]> {
    const found: ListedObject[] = [];
    await this.store.list(this.key(prefix), (object) => found.push(object), atMost);
    return found;
  }

  async names(prefix = ""): Promise<string[]> {
    const found = await this.listed(prefix);
    return found.map(({ key }) => key.slice(this.under.prefix.length)).sort();
  }
}

/** Names that have to be escaped somewhere: in addresses, in XML, in signatures. */
const NAMES = [
  "a b",
  "a+b",
  "a&b<c>",
  "über/ä.svg",
  "100%",
  "it's (1)!*",
  "drawtext(_:at:).json",
  "c=d;e,f@g$h~i",
];

type Rows = Readonly<Record<string, (table: StoreTable) => Promise<void>>>;

const ROWS: Rows = {
  async "an object is described, listed, read and seen as it was sent"(table) {
    await table.send("a", "content");
    const { store } = table;
    expect(await store.head(table.key("a"))).toMatchObject({
      size: 7,
      sha256: sha256Of("content"),
      headers: HEADERS,
    });
    expect(await table.listed()).toMatchObject([{ key: table.key("a"), size: 7 }]);
    const read = await store.read(table.key("a"), async (content) =>
      Buffer.concat(await Array.fromAsync(content)).toString(),
    );
    expect(read).toBe("content");
    expect(await table.under.seen(table.key("a"))).toMatchObject({
      content: Buffer.from("content"),
      contentType: "text/plain",
    });
  },

  async "an empty object is one"(table) {
    await table.send("a", "");
    expect(await table.store.head(table.key("a"))).toMatchObject({ size: 0, sha256: sha256Of("") });
    expect(await table.text("a")).toBe("");
  },

  async "a large object arrives whole, with its progress, and leaves no upload"(table) {
    let arrived = 0;
    await table.send("a", LARGE, { onProgress: (bytes) => (arrived += bytes) });
    const { content } = (await table.under.seen(table.key("a"))) ?? {};
    expect(content?.equals(LARGE)).toBe(true);
    expect(await table.store.head(table.key("a"))).toMatchObject({
      size: LARGE.length,
      sha256: sha256Of(LARGE),
    });
    expect(arrived).toBeGreaterThan(0);
    expect(await table.under.openUploads()).toEqual([]);
  },

  async "an object is written where there is none, and stays where there is one"(table) {
    await table.send("a", "first", { onlyIf: "absent" });
    await expect(table.send("a", "second", { onlyIf: "absent" })).rejects.toMatchObject({
      failure: "conflict",
    });
    await expect(table.send("a", LARGE, { onlyIf: "absent" })).rejects.toMatchObject({ failure: "conflict" });
    expect(await table.text("a")).toBe("first");
    expect(await table.under.openUploads()).toEqual([]);
    await table.send("a", "third");
    expect(await table.text("a")).toBe("third");
  },

  async "the revision is the same from every request, and another one after a write"(table) {
    const revisions: (string | undefined)[] = [];
    await table.send("a", "first", { onStored: (revision) => revisions.push(revision) });
    const first = (await table.store.head(table.key("a")))?.revision;
    await table.store.read(table.key("a"), async (content, revision) => {
      await Array.fromAsync(content);
      revisions.push(revision);
    });
    expect(await table.listed()).toMatchObject([{ revision: first }]);
    // where an answer has none, nothing is said
    for (const each of revisions) if (each !== undefined) expect(each).toBe(first);
    await table.send("a", "second");
    expect((await table.store.head(table.key("a")))?.revision).not.toBe(first);
  },

  async "what is not there is undefined, and its removal no error"(table) {
    const { store } = table;
    expect(await store.head(table.key("a"))).toBeUndefined();
    expect(await store.read(table.key("a"), () => Promise.resolve("read"))).toBeUndefined();
    await store.remove([table.key("a"), table.key("b")]);
    await store.remove([]);
  },

  async "a list has the objects of a prefix, all of them or as many as are wanted"(table) {
    for (const name of ["a/1", "a/2", "ab", "b"]) await table.send(name, name);
    expect(await table.names("a/")).toEqual(["a/1", "a/2"]);
    expect(await table.names()).toEqual(["a/1", "a/2", "ab", "b"]);
    const atMost = await table.listed("", 1);
    expect(atMost.length).toBeGreaterThanOrEqual(1);
    expect(await table.listed("nothing/")).toEqual([]);
  },

  async "a removal takes the objects that are named, and no other"(table) {
    for (const name of ["a", "b", "c", "ab"]) await table.send(name, name);
    await table.store.remove(["a", "b", "gone"].map((name) => table.key(name)));
    expect(await table.names()).toEqual(["ab", "c"]);
  },

  async "names that are escaped on their way are the same everywhere"(table) {
    for (const name of NAMES) await table.send(name, name);
    expect(await table.names()).toEqual(NAMES.toSorted());
    for (const name of NAMES) {
      expect(await table.text(name)).toBe(name);
      expect(await table.store.head(table.key(name))).toMatchObject({ sha256: sha256Of(name) });
    }
    await table.store.remove(NAMES.map((name) => table.key(name)));
    expect(await table.names()).toEqual([]);
  },

  async "content that fails is no object, and leaves no upload"(table) {
    const broken = new DestinationError("the disk is away", "Attach it.");
    for (const size of [1_000, LARGE.length]) {
      const object = { ...table.object("a", ""), size, sha256: sha256Of(LARGE.subarray(0, size)) };
      const fails = (): Readable =>
        Readable.from(
          (async function* () {
            yield LARGE.subarray(0, 10);
            await Promise.reject(broken);
          })(),
        );
      await expect(table.store.send(object, fails)).rejects.toBe(broken);
      expect(await table.store.head(table.key("a"))).toBeUndefined();
    }
    expect(await table.names()).toEqual([]);
    expect(await table.under.openUploads()).toEqual([]);
  },

  async "content with another digest is refused, where the store verifies it"(table) {
    const other = { ...table.object("a", "content"), sha256: sha256Of("other") };
    const sent = table.store.send(other, Buffer.from("content"));
    if (table.store.verifiesContent !== true) return expect(sent).resolves.toBeUndefined();
    await expect(sent).rejects.toThrow();
    expect(await table.text("a")).toBeUndefined();
  },

  async "a signed link returns the object, and says when it ends"(table) {
    await table.send("a b", "content");
    const before = Date.now();
    const { url, expiresAtMs = 0 } = await table.store.sign(table.key("a b"), 3_600_000);
    expect(expiresAtMs).toBeGreaterThan(before);
    expect(expiresAtMs).toBeLessThanOrEqual(Date.now() + 3_600_000);
    const fetched = await fetch(url);
    expect([fetched.status, await fetched.text()]).toEqual([200, "content"]);
  },

  async "every method throws the reason of an operation that was stopped, and changes nothing"(table) {
    await table.send("a", "content");
    const reason = new Error("stopped");
    const stopped = await table.under.open(AbortSignal.abort(reason));
    const key = table.key("a");
    try {
      await expect(stopped.head(key)).rejects.toBe(reason);
      await expect(stopped.read(key, () => Promise.resolve())).rejects.toBe(reason);
      await expect(stopped.list(key, () => undefined)).rejects.toBe(reason);
      await expect(stopped.send(table.object("a", "other"), Buffer.from("other"))).rejects.toBe(reason);
      await expect(stopped.remove([key])).rejects.toBe(reason);
    } finally {
      stopped.close();
    }
    expect(await table.text("a")).toBe("content");
  },
};

/** The rows, as those of `test.each`. */
export const STORE_ROWS = Object.keys(ROWS);

/** Runs a row. */
export async function storeRow(name: string, under: StoreUnderTest): Promise<void> {
  const row = ROWS[name];
  if (!row) throw new Error(`there is no row ${name}`);
  const store = await under.open();
  onTestFinished(() => store.close());
  await row(new StoreTable(under, store));
}
