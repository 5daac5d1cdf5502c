// The outputs that a preview shows of a copy: what is certain as its value, everything else as unknown.
import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import type { CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import { linkOutputs } from "../../../../provider/copies/bundleCopy/linkOutputs.ts";
import { type BundleCopyState, stateOf } from "../../../../provider/copies/bundleCopy/state.ts";
import type { DestinationInputs } from "../../../../provider/publishing/destinations/inputs.ts";

const SHA256 = "a".repeat(64);
const HOUR_MS = 3_600_000;
const BUCKET: DestinationInputs = { bucket: "docs", layout: "archive" };
const SIGNED: DestinationInputs = { ...BUCKET, linkLife: "24h" };

const inputs = (given: Partial<CheckedCopyInputs> = {}): CheckedCopyInputs => ({
  source: {
    domain: "docs.example.com",
    jobId: "j1",
    version: "v1",
    baseUrl: "https://a.example",
    apiKeyEnv: "K",
  },
  destination: SIGNED,
  requireSelfContained: false,
  limits: { archiveBytes: 1_000, unpackedBytes: 10_000, files: 10 },
  keep: 1,
  ...given,
});
const state = (given: Partial<CheckedCopyInputs> = {}, isSigned = true): BundleCopyState =>
  stateOf(
    inputs(given),
    [
      {
        copy: { sha256: SHA256, uri: "s3://docs/v1", parts: {}, address: "https://docs.example.net/v1" },
        bundle: {
          version: "v1",
          jobId: "j1",
          sha256: SHA256,
          size: 900,
          files: 9,
          pages: 3,
          selfContained: false,
          externalLoads: [],
          copiedAt: "2026-01-01T00:00:00.000Z",
        },
      },
    ],
    isSigned
      ? linkOutputs({ url: "https://docs.example.net/v1?sig=1", expiresAtMs: 24 * HOUR_MS }, 0)
      : undefined,
  );
const predicted = (
  given: Partial<CheckedCopyInputs>,
  before?: BundleCopyState,
  nowMs = 0,
): Readonly<Record<string, unknown>> => bundleCopy.predict(inputs(given), before, { name: "m", nowMs });

describe("a new copy", () => {
  test("has the version and job of its source; what the copying decides is unknown", () => {
    expect(predicted({})).toEqual({
      ...inputs(),
      version: "v1",
      jobId: "j1",
      sha256: UNKNOWN,
      size: UNKNOWN,
      files: UNKNOWN,
      pages: UNKNOWN,
      uri: UNKNOWN,
      sitePath: UNKNOWN,
      bundleUrl: UNKNOWN,
      expiresAt: UNKNOWN,
      renewAfter: UNKNOWN,
      selfContained: UNKNOWN,
      externalLoads: UNKNOWN,
      copiedAt: UNKNOWN,
      earlier: UNKNOWN,
      changes: UNKNOWN,
    });
  });

  test("of a file has no job, and of an unknown source neither is known", () => {
    const file = predicted({ source: { file: "b.tar.gz", version: "v2", fileSha256: SHA256 } });
    expect(file).toMatchObject({ version: "v2", jobId: undefined });
    expect(predicted({ source: UNKNOWN as never })).toMatchObject({ version: UNKNOWN, jobId: UNKNOWN });
  });

  test("has the digest that is wanted, and is self-contained where it must be", () => {
    expect(predicted({ sha256: SHA256, requireSelfContained: true })).toMatchObject({
      sha256: SHA256,
      selfContained: true,
    });
    expect(predicted({ requireSelfContained: UNKNOWN as never })).toMatchObject({ selfContained: UNKNOWN });
  });

  test.each<[string, unknown, object]>([
    [
      "in a folder",
      { folder: "./copies" },
      { image: undefined, expiresAt: undefined, renewAfter: undefined },
    ],
    ["in a bucket without links", BUCKET, { image: undefined, expiresAt: undefined, renewAfter: undefined }],
    ["in a bucket with links", SIGNED, { image: undefined, expiresAt: UNKNOWN, renewAfter: UNKNOWN }],
    ["in a repository", { repository: "r.internal/docs" }, { image: UNKNOWN, expiresAt: undefined }],
    ["at an unknown destination", UNKNOWN, { image: UNKNOWN, expiresAt: UNKNOWN, renewAfter: UNKNOWN }],
  ])("%s has the outputs that its destination gives", (_where, destination, outputs) => {
    const all = predicted({ destination: destination as DestinationInputs });
    expect(Object.fromEntries(Object.keys(outputs).map((name) => [name, all[name]]))).toEqual(outputs);
  });
});

describe("a copy that exists", () => {
  test("keeps its outputs, its link among them", () => {
    const { outputs } = state();
    expect(outputs).toMatchObject({ bundleUrl: "https://docs.example.net/v1?sig=1" });
    expect(predicted({ keep: 2 }, state())).toEqual({ ...outputs, keep: 2 });
  });

  test("without a signed link keeps its address, and has no end", () => {
    const { outputs } = state({ destination: BUCKET }, false);
    const after = predicted({ destination: BUCKET, keep: 2 }, state({ destination: BUCKET }, false));
    expect(after).toEqual({ ...outputs, keep: 2 });
    expect(after).toMatchObject({ bundleUrl: "https://docs.example.net/v1" });
    for (const name of ["expiresAt", "renewAfter"]) expect(after).not.toHaveProperty(name);
  });

  test("gets another link when that is due, and everything else stays", () => {
    const link = { bundleUrl: UNKNOWN, expiresAt: UNKNOWN, renewAfter: UNKNOWN };
    expect(predicted({}, state(), 23 * HOUR_MS)).toEqual({ ...state().outputs, ...link });
  });

  test("is made again from other content: its outputs are unknown again", () => {
    const source = { file: "b.tar.gz", version: "v2", fileSha256: "c".repeat(64) };
    expect(predicted({ source }, state())).toMatchObject({ version: "v2", uri: UNKNOWN, sha256: UNKNOWN });
  });
});
