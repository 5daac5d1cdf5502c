// Two resources, or a takeover, at one place at the same time.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type {
  DestinationContext,
  DraftingDestination,
} from "../../../../provider/publishing/destinations/destination.ts";
import type { DestinationInputs } from "../../../../provider/publishing/destinations/inputs.ts";
import { STUB_BUCKET } from "../../../simulation/bucketStub.ts";
import { draftingDestination } from "../../../simulation/draftingDestination.ts";
import { OWNER } from "../../../simulation/owners.ts";
import {
  as,
  contentOf,
  operation,
  OTHER,
  OWNER_FILE,
  publish,
  root,
  sha256,
  store,
  withPlaces,
} from "./ownedPlaces.ts";

withPlaces();

interface Place {
  readonly inputs: () => DestinationInputs;
  /** Everything that is there, by name. */
  readonly content: () => Record<string, string>;
  /** Removes names that contain a text. */
  readonly lose: (text: string) => void;
  readonly put: (name: string, text: string) => void;
}

const inFolder = (layout: "archive" | "site"): Place => ({
  inputs: () => ({ folder: join(root, "public"), layout }),
  content: () => contentOf(join(root, "public")),
  lose: (text) => {
    for (const name of Object.keys(contentOf(join(root, "public")))) {
      if (name.includes(text)) rmSync(join(root, "public", name));
    }
  },
  put: (name, text) => {
    mkdirSync(dirname(join(root, "public", name)), { recursive: true });
    writeFileSync(join(root, "public", name), text);
  },
});

const inBucket = (layout: "archive" | "site"): Place => ({
  inputs: () => ({ bucket: STUB_BUCKET, prefix: "public", endpoint: store.endpoint, layout }),
  content: () =>
    Object.fromEntries(
      [...store.objects].map(([key, { body }]) => [key.slice("public/".length), String(body)]),
    ),
  lose: (text) => {
    for (const key of [...store.objects.keys()]) if (key.includes(text)) store.objects.delete(key);
  },
  put: (name, text) => store.put(`public/${name}`, text),
});

describe.each<[string, Place]>([
  ["a folder with archives", inFolder("archive")],
  ["a folder with sites", inFolder("site")],
  ["a bucket with archives", inBucket("archive")],
  ["a bucket with a site", inBucket("site")],
])("%s", (_, { inputs, content, put, lose }) => {
  const place = (): DraftingDestination => draftingDestination(inputs());
  /** Whether there is anything but records and marks. */
  const isThere = (): boolean => Object.keys(content()).some((name) => !name.endsWith(".json"));

  /** As an operation that begins with its own mark; before another read of the mark, somebody acts. */
  function meeting(when: () => boolean, act: () => void): DestinationContext {
    let hasActed = false;
    const clock = Object.create(operation.clock) as typeof operation.clock;
    clock.monotonic = () => {
      if (!hasActed && when()) {
        hasActed = true;
        act();
      }
      return operation.clock.monotonic();
    };
    return as(OWNER, { isCreate: false, clock });
  }
  const takeOver = (): void =>
    put(OWNER_FILE, JSON.stringify({ format: 1, owner: OTHER.id, urn: OTHER.urn }));
  const withoutMark = (): Record<string, string> => ({ ...content(), [OWNER_FILE]: "" });

  test("a removal that another resource's takeOver overtakes leaves everything to it, and names it", async () => {
    const copy = await publish(place(), "v1", as());
    const before = withoutMark();
    await place().release(
      [copy],
      meeting(() => true, takeOver),
    );
    expect(withoutMark()).toEqual(before);
    expect(JSON.parse(content()[OWNER_FILE] ?? "")).toMatchObject({ owner: OTHER.id });
    expect(operation.reporter.lines.warn).toEqual([
      expect.stringMatching(`^nothing more is removed from .*: it belongs to ${OTHER.urn ?? ""}`),
    ]);
    // with all that is recorded
    await place().release([], as(OTHER));
    expect(content()).toEqual({});
  });

  test("a removal that a takeOver overtakes between content and records leaves the records", async () => {
    const copy = await publish(place(), "v1", as());
    const records = (): string[] =>
      Object.keys(content()).filter((name) => /\.json$/.test(name) && name !== OWNER_FILE);
    const before = records();
    await place().release(
      [copy],
      meeting(() => !isThere(), takeOver),
    );
    expect(isThere()).toBe(false);
    expect(before).toHaveLength(1);
    expect(records()).toEqual(before);
    await place().release([], as(OTHER));
    expect(content()).toEqual({});
  });

  test("a removal whose mark disappears meanwhile removes nothing more, and a warning names what stays", async () => {
    const copy = await publish(place(), "v1", as());
    const before = withoutMark();
    await place().release(
      [copy],
      meeting(
        () => true,
        () => lose(OWNER_FILE),
      ),
    );
    expect(withoutMark()).toEqual(before);
    expect(operation.reporter.lines.warn.join()).toMatch(
      /nothing more is removed from .*: its mark .* is gone.* These stay: .*Remove them by hand/,
    );
  });

  test("of two that make the mark at once, the first keeps it, and the second is refused", async () => {
    const clock = Object.create(operation.clock) as typeof operation.clock;
    let hasMade = false;
    // the date of a mark: the other run makes its own after this one has found none
    clock.now = () => {
      if (!hasMade) takeOver();
      hasMade = true;
      return operation.clock.now();
    };
    await expect(place().claim([], as(OWNER, { clock }))).rejects.toThrow(`belongs to ${OTHER.urn ?? ""}`);
    expect(hasMade).toBe(true);
    expect(JSON.parse(content()[OWNER_FILE] ?? "")).toMatchObject({ owner: OTHER.id });
  });

  test("a mark that was made after the check found none is kept", async () => {
    await place().check([], as());
    takeOver();
    const before = content();
    await expect(place().claim([], as())).rejects.toThrow(`belongs to ${OTHER.urn ?? ""}`);
    expect(content()).toEqual(before);
  });

  test("pruning whose mark becomes unreadable meanwhile is an error: the next run tries again", async () => {
    const first = await publish(place(), "v1", as());
    const second = await publish(place(), "v2", as(OWNER, { isCreate: false }));
    const before = withoutMark();
    const context = meeting(
      () => true,
      () => put(OWNER_FILE, "<html>Sign in</html>"),
    );
    await expect(place().prune([first], [second], context)).rejects.toThrow("nothing more is removed from");
    expect(withoutMark()).toEqual(before);
  });

  test("a failed first publication leaves no mark", async () => {
    put(
      (inputs() as { layout?: string }).layout === "site" ? "index.html" : `${sha256("v1")}.tar.gz`,
      "theirs",
    );
    if ("folder" in inputs()) {
      rmSync(join(root, "public"), { recursive: true });
      mkdirSync(join(root, "public/current"), { recursive: true });
      mkdirSync(join(root, "public", `${sha256("v1")}.tar.gz`));
    }
    const before = content();
    await expect(publish(place(), "v1", as())).rejects.toThrow();
    expect(content()).toEqual(before);
  });
});
