// A place belongs to one resource: the rule at real folders and at a bucket, for each layout.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
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
  Destination,
  DestinationContext,
} from "../../../../provider/publishing/destinations/destination.ts";
import { destinationOf } from "../../../../provider/publishing/destinations/destinationOf.ts";
import type { DestinationInputs } from "../../../../provider/publishing/destinations/inputs.ts";
import { newOwner } from "../../../../provider/publishing/ownership/owner.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  stubError,
  type StubOperation,
  stubOperation,
} from "../../../simulation/bucketStub.ts";
import { COPY_URN, otherOwner, OWNER } from "../../../simulation/owners.ts";

const OTHER = otherOwner();
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
const lines = (): string[] => [...operation.reporter.lines.info, ...operation.reporter.lines.warn];

async function publish(destination: Destination, text: string, context: DestinationContext): Promise<Copy> {
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
])("%s", (_, { inputs, content, lose, put }) => {
  const place = (): Destination => destinationOf(inputs());

  test("has one mark, that names its owner; the last removal leaves nothing", async () => {
    const first = await publish(place(), "v1", as());
    const second = await publish(place(), "v2", as());
    const { ".docs-hosting/owner.json": mark = "" } = content();
    expect(JSON.parse(mark)).toMatchObject({ format: 1, owner: OWNER.id, stack: "docs/dev", urn: COPY_URN });
    await place().remove([first], [second], as());
    expect(await place().compare(second, as())).toBe("same");
    await place().remove([second], [], as());
    expect(content()).toEqual({});
    expect(operation.reporter.lines.warn).toEqual([]);
  });

  test("of another stack is refused before anything is written, and not touched by a removal", async () => {
    const theirs = await publish(place(), "v1", as(OTHER));
    const before = content();
    await expect(place().check([], as())).rejects.toThrow(
      `belongs to ${OTHER.urn ?? ""} (stack website/prod), since `,
    );
    await expect(publish(place(), "v2", as())).rejects.toMatchObject({
      remedy: expect.stringMatching(
        /of its own, for example `.*\$\{pulumi\.getStack\(\)\}`, or, .* set `takeOver: true`/,
      ) as string,
    });
    expect(await place().compare(theirs, as())).toBe("taken");
    await place().remove([theirs], [], as());
    expect(content()).toEqual(before);
    expect(lines().at(-1)).toContain(`nothing is removed from`);
  });

  test("of another stack is taken over with takeOver, with everything that is recorded, and a warning", async () => {
    await publish(place(), "v1", as(OTHER));
    const copy = await publish(place(), "v2", as(OWNER, { takeOver: true }));
    expect(operation.reporter.lines.warn.join()).toContain("is taken over, with everything");
    await expect(publish(place(), "v3", as(OTHER, { isCreate: false }))).rejects.toThrow("belongs to");
    await place().remove([copy], [], as());
    expect(content()).toEqual({});
  });

  test("is taken over by a create of the same URN, not by a state with another owner ID", async () => {
    const before = newOwner(COPY_URN);
    await publish(place(), "v1", as(before));
    await expect(publish(place(), "v2", as(OWNER, { isCreate: false }))).rejects.toThrow(
      "whose owner ID is not",
    );
    const copy = await publish(place(), "v2", as());
    expect(operation.reporter.lines.info.join()).toContain("is taken over");
    // the resource that was replaced
    await place().remove([copy], [], as(before, { isCreate: false }));
    expect(await place().compare(copy, as())).toBe("same");
    await place().remove([copy], [], as());
    expect(content()).toEqual({});
  });

  test("is not taken back from a create elsewhere: a repeated replacement takes it over again", async () => {
    await publish(place(), "v1", as(OWNER));
    await publish(place(), "v1", as(newOwner(COPY_URN)));
    await expect(publish(place(), "v2", as(OWNER, { isCreate: false }))).rejects.toThrow(
      "whose owner ID is not",
    );
    const owner = newOwner(COPY_URN);
    const copy = await publish(place(), "v2", as(owner));
    await place().remove([copy], [], as(owner, { isCreate: false }));
    expect(content()).toEqual({});
  });

  test("is not left without its mark: nothing is removed, and a warning names what stays; it is written again", async () => {
    const copy = await publish(place(), "v1", as());
    lose("owner.json");
    const before = content();
    expect(await place().compare(copy, as())).toBe("unmarked");
    await place().remove([copy], [], as());
    expect(content()).toEqual(before);
    expect(operation.reporter.lines.warn.at(-1)).toMatch(
      /its mark .* is gone.* These stay: .*Remove them by hand/,
    );
    await place().claim([copy], as(OWNER, { isCreate: false }));
    await place().remove([copy], [], as());
    expect(content()).toEqual({});
  });

  test.each(["", "<html>Sign in</html>", '{"format":1', "x".repeat(70_000)])(
    "with an unreadable mark is refused, and nothing is removed: %.12j",
    async (text) => {
      const copy = await publish(place(), "v1", as());
      put(".docs-hosting/owner.json", text);
      const before = content();
      await expect(publish(place(), "v2", as(OWNER, { takeOver: true }))).rejects.toThrow(
        "cannot be read from",
      );
      await place().remove([copy], [], as());
      expect(content()).toEqual(before);
      expect(operation.reporter.lines.warn.at(-1)).toMatch(/cannot be read: .* These stay: /);
    },
  );

  test("that loses its records is recognised by its content", async () => {
    const first = await publish(place(), "v1", as());
    lose(".docs-hosting/");
    expect(await place().compare(first, as())).not.toBe("gone");
    const again = await publish(place(), "v1", as());
    expect(again.uri).toBe(first.uri);
    await place().remove([again], [], as());
    expect(content()).toEqual({});
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

  test("marks of unreleased versions are replaced if all name this resource, else they are another's", async () => {
    const copy = await publish(place(), "v1", as());
    lose("owner.json");
    const folder = "folder" in inputs() ? ".docs-hosting" : ".docs-hosting/owners";
    const mark = (owner: typeof OWNER) => JSON.stringify({ format: 1, owner: owner.id, urn: owner.urn });
    put(`${folder}/item/${OWNER.id}.json`, mark(OWNER));
    await place().claim([copy], as(OWNER, { isCreate: false }));
    expect(Object.keys(content()).filter((name) => name.includes("/item/"))).toEqual([]);
    lose("owner.json");
    put(`${folder}/item/${OTHER.id}.json`, mark(OTHER));
    await expect(place().claim([copy], as(OWNER, { isCreate: false }))).rejects.toThrow("belongs to");
  });
});

describe("a draft of a mark", () => {
  const copies = (): Destination => destinationOf({ folder: join(root, "public") });
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
    await copies().remove([copy], [], as());
    expect(readdirSync(join(root, "public"))).toEqual([]);
    expect(operation.reporter.lines.warn).toEqual([]);
  });

  test("that a run on another machine may still write stays, and the last removal names it", async () => {
    const copy = await publish(copies(), "v1", as());
    const draft = putDraft(ELSEWHERE, DAY_MS / 2);
    await copies().remove([copy], [], as());
    expect(readdirSync(join(root, "public"))).toEqual([".docs-hosting"]);
    expect(operation.reporter.lines.warn.at(-1)).toContain(`${draft}. Remove them`);
  });

  test("of a running process of this machine stays without a word", async () => {
    const copy = await publish(copies(), "v1", as());
    const draft = putDraft(`.${ownName()}.draft`, 2 * DAY_MS);
    await copies().remove([copy], [], as());
    expect(existsSync(draft)).toBe(true);
    expect(operation.reporter.lines.warn).toEqual([]);
  });

  test.skipIf(process.geteuid?.() !== 0)("of another user stays, and the last removal names it", async () => {
    const copy = await publish(copies(), "v1", as());
    const draft = putDraft(".free-abcdabcd.draft", 2 * DAY_MS);
    chownSync(draft, 65_534, 65_534);
    await copies().remove([copy], [], as());
    expect(existsSync(draft)).toBe(true);
    expect(operation.reporter.lines.warn.at(-1)).toContain(draft);
  });
});

test("records of another kind of resource stay with their items, and the last removal names both", async () => {
  const place = destinationOf({ folder: join(root, "public") });
  const copy = await publish(place, "v1", as());
  mkdirSync(join(root, "public/docs-v1-0123456789ab"));
  const record = join(root, "public/.docs-hosting/docs-v1-0123456789ab.json");
  writeFileSync(record, "{}");
  await place.remove([copy], [], as());
  expect(operation.reporter.lines.warn.at(-1)).toContain(
    `${record}, ${join(root, "public/docs-v1-0123456789ab")}. Remove them`,
  );
});

test("a prefix below another's is a place of its own: neither touches the other's files", async () => {
  const at = (prefix: string): Destination =>
    destinationOf({ bucket: STUB_BUCKET, prefix, endpoint: store.endpoint, layout: "site" });
  const outer = await publish(at("public"), "v1", as());
  const inner = await publish(at("public/b"), "v1", as(OTHER));
  await at("public").remove([outer], [], as());
  expect(await at("public/b").compare(inner, as(OTHER))).toBe("same");
  // an outer site must not count the inner one's files as its own
  store.put("public/index.html", store.objects.get("public/b/index.html")?.body ?? "");
  await at("public/b").remove([inner], [], as(OTHER));
  expect([...store.objects.keys()]).toEqual(["public/index.html"]);
});

test("a mark that the store refuses to show is no proof: nothing is written, and nothing removed", async () => {
  const place = destinationOf({ bucket: STUB_BUCKET, prefix: "public", endpoint: store.endpoint });
  const copy = await publish(place, "v1", as());
  const keys = [...store.objects.keys()];
  store.rule = ({ method, key }) =>
    method === "GET" && key.endsWith("owner.json") ? stubError(403, "AccessDenied") : undefined;
  await expect(publish(place, "v2", as(OWNER, { takeOver: true }))).rejects.toThrow("cannot be read from");
  await place.remove([copy], [], as());
  expect([...store.objects.keys()]).toEqual(keys);
  expect(operation.reporter.lines.warn.at(-1)).toContain(
    "s3:GetObject on s3://docs/public/.docs-hosting/owner.json is not",
  );
});

test("a store that loses the mark is noticed, and of two that make it at once, one is refused", async () => {
  const place = destinationOf({ bucket: STUB_BUCKET, prefix: "public", endpoint: store.endpoint });
  store.rule = ({ method, key }) =>
    method === "PUT" && key.endsWith("owner.json") ? { status: 200 } : undefined;
  await expect(publish(place, "v1", as())).rejects.toThrow("is not there after it was written");
  store.rule = () => undefined;
  const both = await Promise.allSettled([publish(place, "v1", as()), publish(place, "v2", as(OTHER))]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a store without conditional writes gets a plain one", async () => {
  const place = destinationOf({
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
    const place = destinationOf({ folder, layout: "site" });
    await expect(publish(place, "v1", as(OWNER, { takeOver: true }))).rejects.toThrow("cannot be read from");
    expect(readFileSync(join(root, "users.json"), "utf8")).toBe("mine");
    expect(existsSync(join(folder, "current"))).toBe(false);
  },
);
