// Whose a place is: what only folders, or only buckets, have. For every place: test/contracts/place.ts.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ownName } from "../../../../provider/base/runtime/files/ownerProcess.ts";
import type {
  Copy,
  DestinationContext,
  DraftingDestination,
} from "../../../../provider/publishing/destinations/destination.ts";
import type { DestinationInputs } from "../../../../provider/publishing/destinations/inputs.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubError,
  type StubOperation,
  stubOperation,
} from "../../../simulation/bucketStub.ts";
import { draftingDestination } from "../../../simulation/draftingDestination.ts";
import { otherOwner, OWNER } from "../../../simulation/owners.ts";

const OTHER = otherOwner();
const OWNER_FILE = ".docs-hosting/owner.json";
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

let root: string;
let store: BucketStub;
let operation: StubOperation;
beforeEach(async (context) => {
  root = mkdtempSync(join(tmpdir(), "places-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  store = await startBucketStub(context);
  operation = await stubOperation(context);
});

const as = (owner = OWNER, more: Partial<DestinationContext> = {}): DestinationContext => ({
  ...operation,
  owner,
  isCreate: true,
  ...more,
});

async function publish(
  destination: DraftingDestination,
  text: string,
  context: DestinationContext,
): Promise<Copy> {
  const path = join(root, `${text}.tar.gz`);
  writeFileSync(path, text);
  const bundle = { path, format: "tar.gz", sha256: sha256(text), size: text.length, version: text } as const;
  const scratch = mkdtempSync(join(root, "scratch-"));
  const draft = await destination.begin(bundle, { ...context, scratch: () => Promise.resolve(scratch) });
  try {
    for (const [name, body] of Object.entries({ "index.html": text, [`${text}.css`]: text })) {
      await draft.sink?.file({ path: name, size: body.length }, Readable.from([Buffer.from(body)]));
    }
    return await draft.publish();
  } catch (error) {
    await draft.abandon?.();
    throw error;
  }
}

interface Place {
  readonly inputs: () => DestinationInputs;
  /** Everything that is there, by name. */
  readonly content: () => Record<string, string>;
  /** Removes names that contain a text. */
  readonly lose: (text: string) => void;
  readonly put: (name: string, text: string) => void;
}

function contentOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name).slice(folder.length + 1),
        readFileSync(join(entry.parentPath, entry.name), "utf8"),
      ]),
  );
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

describe("a draft of a mark", () => {
  const copies = (): DraftingDestination => draftingDestination({ folder: join(root, "public") });
  const records = (): string => join(root, "public/.docs-hosting");
  const putDraft = (name: string, ageMs: number): string => {
    mkdirSync(records(), { recursive: true });
    const path = join(records(), name);
    writeFileSync(path, "");
    const at = new Date(Date.now() - ageMs);
    utimesSync(path, at, at);
    return path;
  };
  const ELSEWHERE = ".fedcba9876543210-1-1-abcdabcd.draft";
  const DAY_MS = 24 * 3_600_000;

  test("of a run that was killed on another machine goes after a day", async () => {
    const draft = putDraft(ELSEWHERE, 2 * DAY_MS);
    const copy = await publish(copies(), "v1", as());
    expect(existsSync(draft)).toBe(false);
    putDraft(ELSEWHERE, 2 * DAY_MS);
    await copies().release([copy], as());
    expect(readdirSync(join(root, "public"))).toEqual([]);
    expect(operation.reporter.lines.warn).toEqual([]);
  });

  test("that a run on another machine may still write stays, and the last removal names it", async () => {
    const copy = await publish(copies(), "v1", as());
    const draft = putDraft(ELSEWHERE, DAY_MS / 2);
    await copies().release([copy], as());
    expect(readdirSync(join(root, "public"))).toEqual([".docs-hosting"]);
    expect(operation.reporter.lines.warn.at(-1)).toContain(`${draft}. Remove them`);
  });

  test("of a running process of this machine stays without a word", async () => {
    const copy = await publish(copies(), "v1", as());
    const draft = putDraft(`.${ownName()}.draft`, 2 * DAY_MS);
    await copies().release([copy], as());
    expect(existsSync(draft)).toBe(true);
    expect(operation.reporter.lines.warn).toEqual([]);
  });

  test.skipIf(process.geteuid?.() !== 0)("of another user stays, and the last removal names it", async () => {
    const copy = await publish(copies(), "v1", as());
    const draft = putDraft(".free-abcdabcd.draft", 2 * DAY_MS);
    chownSync(draft, 65_534, 65_534);
    await copies().release([copy], as());
    expect(existsSync(draft)).toBe(true);
    expect(operation.reporter.lines.warn.at(-1)).toContain(draft);
  });
});

test("records of another kind of resource stay with their items, and the last removal names both", async () => {
  const place = draftingDestination({ folder: join(root, "public") });
  const copy = await publish(place, "v1", as());
  mkdirSync(join(root, "public/docs-v1-0123456789ab"));
  const record = join(root, "public/.docs-hosting/docs-v1-0123456789ab.json");
  writeFileSync(record, "{}");
  await place.release([copy], as());
  expect(operation.reporter.lines.warn.at(-1)).toContain(
    `${record}, ${join(root, "public/docs-v1-0123456789ab")}. Remove them`,
  );
});

test("a prefix below another's is a place of its own: neither touches the other's files", async () => {
  const at = (prefix: string): DraftingDestination =>
    draftingDestination({ bucket: STUB_BUCKET, prefix, endpoint: store.endpoint, layout: "site" });
  const outer = await publish(at("public"), "v1", as());
  const inner = await publish(at("public/b"), "v1", as(OTHER));
  await at("public").release([outer], as());
  expect(await at("public/b").compare(inner, as(OTHER))).toBe("same");
  // an outer site must not count the inner one's files as its own
  store.put("public/index.html", store.objects.get("public/b/index.html")?.body ?? "");
  await at("public/b").release([inner], as(OTHER));
  expect([...store.objects.keys()]).toEqual(["public/index.html"]);
});

test("a mark that the store refuses to show is no proof: nothing is written, and nothing removed", async () => {
  const place = draftingDestination({ bucket: STUB_BUCKET, prefix: "public", endpoint: store.endpoint });
  const copy = await publish(place, "v1", as());
  const keys = [...store.objects.keys()];
  store.rule = ({ method, key }) =>
    method === "GET" && key.endsWith("owner.json") ? stubError(403, "AccessDenied") : undefined;
  await expect(publish(place, "v2", as(OWNER, { takeOver: true }))).rejects.toThrow("cannot be read from");
  await place.release([copy], as());
  expect([...store.objects.keys()]).toEqual(keys);
  expect(operation.reporter.lines.warn.at(-1)).toContain(
    "s3:GetObject on s3://docs/public/.docs-hosting/owner.json is not",
  );
});

test.skipIf(process.geteuid?.() !== 0)(
  "a mark that the file system refuses to show is no proof: nothing is written, nothing removed, and the removal ends",
  async () => {
    const place = draftingDestination({ folder: join(root, "public") });
    const copy = await publish(place, "v1", as());
    chmodSync(root, 0o755);
    chmodSync(join(root, "public/.docs-hosting"), 0o700);
    const before = contentOf(join(root, "public"));
    process.seteuid?.(65_534);
    try {
      await expect(place.claim([copy], as(OWNER, { takeOver: true }))).rejects.toThrow(
        "owner.json: permission denied (EACCES)",
      );
      await place.release([copy], as());
    } finally {
      process.seteuid?.(0);
    }
    expect(contentOf(join(root, "public"))).toEqual(before);
    expect(operation.reporter.lines.warn.at(-1)).toMatch(
      /cannot be read: permission denied \(EACCES\)\. These stay: \S+\.tar\.gz\. Remove them by hand/,
    );
  },
);

test("a store that loses the mark is noticed, and of two that make it at once, one is refused", async () => {
  const place = draftingDestination({ bucket: STUB_BUCKET, prefix: "public", endpoint: store.endpoint });
  store.rule = ({ method, key }) =>
    method === "PUT" && key.endsWith("owner.json") ? { status: 200, headers: { etag: "x" } } : undefined;
  await expect(publish(place, "v1", as())).rejects.toThrow("is not there after it was written");
  store.rule = () => undefined;
  const both = await Promise.allSettled([publish(place, "v1", as()), publish(place, "v2", as(OTHER))]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test.each(["archive", "site"] as const)(
  "the mark of who takes a place over right before the mark is removed stays: %s",
  async (layout) => {
    const place = draftingDestination({
      bucket: STUB_BUCKET,
      prefix: "public",
      endpoint: store.endpoint,
      layout,
    });
    const copy = await publish(place, "v1", as());
    const theirs = JSON.stringify({ format: 1, owner: OTHER.id, urn: OTHER.urn });
    store.rule = ({ method, key }) => {
      if (method === "GET" && key.endsWith("owner.json") && store.objects.size === 1) {
        store.put(`public/${OWNER_FILE}`, theirs);
      }
      return undefined;
    };
    await place.release([copy], as());
    expect([...store.objects].map(([key, { body }]) => [key, String(body)])).toEqual([
      [`public/${OWNER_FILE}`, theirs],
    ]);
  },
);

test("a store without conditional writes gets a plain one", async () => {
  const place = draftingDestination({
    bucket: STUB_BUCKET,
    prefix: "public",
    endpoint: store.endpoint,
    layout: "site",
  });
  store.rule = ({ method, key, headers }) =>
    method === "PUT" && key.endsWith("owner.json") && headers["if-none-match"] !== undefined
      ? stubError(501, "NotImplemented")
      : undefined;
  await place.claim([], as());
  expect([...store.objects.keys()]).toEqual(["public/.docs-hosting/owner.json"]);
});

test.skipIf(process.platform === "win32").each(["a link", "a FIFO", "a folder", "a linked folder"])(
  "a mark that is %s is refused at once",
  async (what) => {
    const folder = join(root, "public");
    const records = join(folder, ".docs-hosting");
    mkdirSync(folder);
    writeFileSync(join(root, "users.json"), "mine");
    if (what === "a linked folder") symlinkSync(root, records);
    else mkdirSync(records);
    if (what === "a link") symlinkSync(join(root, "users.json"), join(records, "owner.json"));
    if (what === "a FIFO") execFileSync("mkfifo", [join(records, "owner.json")]);
    if (what === "a folder") mkdirSync(join(records, "owner.json"));
    const place = draftingDestination({ folder, layout: "site" });
    await expect(publish(place, "v1", as(OWNER, { takeOver: true }))).rejects.toThrow("cannot be read from");
    expect(readFileSync(join(root, "users.json"), "utf8")).toBe("mine");
    expect(existsSync(join(folder, "current"))).toBe(false);
  },
);
