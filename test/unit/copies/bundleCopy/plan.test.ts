import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { COPIES } from "../../../../provider/copies/bundleCopy/copyKind.ts";
import type { CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import { linkOutputs } from "../../../../provider/copies/bundleCopy/linkOutputs.ts";
import {
  type BundleCopyState,
  COPY_STATE,
  type MadeCopy,
} from "../../../../provider/copies/bundleCopy/state.ts";
import { publishedLifeCycle } from "../../../../provider/copies/publication/lifeCycle.ts";
import { planPublication } from "../../../../provider/copies/publication/plan.ts";
import {
  destinationChange,
  type DestinationInputs,
} from "../../../../provider/publishing/destinations/inputs.ts";
import { decisionLine } from "../../../../provider/resource/decision.ts";

const { inputsOf, stateOf } = COPY_STATE;
const SHA256 = "a".repeat(64);
const SOURCE = {
  domain: "docs.example.com",
  jobId: "j1",
  version: "v1",
  baseUrl: "https://api.example.com",
  apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
};
const BUCKET: DestinationInputs = { bucket: "docs", layout: "archive", linkLife: "24h" };
const IMAGE: DestinationInputs = {
  repository: "registry.internal/docs/site",
  base: "registry.internal/nginx:1.30",
};
const HOUR_MS = 3_600_000;

const inputs = (given: Partial<CheckedCopyInputs> = {}): CheckedCopyInputs => ({
  source: SOURCE,
  destination: BUCKET,
  requireSelfContained: false,
  limits: { archiveBytes: 1_000, unpackedBytes: 10_000, files: 10 },
  keep: 1,
  ...given,
});
const made = (version: string, more: Partial<MadeCopy["copy"]> = {}): MadeCopy => ({
  copy: { sha256: SHA256, uri: `s3://docs/${version}`, parts: { key: version }, ...more },
  bundle: {
    version,
    jobId: "j1",
    sha256: SHA256,
    size: 900,
    files: 9,
    pages: 3,
    selfContained: false,
    externalLoads: [{ page: "index.html", address: "https://cdn.example.net/a.js" }],
    copiedAt: "2026-01-01T00:00:00.000Z",
  },
});
const LINK = {
  url: "https://s3.example.com/docs/v1?X-Amz-Signature=x",
  expiresAtMs: 24 * HOUR_MS,
};
const state = (
  given: Partial<CheckedCopyInputs> = {},
  link: typeof LINK | "unsigned" = LINK,
): BundleCopyState =>
  stateOf(inputs(given), [made("v1"), made("v0")], link === "unsigned" ? undefined : linkOutputs(link, 0));
const decided = (now: CheckedCopyInputs, before: BundleCopyState | undefined, nowMs = 0): string => {
  const plan = planPublication(COPIES, now, before, nowMs);
  return `${plan.action} ${decisionLine(plan)}`;
};
const COPIED = "job j1 of docs.example.com is copied to";

describe("the decision", () => {
  test("of a new resource, and of one whose destination is not known yet", () => {
    expect(decided(inputs(), undefined)).toBe(`publish NEW: ${COPIED} s3://docs`);
    const unknown = inputs({
      source: { ...SOURCE, jobId: UNKNOWN },
      destination: { repository: UNKNOWN, base: UNKNOWN },
    });
    expect(decided(unknown, undefined)).toBe(
      "publish NEW: the export of docs.example.com is copied to a destination that is not known yet",
    );
  });

  test.each([
    { bundleUrl: null },
    { bundleUrl: "" },
    { expiresAt: null },
    { renewAfter: "soon" },
    { bundleUrl: null, expiresAt: null, renewAfter: null },
  ])("signs another link if the state has %j in its place, and copies nothing", (values) => {
    const { outputs, bookkeeping } = state();
    const damaged = { outputs: { ...outputs, ...values }, bookkeeping } as unknown as BundleCopyState;
    expect(decided(inputs(), damaged)).toBe(
      "sign RENEW_WINDOW: the state has no valid link to s3://docs/v1, or no valid date of it, so the link is renewed; nothing is copied",
    );
  });

  test("without changes: none", () => {
    expect(decided(inputs(), state())).toBe("record UP_TO_DATE: s3://docs/v1 is the copy");
  });

  test.each<[string, Partial<CheckedCopyInputs>, string]>([
    [
      "another job",
      { source: { ...SOURCE, jobId: "j2" } },
      "source changed, so job j2 of docs.example.com is copied to",
    ],
    ["another label", { source: { ...SOURCE, version: "v2" } }, `source changed, so ${COPIED}`],
    [
      "another digest",
      { sha256: "b".repeat(64) },
      `the copy has another sha256 than requested, so ${COPIED}`,
    ],
    ["what it has not", { requireSelfContained: true }, `a self-contained bundle is required, so ${COPIED}`],
    [
      "less bytes",
      { limits: { archiveBytes: 899, unpackedBytes: 10_000, files: 10 } },
      `the bundle of the copy exceeds its limits, so ${COPIED}`,
    ],
    [
      "fewer files",
      { limits: { archiveBytes: 1_000, unpackedBytes: 10_000, files: 8 } },
      `the bundle of the copy exceeds its limits, so ${COPIED}`,
    ],
    [
      "two of these",
      { requireSelfContained: true, sha256: "b".repeat(64) },
      `the copy has another sha256 than requested, a self-contained bundle is required, so ${COPIED}`,
    ],
  ])("where %s is wanted: a copy", (_, given, text) => {
    expect(decided(inputs(given), state())).toBe(`publish NEW_CONTENT: ${text} s3://docs`);
  });

  test.each<[string, Partial<CheckedCopyInputs>, string]>([
    [
      "another key",
      { source: { ...SOURCE, apiKeyEnv: "OTHER_KEY" } },
      "UP_TO_DATE: s3://docs/v1 is the copy",
    ],
    ["the digest that it has", { sha256: SHA256 }, "SETTINGS: sha256 changed: recorded without a request"],
    [
      "just enough room",
      { limits: { archiveBytes: 900, unpackedBytes: 1, files: 9 } },
      "SETTINGS: limits changed: recorded without a request",
    ],
    [
      "more copies, and another region",
      { keep: 5, destination: { ...BUCKET, region: "eu-west-1" } },
      "SETTINGS: destination and keep changed: recorded without a request",
    ],
  ])("where %s is given: none", (_, given, text) => {
    expect(decided(inputs(given), state())).toBe(`record ${text}`);
  });

  test("where another base or tag is given: the image is built again", () => {
    const before = state({ destination: IMAGE }, "unsigned");
    for (const change of [{ base: "registry.internal/nginx:1.31" }, { tag: "latest" }]) {
      expect(decided(inputs({ destination: { ...IMAGE, ...change } }), before)).toBe(
        `publish NEW_CONTENT: destination changed, so ${COPIED} registry.internal/docs/site`,
      );
    }
    expect(decided(inputs({ destination: { ...IMAGE, plainHttp: true } }), before)).toContain(
      "record SETTINGS",
    );
  });

  test.each([
    ["gone", "no longer exists"],
    ["changed", "has changed since it was made"],
  ] as const)("where a refresh found the copy %s: a copy", (drifted, text) => {
    const { outputs, bookkeeping } = state();
    const before = { outputs, bookkeeping: { ...bookkeeping, drifted } };
    expect(decided(inputs(), before)).toBe(`publish DRIFTED: s3://docs/v1 ${text}, so ${COPIED} s3://docs`);
  });

  test("where the link is due: another one, and not before", () => {
    expect(decided(inputs(), state(), 16 * HOUR_MS - 1)).toContain("UP_TO_DATE");
    expect(decided(inputs(), state(), 16 * HOUR_MS)).toBe(
      "sign RENEW_WINDOW: the link to s3://docs/v1 is due for renewal since 1970-01-01T16:00:00.000Z (in 0s)",
    );
    const shorter = inputs({ destination: { ...BUCKET, linkLife: "1h" } });
    expect(decided(shorter, state())).toBe(
      "sign SETTINGS: destination.linkLife changed: a new link to s3://docs/v1 is signed",
    );
    const unsigned = { destination: { bucket: "docs", layout: "archive" as const } };
    expect(decided(inputs(unsigned), state(unsigned, "unsigned"), 99 * HOUR_MS)).toContain("UP_TO_DATE");
  });
});

describe("a state", () => {
  test("has the source of the copy, its link, and its inputs", () => {
    const { outputs, bookkeeping } = state({ sha256: SHA256 });
    expect(outputs).toEqual({
      ...inputs(),
      ...made("v1").bundle,
      uri: "s3://docs/v1",
      bundleUrl: LINK.url,
      expiresAt: "1970-01-02T00:00:00.000Z",
      renewAfter: "1970-01-01T16:00:00.000Z",
      earlier: [expect.objectContaining({ version: "v0", uri: "s3://docs/v0" })],
    });
    expect(bookkeeping).toEqual({ wantedSha256: SHA256, copies: [made("v1"), made("v0")] });
    expect(inputsOf({ outputs, bookkeeping })).toEqual(inputs({ sha256: SHA256 }));
    expect(inputsOf(state())).toEqual(inputs());
  });

  test("of an image names it, of a public address has that address, and of a file has no job", () => {
    const address = "https://static.example.com/v1";
    const image = made("v1", { image: "r/s@sha256:1", address, sitePath: "www/current" });
    const { outputs } = stateOf(inputs({ destination: IMAGE }), [image]);
    expect(outputs).toMatchObject({ image: "r/s@sha256:1", bundleUrl: address, sitePath: "www/current" });
    expect(outputs).not.toHaveProperty("expiresAt");
    const { jobId, ...bundle } = made("v1").bundle;
    expect(jobId).toBe("j1");
    const bare = stateOf(inputs(), [{ ...made("v1"), bundle }]).outputs;
    for (const name of ["jobId", "image", "bundleUrl"]) expect(bare).not.toHaveProperty(name);
  });

  test("whose destination signs links has no address without a signature", () => {
    const copy = made("v1", { address: "https://docs.s3.example.com/v1" });
    expect(stateOf(inputs(), [copy]).outputs).not.toHaveProperty("bundleUrl");
    const open = stateOf(inputs({ destination: { bucket: "docs", layout: "archive" } }), [copy]);
    expect(open.outputs.bundleUrl).toBe("https://docs.s3.example.com/v1");
  });

  test("has at least one copy", () => {
    expect(() => stateOf(inputs(), [])).toThrow("no copy is left");
  });

  test("without a known copy is planned as a new one", () => {
    const none = { ...state(), bookkeeping: bundleCopy.noBookkeeping };
    expect(decided(inputs(), none)).toBe(`publish NEW: ${COPIED} s3://docs`);
  });
});

describe("the unfinished work of a run is noticed without init errors:", () => {
  test("a missing link is signed", () => {
    expect(decided(inputs(), state({}, "unsigned"))).toBe(
      "sign RESUMED: an earlier run was interrupted before it signed the link to s3://docs/v1",
    );
  });

  test("a copy that may exist in part is published again", () => {
    const { outputs, bookkeeping } = state();
    const partial = { outputs, bookkeeping: { ...bookkeeping, drifted: "partial" as const } };
    expect(decided(inputs(), partial)).toBe(
      `publish RESUMED: an earlier run was interrupted while it published s3://docs/v1, so ${COPIED} s3://docs`,
    );
    expect(bundleCopy.diff(inputs(), partial, { name: "m", nowMs: 0 })).toMatchObject({ hidden: true });
  });
});

test("a diff hides changes that no input shows, and reports what it replaces", () => {
  const diff = (now: CheckedCopyInputs, nowMs = 0): unknown => {
    const { changed, replaces, hidden } = bundleCopy.diff(now, state(), { name: "m", nowMs });
    return { changed, replaces, hidden };
  };
  expect(diff(inputs())).toEqual({ changed: [], replaces: [], hidden: false });
  expect(diff(inputs(), 20 * HOUR_MS)).toEqual({ changed: [], replaces: [], hidden: true });
  expect(diff(inputs({ keep: 3 }))).toEqual({ changed: ["keep"], replaces: [], hidden: false });
  expect(diff(inputs({ destination: { ...BUCKET, prefix: "x" } }))).toEqual({
    changed: ["destination"],
    replaces: ["destination"],
    hidden: false,
  });
});

test("another spelling of the same folder replaces nothing: the deletion would remove the new copy", () => {
  const inFolder = (folder: string): Partial<CheckedCopyInputs> => ({
    destination: { folder, layout: "archive" },
  });
  const before = state(inFolder("copies"), "unsigned");
  // the copy itself is on another machine
  const lifeCycle = publishedLifeCycle({
    ...COPIES,
    destinationOf: (now) => ({ ...COPIES.destinationOf(now), isMissing: () => false }),
  });
  for (const folder of ["./copies", "copies/", resolve("copies")]) {
    const { changed, replaces, decision } = lifeCycle.diff(inputs(inFolder(folder)), before, {
      name: "m",
      nowMs: 0,
    });
    expect([changed, replaces, decision.code]).toEqual([["destination"], [], "SETTINGS"]);
  }
});

test.each<[DestinationInputs, DestinationInputs, string]>([
  [BUCKET, BUCKET, "none"],
  [BUCKET, { ...BUCKET, linkLife: "1h" }, "link"],
  [BUCKET, { ...BUCKET, region: "eu-west-1" }, "none"],
  [BUCKET, { ...BUCKET, bucket: "other" }, "replaces"],
  [BUCKET, { ...BUCKET, endpoint: "https://s3.internal" }, "replaces"],
  [BUCKET, { bucket: "docs", layout: "site" }, "replaces"],
  [BUCKET, IMAGE, "replaces"],
  [IMAGE, { ...IMAGE, repository: "registry.internal/other" }, "replaces"],
  [IMAGE, { repository: "registry.internal/docs/site" }, "content"],
  [{ folder: "a" }, { folder: "b" }, "replaces"],
  [{ folder: "a" }, { folder: "./a/" }, "none"],
  [{ folder: "a" }, { folder: resolve("a") }, "none"],
  [{ folder: "a" }, { folder: "../a" }, "replaces"],
])("%j written as %j: %s", (before, now, change) => {
  expect(destinationChange(before, now)).toBe(change);
});
