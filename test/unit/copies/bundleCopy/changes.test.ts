// What a copy tells of the copies before it, compared with `diff -rq` of the two sites. Registry and store are servers on this machine.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import nodeFetch from "node-fetch";
import { create } from "tar";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import type { CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import type { SiteChanges } from "../../../../provider/publishing/destinations/destination.ts";
import { CANARIES, startBucketStub, STUB_BUCKET } from "../../../simulation/bucketStub.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { startRegistryStub } from "../../../simulation/registryStub.ts";
import { testContext } from "../../../simulation/testContext.ts";

type Site = Readonly<Record<string, string>>;

const TEXT = "text ".repeat(200);
const FIRST: Site = {
  "index.html": `<title>Start</title>${TEXT}`,
  "guide.html": `<title>Guide</title>${TEXT}`,
  "old/index.html": "<title>Old</title>",
  "old.html": "<title>Old</title>",
  "data.json": TEXT,
  "data.json.gz": "the site's own",
  "same.css": TEXT,
};
const SECOND: Site = {
  "index.html": `<title>New start</title>${TEXT}`,
  "guide.html": FIRST["guide.html"] ?? "",
  "guide/install.html": "<title>Install</title>",
  "same.css": TEXT,
  "data.json": `${TEXT}.`,
  "data.json.gz": "the site's own, too",
};

let folder: string;
let reporter: ReturnType<typeof recordingReporter>;
let nowMs: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "copy-changes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, value] of Object.entries(CANARIES)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  reporter = recordingReporter();
  nowMs = Date.UTC(2026, 0, 1);
});

const context = (): PublicationContext =>
  testContext({
    fetch: nodeFetch,
    clock: { ...systemClock, now: () => nowMs },
    reporter,
    configuration: {
      environment: (name) => (name === "PULUMI_HOME" ? join(folder, "home") : undefined),
      stackConfig: () => undefined,
    },
  });

const siteFolder = (version: string): string => join(folder, "sites", version);

/** Writes a site to a folder, and its bundle beside it. */
function bundleOf(site: Site, version: string, { root = "", format = "tar.gz" } = {}): string {
  const place = siteFolder(version);
  rmSync(place, { recursive: true, force: true });
  for (const [path, text] of Object.entries(site)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  const file = `${place}.${format}`;
  const cwd = root === "" ? place : join(folder, "sites");
  const options = { file, cwd, gzip: true, portable: true, noMtime: true, sync: true } as const;
  create(options, root === "" ? readdirSync(place) : [version]);
  return file;
}

function inputsOf(file: string, version: string, destination: object, more: object = {}): CheckedCopyInputs {
  const { inputs, failures } = bundleCopy.check(
    { source: { file, version, fileSha256: version.padStart(64, "0") }, destination, ...more },
    context().configuration,
  );
  expect(failures).toEqual([]);
  return inputs;
}

/** What `diff -rq` says of two sites, in the form of the output `changes`. */
function difference(one: string, other: string): Omit<SiteChanges, "since"> {
  const { stdout } = spawnSync("diff", ["-rqN", one, other], { encoding: "utf8", env: { LC_ALL: "C" } });
  const found: Record<"added" | "changed" | "removed", string[]> = { added: [], changed: [], removed: [] };
  const filesIn = (site: string): string[] =>
    readdirSync(site, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(site.length + 1));
  const [before, now] = [filesIn(one), filesIn(other)];
  for (const line of stdout.trimEnd().split("\n").filter(Boolean)) {
    const path = /^Files (.*) and .* differ$/.exec(line)?.[1]?.slice(one.length + 1) ?? "";
    if (!before.includes(path)) found.added.push(path);
    else if (!now.includes(path)) found.removed.push(path);
    else found.changed.push(path);
  }
  const listOf = (paths: string[]) => ({
    count: paths.length,
    paths: paths.sort().slice(0, 100),
  });
  const { added, changed, removed } = found;
  return { added: listOf(added), changed: listOf(changed), removed: listOf(removed) };
}

const DESTINATIONS: readonly (readonly [string, () => Promise<object>])[] = [
  ["archives in a folder", () => Promise.resolve({ folder: join(folder, "copies") })],
  ["sites in a folder", () => Promise.resolve({ folder: join(folder, "copies"), layout: "site" })],
  ["archives in a bucket", () => inBucket("archive")],
  ["sites in a bucket", () => inBucket("site")],
  [
    "images",
    async () => ({
      repository: `${(await startRegistryStub({ onTestFinished })).host}/docs`,
      plainHttp: true,
    }),
  ],
];

async function inBucket(layout: string): Promise<object> {
  const { endpoint } = await startBucketStub({ onTestFinished });
  return { bucket: STUB_BUCKET, endpoint, layout, prefix: "v" };
}

describe.each(DESTINATIONS)("of %s", (_, destinationOf) => {
  test("the changes are those that `diff -rq` finds, in both directions, and the earlier copies are listed", async () => {
    const destination = await destinationOf();
    const [one, other] = [bundleOf(FIRST, "v1"), bundleOf(SECOND, "v2", { root: "v2" })];
    const first = await bundleCopy.create(context(), inputsOf(one, "v1", destination));
    expect(first.outputs.earlier).toEqual([]);
    expect(first.outputs).not.toHaveProperty("changes");

    nowMs += 60_000;
    const second = await bundleCopy.update(context(), first, inputsOf(other, "v2", destination));
    const { since, ...changes } = second.outputs.changes ?? {};
    expect(since).toBe(first.outputs.uri);
    expect(changes).toEqual(difference(siteFolder("v1"), siteFolder("v2")));
    const { version, uri, image, sha256, copiedAt } = first.outputs;
    expect(second.outputs.earlier).toEqual([
      { version, uri, sha256, copiedAt, ...(image !== undefined && { image }) },
    ]);

    const third = await bundleCopy.update(context(), second, inputsOf(one, "v1", destination));
    expect(third.outputs.changes).toEqual({
      since: second.outputs.uri,
      ...difference(siteFolder("v2"), siteFolder("v1")),
    });
    expect(third.outputs.earlier?.map((copy) => copy.uri)).toEqual([second.outputs.uri]);
    expect(reporter.lines.warn).toEqual([]);
    // only the newest copy needs its changes in the state
    expect(third.bookkeeping.copies.map(({ bundle }) => bundle.changes !== undefined)).toEqual([true, false]);
  });

  test("a state of an earlier version has no diff, and its next copy tells the changes", async () => {
    const destination = await destinationOf();
    const inputs = inputsOf(bundleOf(FIRST, "v1"), "v1", destination);
    const state = await bundleCopy.create(context(), inputs);
    const entries = Object.entries(state.outputs).filter(([name]) => name !== "earlier");
    const old = { ...state, outputs: Object.fromEntries(entries) } as unknown as BundleCopyState;
    expect(bundleCopy.diff(inputs, old, { name: "m", nowMs })).toMatchObject({
      changed: [],
      hidden: false,
      decision: { code: "UP_TO_DATE" },
    });
    const next = await bundleCopy.update(context(), old, inputsOf(bundleOf(SECOND, "v2"), "v2", destination));
    expect(next.outputs.changes).toMatchObject(difference(siteFolder("v1"), siteFolder("v2")));
  });

  test("an earlier copy that is gone fails nothing: what changed is not known", async () => {
    const destination = await destinationOf();
    const inputs = inputsOf(bundleOf(FIRST, "v1"), "v1", destination);
    const state = await bundleCopy.create(context(), inputs);
    const isImage = state.outputs.image !== undefined;
    const elsewhere = isImage
      ? { parts: { manifests: [`sha256:${"0".repeat(64)}`] } }
      : { sha256: "0".repeat(64), parts: { file: "gone.tar.gz", key: "gone", size: 1, etag: "e" } };
    const [made] = state.bookkeeping.copies;
    if (!made) throw new Error("a copy was made");
    const lost = { ...made, copy: { ...made.copy, ...elsewhere } };
    const without = { ...state, bookkeeping: { ...state.bookkeeping, copies: [lost] } };
    const next = inputsOf(bundleOf(SECOND, "v2"), "v2", destination, { keep: 1 });
    const { outputs } = await bundleCopy.update(context(), without, next);
    expect(outputs.version).toBe("v2");
    expect(outputs).not.toHaveProperty("changes");
    expect(reporter.lines.info).toContain(`${state.outputs.uri} is gone: the changes since then are unknown`);
  });
});

test("an earlier archive that was changed fails nothing, and a warning says so", async () => {
  const destination = { folder: join(folder, "copies") };
  const state = await bundleCopy.create(
    context(),
    inputsOf(bundleOf(FIRST, "v1"), "v1", destination, { keep: 2 }),
  );
  const bytes = readFileSync(state.outputs.uri);
  writeFileSync(state.outputs.uri, bytes.subarray(0, bytes.length / 2));
  const next = inputsOf(bundleOf(SECOND, "v2"), "v2", destination, { keep: 2 });
  const { outputs } = await bundleCopy.update(context(), state, next);
  expect(outputs).not.toHaveProperty("changes");
  expect(reporter.lines.warn).toEqual([
    expect.stringMatching(
      /copies\/.*cannot be read, so the output `changes` is not set\. The copy is made\./,
    ),
  ]);
});

test("at most 100 paths of each kind are told, sorted, with the number of all", async () => {
  const destination = { folder: join(folder, "copies"), layout: "site" };
  const pages = (begin: string, text: string): Site =>
    Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`${begin}-${at}.html`, text]));
  const before = { "index.html": "x", ...pages("gone", "a"), ...pages("page", "b") };
  const now = { "index.html": "x", ...pages("new", "a"), ...pages("page", "c") };
  const state = await bundleCopy.create(context(), inputsOf(bundleOf(before, "v1"), "v1", destination));
  const { outputs } = await bundleCopy.update(
    context(),
    state,
    inputsOf(bundleOf(now, "v2"), "v2", destination),
  );
  expect(outputs.changes).toMatchObject(difference(siteFolder("v1"), siteFolder("v2")));
  expect(outputs.changes?.added.count).toBe(120);
  expect(outputs.changes?.added.paths).toHaveLength(100);
});

test("the files of the search count, as readers load them", async () => {
  const destination = { folder: join(folder, "copies"), layout: "site" };
  const file = bundleOf(FIRST, "v1");
  const state = await bundleCopy.create(context(), inputsOf(file, "v1", destination));
  const before = join(folder, state.outputs.uri.slice(folder.length + 1));
  const { outputs } = await bundleCopy.update(
    context(),
    state,
    inputsOf(file, "v1", destination, { offlineSearch: true }),
  );
  expect(outputs.changes).toEqual({ since: before, ...difference(before, outputs.uri) });
  expect(outputs.changes?.added.paths).toContain("docs-hosting-search/load.js");
});

test("another label of the same archive changes no file; the same copy again keeps what it told", async () => {
  const destination = {
    repository: `${(await startRegistryStub({ onTestFinished })).host}/docs`,
    plainHttp: true,
  };
  const [one, other] = [bundleOf(FIRST, "v1"), bundleOf(SECOND, "v2")];
  const first = await bundleCopy.create(context(), inputsOf(one, "v1", destination));
  const second = await bundleCopy.update(context(), first, inputsOf(other, "v2", destination));
  const drifted = { ...second, bookkeeping: { ...second.bookkeeping, drifted: "changed" as const } };
  const again = await bundleCopy.update(context(), drifted, inputsOf(other, "v2", destination));
  expect(again.outputs.uri).toBe(second.outputs.uri);
  expect(again.outputs.changes).toEqual(second.outputs.changes);

  const renamed = await bundleCopy.update(context(), again, inputsOf(other, "v3", destination));
  expect(renamed.outputs.uri).not.toBe(again.outputs.uri);
  const none = { count: 0, paths: [] };
  expect(renamed.outputs.changes).toEqual({
    since: again.outputs.uri,
    added: none,
    changed: none,
    removed: none,
  });
});

test("a preview does not know them before a copy, and knows which copies a lower `keep` leaves", async () => {
  const destination = { folder: join(folder, "copies") };
  const [one, other] = [bundleOf(FIRST, "v1"), bundleOf(SECOND, "v2")];
  const first = await bundleCopy.create(context(), inputsOf(one, "v1", destination));
  const next = inputsOf(other, "v2", destination);
  expect(bundleCopy.predict(next, first, { name: "m", nowMs })).toMatchObject({
    earlier: UNKNOWN,
    changes: UNKNOWN,
  });
  const second = await bundleCopy.update(context(), first, next);
  const fewer = bundleCopy.predict(inputsOf(other, "v2", destination, { keep: 0 }), second, {
    name: "m",
    nowMs,
  });
  expect(fewer).toMatchObject({ earlier: [], changes: { since: first.outputs.uri } });
});

test("a site in a bucket whose record does not say which pages were sent twice is compared without them", async () => {
  const store = await startBucketStub({ onTestFinished });
  const destination = { bucket: STUB_BUCKET, endpoint: store.endpoint, layout: "site", prefix: "v" };
  const state = await bundleCopy.create(context(), inputsOf(bundleOf(SECOND, "v1"), "v1", destination));
  const [key = "", record] =
    [...store.objects].find(([name]) => /^v\/\.docs-hosting\/[0-9a-f]{64}\.json$/.test(name)) ?? [];
  const { derived, ...older } = JSON.parse(String(record?.body)) as { derived: string[] };
  expect(derived).toEqual(["guide/install", "guide/index.html"]);
  store.put(key, JSON.stringify(older));
  const next = inputsOf(bundleOf({ "index.html": "<title>Only this</title>" }, "v2"), "v2", destination);
  const { outputs } = await bundleCopy.update(context(), state, next);
  expect(outputs.changes).toMatchObject(difference(siteFolder("v1"), siteFolder("v2")));
});
