// Check reports errors of this machine before anything is exported.
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import Module, { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { airGapKit } from "../../../provider/airGapKit/lifeCycle.ts";
import { bundleCopy } from "../../../provider/bundleCopy/lifeCycle.ts";
import { localFailures } from "../../../provider/published/localFailures.ts";
import { UNKNOWN } from "../../../provider/messages/unknown.ts";

let folder: string;
let environment: Record<string, string>;
const SOURCE = { file: "bundle.tar.gz", version: "v1" };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "local-failures-"));
  environment = {};
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a-file"), "x");
  mkdirSync(join(folder, "empty"));
  mkdirSync(join(folder, "chart"));
  writeFileSync(join(folder, "chart/Chart.yaml"), "name: docs\nversion: 1.0.0\n");
});

const configuration = { environment: (name: string) => environment[name], stackConfig: () => undefined };
const checkKit = (given: object, before?: object): unknown =>
  airGapKit.check(
    { source: SOURCE, folder: join(folder, "kits"), ...given },
    configuration,
    before as Record<string, unknown>,
  ).failures;

describe("a kit is refused", () => {
  test.each<[string, () => object, string, string]>([
    ["without its chart", () => ({ chart: join(folder, "none") }), "chart", "there is no chart"],
    ["for a folder that is no chart", () => ({ chart: join(folder, "empty") }), "chart", "has no Chart.yaml"],
    ["without its signing key", () => ({ signingKeyEnv: "KIT_KEY" }), "signingKeyEnv", "is not set"],
    [
      "without the kit before it",
      () => ({ since: join(folder, "none") }),
      "since",
      "cannot be read (ENOENT)",
    ],
    [
      "for what is no manifest",
      () => ({ since: join(folder, "a-file") }),
      "since",
      "is not the manifest of a kit",
    ],
    ["below a file", () => ({ folder: join(folder, "a-file/kits") }), "folder", "a-file is a file"],
  ])("%s", (_, given, property, reason) => {
    expect(checkKit(given())).toEqual([{ property, reason: expect.stringContaining(reason) as string }]);
  });

  test("for an invalid key, without any part of it", () => {
    environment["KIT_KEY"] = "c4n4ry";
    const failures = checkKit({ signingKeyEnv: "KIT_KEY" });
    expect(failures).toEqual([
      { property: "signingKeyEnv", reason: expect.stringContaining("holds no private key in PEM") as string },
    ]);
    expect(JSON.stringify(failures)).not.toContain("c4n4ry");
  });

  test("for all errors at once; a violated rule is reported alone", () => {
    const given = { chart: join(folder, "none"), since: join(folder, "none") };
    expect(checkKit(given)).toHaveLength(2);
    expect(checkKit({ ...given, keep: -1 })).toEqual([
      { property: "keep", reason: expect.any(String) as string },
    ]);
  });
});

test("a kit whose files exist, or are unknown yet, is not refused", () => {
  const chart = join(folder, "chart");
  writeFileSync(join(folder, "chart.tgz"), "not unpacked here");
  expect(checkKit({ chart })).toEqual([]);
  expect(checkKit({ chart: join(folder, "chart.tgz") })).toEqual([]);
  expect(checkKit({ chart: UNKNOWN, signingKeyEnv: UNKNOWN, since: UNKNOWN, folder: UNKNOWN })).toEqual([]);
});

test("an existing kit is not refused where nothing will be written", () => {
  const given = { signingKeyEnv: "KIT_KEY" };
  const { inputs } = airGapKit.check(
    { source: SOURCE, folder: join(folder, "kits"), ...given },
    configuration,
  );
  expect(checkKit(given, inputs)).toEqual([]);
  expect(checkKit({ ...given, keep: 4 }, inputs)).toEqual([]);
  expect(checkKit({ ...given, values: { replicas: 2 } }, inputs)).toHaveLength(1);
});

test("a copy in a bucket is refused where the AWS SDK is missing; one in a folder needs none", () => {
  const check = (destination: object): unknown =>
    bundleCopy.check({ source: SOURCE, destination }, configuration).failures;
  expect(check({ bucket: "docs" })).toEqual([]);
  const loader = Module as unknown as { _resolveFilename: (name: string) => string };
  const resolving = vi.spyOn(loader, "_resolveFilename").mockImplementation((name) => {
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
  });
  const [inBucket, inFolder] = [check({ bucket: "docs" }), check({ folder: join(folder, "new") })];
  resolving.mockRestore();
  expect(inBucket).toEqual([
    {
      property: "destination.bucket",
      reason: expect.stringMatching(/needs the AWS SDK, .* Run `npm install @aws-sdk\/client-s3 /) as string,
    },
  ]);
  expect(inFolder).toEqual([]);
});

test("a copy is refused for a folder that cannot be created, but not for another kind of destination", () => {
  const check = (destination: object): unknown =>
    bundleCopy.check({ source: SOURCE, destination }, configuration).failures;
  expect(check({ folder: join(folder, "a-file/deep/copies") })).toEqual([
    { property: "destination.folder", reason: expect.stringContaining("is a file") as string },
  ]);
  expect(check({ folder: join(folder, "new/deep/copies") })).toEqual([]);
  expect(check({ bucket: "docs" })).toEqual([]);
  expect(check({ folder: UNKNOWN })).toEqual([]);
});

describe("a folder without write permission", () => {
  /** Root may write to every folder. */
  function refused(code?: string): void {
    const access = vi.spyOn(fs, "accessSync").mockImplementation(() => {
      throw Object.assign(new Error("refused"), code !== undefined && { code });
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      access.mockRestore();
      syncBuiltinESMExports();
    });
  }

  test.each([
    ["EROFS", "EROFS"],
    [undefined, "unknown error"],
  ])("is reported by name, and with %s as the system's reason", (code, systemReason) => {
    refused(code);
    expect(checkKit({ folder: join(folder, "new/kits") })).toEqual([
      { property: "folder", reason: `cannot be written: ${folder} (${systemReason}). Give another folder` },
    ]);
  });

  test("is not reported for an unknown folder", () => {
    refused("EACCES");
    expect(checkKit({ folder: UNKNOWN })).toEqual([]);
  });
});

test("a copy that moves to a folder that cannot be created is refused before the existing one is removed", () => {
  const file = join(folder, "a-file/copies");
  const check = (destination: object, before?: object): { inputs: object; failures: unknown[] } =>
    bundleCopy.check({ source: SOURCE, destination }, configuration, before as Record<string, unknown>);
  const { inputs } = check({ folder: join(folder, "copies") });
  expect(check({ folder: file }, inputs).failures).toHaveLength(1);
});

test("an unexpected error is no failure of an input", () => {
  const verify = (): never => {
    throw new TypeError("unforeseen");
  };
  expect(() => localFailures([{ property: "chart", value: "c", verify }])).toThrow(TypeError);
});
