import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { publishedLifeCycle } from "../../../../provider/copies/publication/lifeCycle.ts";
import { planPublication } from "../../../../provider/copies/publication/plan.ts";
import { draftOwner } from "../../../../provider/kits/airGapKit/draftOwner.ts";
import type { CheckedKitInputs } from "../../../../provider/kits/airGapKit/inputs.ts";
import { KITS } from "../../../../provider/kits/airGapKit/kitKind.ts";
import { airGapKit } from "../../../../provider/kits/airGapKit/lifeCycle.ts";
import { type AirGapKitState, KIT_STATE, type MadeKit } from "../../../../provider/kits/airGapKit/state.ts";
import { decisionLine } from "../../../../provider/resource/decision.ts";

const { inputsOf, stateOf } = KIT_STATE;
const SOURCE = {
  domain: "docs.example.com",
  jobId: "j1",
  version: "v1",
  baseUrl: "https://api.example.com",
  apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
};
const WHAT = "a kit of job j1 of docs.example.com is written to ./kits";

const inputs = (given: Partial<CheckedKitInputs> = {}): CheckedKitInputs => ({
  source: SOURCE,
  folder: "./kits",
  images: [],
  platforms: ["linux/amd64"],
  values: {},
  requireSelfContained: false,
  limits: { archiveBytes: 1_000, unpackedBytes: 10_000, files: 10 },
  keep: 1,
  ...given,
});
const made = (version: string, bundle: Partial<MadeKit["bundle"]> = {}): MadeKit => ({
  kit: {
    name: `${version}-0123456789ab`,
    sha256: "a".repeat(64),
    list: { file: "SHA256SUMS", sha256: "a".repeat(64) },
    size: 2_000,
    files: 9,
    signed: false,
    createdAt: "2026-01-01T00:00:00.000Z",
  },
  bundle: {
    version,
    jobId: "j1",
    bundleSha256: "b".repeat(64),
    size: 900,
    files: 9,
    pages: 3,
    selfContained: false,
    externalLoads: [{ page: "index.html", address: "https://cdn.example.net/a.js" }],
    ...bundle,
  },
});
const state = (given: Partial<CheckedKitInputs> = {}, kits = [made("v1"), made("v0")]): AirGapKitState =>
  stateOf(inputs(given), kits);
/** Kits that are on this machine. */
const THERE: typeof KITS = {
  ...KITS,
  destinationOf: (now) => ({ ...KITS.destinationOf(now), isMissing: () => false }),
};
const decided = (now: CheckedKitInputs, before?: AirGapKitState): string => {
  const plan = planPublication(THERE, now, before, 0);
  return `${plan.action} ${decisionLine(plan)}`;
};

describe("the decision", () => {
  test("of a kit that is not on this machine", () => {
    const plan = planPublication(KITS, inputs(), state(), 0);
    expect([plan.action, decisionLine(plan)]).toEqual([
      "publish",
      `MISSING: kits/v1-0123456789ab is not on this machine, so ${WHAT}`,
    ]);
  });

  test("of a new resource, and of one whose folder is not known yet", () => {
    expect(decided(inputs())).toBe(`publish NEW: ${WHAT}`);
    expect(decided(inputs({ folder: UNKNOWN }))).toBe(
      "publish NEW: a kit of job j1 of docs.example.com is written to a folder that is not known yet",
    );
  });

  test("without changes: none", () => {
    expect(decided(inputs(), state())).toBe("record UP_TO_DATE: kits/v1-0123456789ab is the kit");
  });

  test("of a signed kit of a version that signed no images: none", () => {
    const images = { images: ["nginx:1"], signingKeyEnv: "KIT_SIGNING_KEY" };
    expect(decided(inputs(images), state(images))).toBe("record UP_TO_DATE: kits/v1-0123456789ab is the kit");
  });

  test.each<[string, Partial<CheckedKitInputs>, string]>([
    [
      "two inputs that make another kit",
      { values: { replicas: 2 }, partSize: 2 ** 20 },
      `publish NEW_CONTENT: values changed, partSize changed, so ${WHAT}`,
    ],
    [
      "a bundle that has to be self-contained, and is not",
      { requireSelfContained: true },
      `publish NEW_CONTENT: a self-contained bundle is required, so ${WHAT}`,
    ],
    [
      "limits that the archive is over",
      { limits: { archiveBytes: 899, unpackedBytes: 10_000, files: 10 } },
      `publish NEW_CONTENT: the bundle of the kit exceeds its limits, so ${WHAT}`,
    ],
    [
      "limits that its files are over",
      { limits: { archiveBytes: 1_000, unpackedBytes: 10_000, files: 8 } },
      `publish NEW_CONTENT: the bundle of the kit exceeds its limits, so ${WHAT}`,
    ],
    [
      "limits that it just keeps, and more kits that stay",
      { limits: { archiveBytes: 900, unpackedBytes: 10_000, files: 9 }, keep: 2 },
      "record SETTINGS: limits and keep changed: recorded without a request",
    ],
    ["fewer kits that stay", { keep: 0 }, "prune SETTINGS: earlier kits at ./kits are removed: 1"],
  ])("of %s", (_, given, text) => {
    expect(decided(inputs(given), state())).toBe(text);
  });

  test("of a bundle that is self-contained already, when it must be", () => {
    const before = state({}, [made("v1", { selfContained: true })]);
    expect(decided(inputs({ requireSelfContained: true }), before)).toBe(
      "record SETTINGS: requireSelfContained changed: recorded without a request",
    );
  });

  test.each([
    ["gone", "no longer exists"],
    ["changed", "has changed since it was written"],
  ] as const)("of a kit that a refresh found %s", (drifted, seen) => {
    const { outputs, bookkeeping } = state();
    expect(decided(inputs(), { outputs, bookkeeping: { ...bookkeeping, drifted } })).toBe(
      `publish DRIFTED: kits/v1-0123456789ab ${seen}, so ${WHAT}`,
    );
  });

  test.each<[string, CheckedKitInputs["chart"], CheckedKitInputs["chart"], boolean]>([
    ["the same digest elsewhere", { path: "a", digest: "1" }, { path: "b", digest: "1" }, false],
    ["another digest", { path: "a", digest: "1" }, { path: "a", digest: "2" }, true],
    ["the same path, of which one digest is unknown", { path: "a", digest: "1" }, { path: "a" }, false],
    ["the same path, of which the other digest is unknown", { path: "a" }, { path: "a", digest: "1" }, false],
    ["another path without a digest", { path: "a" }, { path: "b" }, true],
    ["another path, of which one digest is unknown", { path: "a", digest: "1" }, { path: "b" }, true],
    ["one where there was none", undefined, { path: "a", digest: "1" }, true],
    ["none where there was one", { path: "a", digest: "1" }, undefined, true],
  ])("of a chart: %s", (_, before, now, isWritten) => {
    const chartOf = (chart: CheckedKitInputs["chart"]): Partial<CheckedKitInputs> => (chart ? { chart } : {});
    const plan = planPublication(THERE, inputs(chartOf(now)), state(chartOf(before)), 0);
    expect(plan.action).toBe(isWritten ? "publish" : "record");
  });
});

describe("the state", () => {
  const all = {
    chart: { path: "./chart", digest: "1" },
    signingKeyEnv: "KIT_KEY",
    since: "manifest.json",
    partSize: 2 ** 20,
  };

  test.each([{}, all])("has the inputs that it was made from: %j", (given) => {
    expect(inputsOf(state(given))).toStrictEqual(inputs(given));
  });

  test("has the job of an export, and none of a file", () => {
    expect(state().outputs.jobId).toBe("j1");
    expect(state({}, [made("v1", { jobId: undefined })]).outputs).not.toHaveProperty("jobId");
  });

  test("has at least one kit", () => {
    expect(() => state({}, [])).toThrow("no kit is left");
  });
});

test("two resources that write to one folder have separate drafts, and so has one that writes to two", () => {
  const owners = [
    draftOwner({ urn: "a" }, { folder: "x" }),
    draftOwner({ urn: "b" }, { folder: "x" }),
    draftOwner({ urn: "a" }, { folder: "y" }),
    draftOwner({}, { folder: "x" }),
  ];
  expect(new Set(owners).size).toBe(4);
  expect(draftOwner({}, { folder: "x" })).toBe(draftOwner({ urn: "" }, { folder: "x" }));
});

describe("the preview", () => {
  const predicted = (
    given: Partial<CheckedKitInputs>,
    before?: AirGapKitState,
  ): Readonly<Record<string, unknown>> =>
    publishedLifeCycle(THERE).predict(inputs(given), before, { name: "m", nowMs: 0 });

  test("of a new kit has version, job and whether it will be signed; everything else is unknown", () => {
    expect(predicted({})).toEqual({
      ...inputs(),
      version: "v1",
      jobId: "j1",
      signed: false,
      path: UNKNOWN,
      sha256: UNKNOWN,
      size: UNKNOWN,
      files: UNKNOWN,
      bundleSha256: UNKNOWN,
      pages: UNKNOWN,
      selfContained: UNKNOWN,
      externalLoads: UNKNOWN,
      createdAt: UNKNOWN,
    });
    expect(predicted({ signingKeyEnv: "KIT_KEY" })).toMatchObject({ signed: true });
    const withSearch = predicted({ offlineSearch: true, images: ["nginx"] });
    expect(withSearch).toMatchObject({ searchPages: UNKNOWN, searchVersion: UNKNOWN });
  });

  test("of a file has no job, and of an unknown source neither version nor job", () => {
    const file = { file: "b.tar.gz", version: "v2", fileSha256: "c".repeat(64) };
    expect(predicted({ source: file })).toMatchObject({ version: "v2", jobId: undefined });
    expect(predicted({ source: UNKNOWN as never })).toMatchObject({ version: UNKNOWN, jobId: UNKNOWN });
  });

  test("of a kit that stays keeps its outputs", () => {
    expect(predicted({ keep: 2 }, state())).toEqual({ ...state().outputs, keep: 2 });
  });
});

describe("the check", () => {
  const NO_KEY = { environment: () => undefined, stackConfig: () => undefined };
  // a file that exists: what it contains is not read
  const source = { file: import.meta.filename, version: "v1", fileSha256: "c".repeat(64) };
  const failures = (given: object) =>
    airGapKit.check({ source, folder: "./kits", ...given }, NO_KEY, { ...inputs({ source }) }).failures;

  test("refuses a search without an image of the site: the archive in the kit gets none", () => {
    expect(failures({ offlineSearch: true })).toEqual([
      {
        property: "offlineSearch",
        reason: expect.stringMatching(/^the archive in a kit stays .* `images`/) as string,
      },
    ]);
  });

  test.each([
    { offlineSearch: false },
    { offlineSearch: true, images: ["nginx:1"] },
    { offlineSearch: true, images: UNKNOWN },
    { offlineSearch: UNKNOWN },
  ])("accepts %j", (given) => {
    expect(failures(given)).toEqual([]);
  });

  test("adds a signing key to the secrets of messages", () => {
    const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const secrets = new Secrets();
    const added = vi.spyOn(secrets, "add");
    const configuration = { environment: () => pem, stackConfig: () => undefined, secrets };
    const { failures: found } = airGapKit.check(
      { source, folder: "./kits", signingKeyEnv: "K" },
      configuration,
    );
    expect(found).toEqual([]);
    expect(added).toHaveBeenCalledWith(pem.trim());
  });
});
