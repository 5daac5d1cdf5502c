// What every place of copies does, whatever it is: each kind of destination runs these rows, see test/README.md.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type {
  Copy,
  DestinationContext,
  PublishedCopy,
} from "../../provider/publishing/destinations/destination.ts";
import type { DestinationInputs } from "../../provider/publishing/destinations/inputs.ts";
import {
  archiveFormat,
  destinationOf,
  editionOf,
  inspectBundle,
  newOwner,
} from "../../provider/publishing/index.ts";
import type { Owner } from "../../provider/publishing/ownership/owner.ts";
import { COPY_URN, otherOwner, OWNER } from "../simulation/owners.ts";
import { packedSite } from "../simulation/packedSite.ts";

/** A kind of place, for one test. */
export interface PlaceUnderTest {
  readonly inputs: DestinationInputs;
  /** What of an operation the kind of place needs. Each operation has its own lines. */
  operation(): Promise<Omit<DestinationContext, "reporter" | "owner">>;
  /** Everything that is there: a digest or the text, by name. */
  content(): Promise<Readonly<Record<string, string>>>;
  /** Removes everything whose name contains a text. */
  lose(text: string): Promise<void>;
  /** Changes a published copy, as somebody else does. */
  damage(copy: Copy): Promise<void>;
  /** What the names of its marks contain. */
  readonly mark: string;
  /** Writes something of this name. Only of places that belong to one resource. */
  readonly put?: (name: string, text: string) => Promise<void>;
}

const LIMITS = { unpackedBytes: 1e9, files: 1_000 };
const OTHER = otherOwner();
const SIBLING = COPY_URN.replace(/docs$/, "other");
const OWNER_FILE = ".docs-hosting/owner.json";

/** Whether there is a state. */
const STATE = { isCreate: false } as const;

interface Said {
  readonly info: string[];
  readonly warn: string[];
}

/** Operations of several owners at a place. */
class PlaceTable {
  readonly place: PlaceUnderTest;
  /** Of all operations so far. */
  readonly said: Said = { info: [], warn: [] };
  readonly #folder = mkdtempSync(join(tmpdir(), "contract-"));

  constructor(place: PlaceUnderTest) {
    this.place = place;
    onTestFinished(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  get destination() {
    return destinationOf(this.place.inputs);
  }

  async as(owner: Owner = OWNER, more: Partial<DestinationContext> = {}): Promise<DestinationContext> {
    const silent = (): void => undefined;
    const reporter = {
      progress: silent,
      debug: silent,
      info: (line: string) => void this.said.info.push(line),
      warn: (line: string) => void this.said.warn.push(line),
    };
    return { ...(await this.place.operation()), reporter, owner, isCreate: true, ...more };
  }

  /** Publishes a site with this text, as a life cycle does. @param before the copy that is there */
  async publish(
    text: string,
    {
      owner,
      before,
      placing,
      ...more
    }: Partial<DestinationContext> & { before?: Copy; placing?: (published: PublishedCopy) => void } = {},
  ): Promise<PublishedCopy> {
    const context = await this.as(owner, more);
    const site = { "index.html": `<h1>${text}</h1>`, [`${text}.css`]: text, "guide/a.html": "the same" };
    const { file: path, fileSha256: sha256 } = packedSite(this.#folder, text, site);
    const format = await archiveFormat(path);
    const { length: size } = readFileSync(path);
    const bundle = { path, format, sha256, size, version: text };
    const inspection = await inspectBundle(bundle, LIMITS, context);
    const additions = { hasFile: inspection.hasFile };
    await this.destination.check(before ? [before] : [], context);
    return this.destination.publish(
      {
        bundle,
        inspection,
        limits: LIMITS,
        additions,
        edition: editionOf(sha256, {}),
        before,
        earlier: before ? [before] : [],
      },
      context,
      placing,
    );
  }

  async compare(copy: Copy, owner?: Owner): Promise<string> {
    return this.destination.compare(copy, await this.as(owner));
  }

  async release(
    copies: readonly Copy[],
    owner?: Owner,
    more: Partial<DestinationContext> = STATE,
  ): Promise<void> {
    await this.destination.release(copies, await this.as(owner, more));
  }

  content(): Promise<Readonly<Record<string, string>>> {
    return this.place.content();
  }
}

type Rows = Readonly<Record<string, (table: PlaceTable) => Promise<void>>>;

/** Of every place. */
const EVERY_PLACE: Rows = {
  async "a copy is as it was published, also beside an earlier one, and what changed is known"(table) {
    const { copy: first, changes } = await table.publish("v1");
    expect(changes).toBeUndefined();
    const second = await table.publish("v2", { before: first, ...STATE });
    expect(await table.compare(second.copy)).toBe("same");
    expect(second.changes).toEqual({
      since: first.uri,
      added: { count: 1, paths: ["v2.css"] },
      changed: { count: 1, paths: ["index.html"] },
      removed: { count: 1, paths: ["v1.css"] },
    });
    expect(second.copy.uri).not.toBe(first.uri);
  },

  async "what may be visible is named before it is, and is what is returned"(table) {
    const placed: PublishedCopy[] = [];
    const published = await table.publish("v1", { placing: (each) => placed.push(each) });
    expect(placed.at(-1)).toEqual(published);
    // a store tells the revision of what it has
    for (const { copy } of placed) expect(copy.uri).toBe(published.copy.uri);
  },

  async "the same bundle again is the same copy, and leaves what is there"(table) {
    const { copy } = await table.publish("v1");
    const before = await table.content();
    const again = await table.publish("v1", { before: copy, ...STATE });
    expect(again.copy).toEqual(copy);
    expect(Object.keys(await table.content())).toEqual(Object.keys(before));
  },

  async "pruning keeps the newest, and a release leaves nothing, without a warning"(table) {
    const { copy: first } = await table.publish("v1");
    const { copy: second } = await table.publish("v2", { before: first, ...STATE });
    await table.destination.prune([first], [second], await table.as(OWNER, STATE));
    expect(await table.compare(second)).toBe("same");
    expect(await table.compare(first)).toBe("gone");
    await table.release([second]);
    expect(await table.content()).toEqual({});
    expect(table.said.warn).toEqual([]);
  },

  async "a kept copy stays, also if it is to be removed"(table) {
    const { copy } = await table.publish("v1");
    await table.destination.prune([copy], [copy], await table.as(OWNER, STATE));
    expect(await table.compare(copy)).toBe("same");
  },

  async "a copy that is gone is published again; removing it twice is no error"(table) {
    const { copy } = await table.publish("v1");
    await table.release([copy]);
    expect(await table.compare(copy)).toBe("gone");
    await table.release([copy]);
    const { copy: again } = await table.publish("v1");
    expect(again.uri).toBe(copy.uri);
    expect(await table.compare(again)).toBe("same");
  },

  async "a copy that somebody changed is not the same"(table) {
    const { copy } = await table.publish("v1");
    await table.place.damage(copy);
    expect(await table.compare(copy)).toBe("changed");
  },

  async "an operation that was stopped throws the reason, and changes nothing"(table) {
    const { copy: first } = await table.publish("v1");
    const { copy: second } = await table.publish("v2", { before: first, ...STATE });
    const before = await table.content();
    const reason = new Error("stopped");
    const stopped = await table.as(OWNER, { ...STATE, signal: AbortSignal.abort(reason) });
    const { destination } = table;
    await expect(table.publish("v3", { ...STATE, signal: stopped.signal })).rejects.toBe(reason);
    await expect(destination.compare(second, stopped)).rejects.toBe(reason);
    await expect(destination.claim([second], stopped)).rejects.toBe(reason);
    await expect(destination.prune([first], [second], stopped)).rejects.toBe(reason);
    await expect(destination.release([second], stopped)).rejects.toBe(reason);
    expect(await table.content()).toEqual(before);
  },

  async "nothing of another owner is removed"(table) {
    const { copy } = await table.publish("v1", { owner: OTHER });
    const before = await table.content();
    await table.release([copy]);
    expect(await table.content()).toEqual(before);
    expect(await table.compare(copy, OTHER)).toBe("same");
  },

  async "a copy without its mark is not removed, until the mark is written again"(table) {
    const { copy } = await table.publish("v1");
    await table.place.lose(table.place.mark);
    expect(await table.compare(copy)).toBe("unmarked");
    const before = await table.content();
    await table.release([copy]);
    expect(await table.content()).toEqual(before);
    await table.destination.claim([copy], await table.as(OWNER, STATE));
    expect(await table.compare(copy)).toBe("same");
    await table.release([copy]);
    expect(await table.content()).toEqual({});
  },
};

const marksOf = (owner: Owner): string => JSON.stringify({ format: 1, owner: owner.id, urn: owner.urn });

/** Of a place that belongs to one resource: a folder, a bucket with its prefix. */
const OWN_PLACE: Rows = {
  async "one mark names the owner"(table) {
    await table.publish("v1");
    const { [OWNER_FILE]: mark = "" } = await table.content();
    expect(JSON.parse(mark)).toMatchObject({ format: 1, owner: OWNER.id, stack: "docs/dev", urn: COPY_URN });
  },

  async "the place of another stack is refused before anything is written"(table) {
    const { copy: theirs } = await table.publish("v1", { owner: OTHER });
    const before = await table.content();
    await expect(table.destination.check([], await table.as())).rejects.toThrow(
      `belongs to ${OTHER.urn ?? ""} (stack website/prod), since `,
    );
    await expect(table.publish("v2")).rejects.toMatchObject({
      remedy: expect.stringMatching(
        /of its own, for example `.*\$\{pulumi\.getStack\(\)\}`, or, .* set `takeOver: true`/,
      ) as string,
    });
    expect(await table.compare(theirs)).toBe("taken");
    await table.release([theirs]);
    expect(await table.content()).toEqual(before);
    expect(table.said.info.concat(table.said.warn).at(-1)).toContain("nothing is removed from");
  },

  async "takeOver takes everything over that is recorded, with a warning"(table) {
    await table.publish("v1", { owner: OTHER });
    const { copy } = await table.publish("v2", { takeOver: true });
    expect(table.said.warn.join()).toMatch(/is taken over, with everything .* `takeOver` is set/);
    await expect(table.publish("v3", { owner: OTHER, ...STATE })).rejects.toThrow("belongs to");
    await table.release([copy]);
    expect(await table.content()).toEqual({});
  },

  async "a create of the same URN takes the place over, a state with another owner ID does not"(table) {
    const before = newOwner(COPY_URN);
    await table.publish("v1", { owner: before });
    await expect(table.publish("v2", STATE)).rejects.toThrow("whose owner ID is not");
    const { copy } = await table.publish("v2");
    expect(table.said.info.join()).toContain("is taken over");
    // the resource that was replaced
    await table.release([copy], before);
    expect(await table.compare(copy)).toBe("same");
    await table.release([copy]);
    expect(await table.content()).toEqual({});
  },

  async "a place that a create elsewhere took is not taken back, but by a replacement"(table) {
    await table.publish("v1");
    await table.publish("v1", { owner: newOwner(COPY_URN) });
    await expect(table.publish("v2", STATE)).rejects.toThrow("whose owner ID is not");
    const owner = newOwner(COPY_URN);
    const { copy } = await table.publish("v2", { owner });
    await table.release([copy], owner);
    expect(await table.content()).toEqual({});
  },

  async "a resource that was renamed takes its place over, not one that the program declares"(table) {
    await table.publish("v1");
    const owner = newOwner(SIBLING);
    await expect(table.publish("v2", { owner, isDeclared: () => true })).rejects.toThrow(
      "which this program declares",
    );
    const { copy } = await table.publish("v2", { owner, isDeclared: () => false });
    expect(table.said.info.join()).toContain("is taken over");
    await table.release([copy], owner);
    expect(await table.content()).toEqual({});
  },

  async "without the mark, a warning names what stays"(table) {
    const { copy } = await table.publish("v1");
    await table.place.lose(OWNER_FILE);
    await table.release([copy]);
    expect(table.said.warn.at(-1)).toMatch(/its mark .* is gone.* These stay: .*Remove them by hand/);
  },

  ...Object.fromEntries(
    ["", "<html>Sign in</html>", '{"format":1', "x".repeat(70_000)].map((text) => [
      `a mark that is none is no proof: ${JSON.stringify(text.slice(0, 12))}`,
      async (table: PlaceTable) => {
        const { copy } = await table.publish("v1");
        await table.place.put?.(OWNER_FILE, text);
        const before = await table.content();
        await expect(table.publish("v2", { takeOver: true })).rejects.toThrow("cannot be read from");
        await table.release([copy]);
        expect(await table.content()).toEqual(before);
        expect(table.said.warn.at(-1)).toMatch(/cannot be read: .* These stay: /);
      },
    ]),
  ),

  async "a place that lost its records is recognised by its content"(table) {
    const { copy } = await table.publish("v1");
    await table.place.lose(".docs-hosting/");
    expect(await table.compare(copy)).not.toBe("gone");
    const { copy: again } = await table.publish("v1");
    expect(again.uri).toBe(copy.uri);
    await table.release([again]);
    expect(await table.content()).toEqual({});
  },

  async "marks of unreleased versions are replaced if all name this resource, else they are another's"(
    table,
  ) {
    const { copy } = await table.publish("v1");
    const folder = "folder" in table.place.inputs ? ".docs-hosting" : ".docs-hosting/owners";
    await table.place.lose(OWNER_FILE);
    await table.place.put?.(`${folder}/item/${OWNER.id}.json`, marksOf(OWNER));
    await table.destination.claim([copy], await table.as(OWNER, STATE));
    expect(Object.keys(await table.content()).filter((name) => name.includes("/item/"))).toEqual([]);
    await table.place.lose(OWNER_FILE);
    await table.place.put?.(`${folder}/item/${OTHER.id}.json`, marksOf(OTHER));
    await expect(table.destination.claim([copy], await table.as(OWNER, STATE))).rejects.toThrow("belongs to");
  },
};

/** Rows that every kind of place runs, as those of `test.each`. */
export const PLACE_ROWS = Object.keys(EVERY_PLACE);

/** The same for a place that belongs to one resource. */
export const OWN_PLACE_ROWS = [...PLACE_ROWS, ...Object.keys(OWN_PLACE)];

/** Runs a row. */
export async function placeRow(name: string, place: PlaceUnderTest): Promise<void> {
  const row = EVERY_PLACE[name] ?? OWN_PLACE[name];
  if (!row) throw new Error(`there is no row ${name}`);
  await row(new PlaceTable(place));
}

/** What content of a place is compared by, if it is too long to show. */
export const shortly = (content: Buffer | string): string =>
  content.length < 1_000 ? String(content) : createHash("sha256").update(content).digest("hex");
