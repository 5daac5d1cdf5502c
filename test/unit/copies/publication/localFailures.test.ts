// Check reports errors of this machine before anything is exported.
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import Module, { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import { localFailures } from "../../../../provider/copies/publication/localFailures.ts";
import { airGapKit } from "../../../../provider/kits/airGapKit/lifeCycle.ts";

let folder: string;
let environment: Record<string, string>;
let source: { file: string; version: string };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "local-failures-"));
  environment = {};
  onTestFinished(() => rmSync(folder, { recursive: true }));
  source = { file: join(folder, "bundle.tar.gz"), version: "v1" };
  writeFileSync(source.file, "not unpacked here");
  writeFileSync(join(folder, "a-file"), "x");
  mkdirSync(join(folder, "empty"));
  mkdirSync(join(folder, "chart"));
  writeFileSync(join(folder, "chart/Chart.yaml"), "name: docs\nversion: 1.0.0\n");
});

const configuration = { environment: (name: string) => environment[name], stackConfig: () => undefined };
const checkKit = (given: object, before?: object): unknown =>
  airGapKit.check(
    { source, folder: join(folder, "kits"), ...given },
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
  const { inputs } = airGapKit.check({ source, folder: join(folder, "kits"), ...given }, configuration);
  expect(checkKit(given, inputs)).toEqual([]);
  expect(checkKit({ ...given, keep: 4 }, inputs)).toEqual([]);
  expect(checkKit({ ...given, values: { replicas: 2 } }, inputs)).toHaveLength(1);
});

test("a copy in a bucket is refused where the AWS SDK is missing; one in a folder needs none", () => {
  const check = (destination: object): unknown =>
    bundleCopy.check({ source, destination }, configuration).failures;
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
    bundleCopy.check({ source, destination }, configuration).failures;
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
    const access = vi.spyOn(fs, "accessSync").mockImplementation((_path, mode) => {
      if (mode === fs.constants.R_OK) return;
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
    bundleCopy.check({ source, destination }, configuration, before as Record<string, unknown>);
  const { inputs } = check({ folder: join(folder, "copies") });
  expect(check({ folder: file }, inputs).failures).toHaveLength(1);
});

describe("a bundle file", () => {
  const folderOf = { copy: () => ({ destination: { folder: join(folder, "copies") } }), kit: () => ({}) };
  const checkBoth = (file: string, before?: { copy: object; kit: object }): unknown => {
    const copy = { source: { ...source, file }, ...folderOf.copy() };
    const failures = bundleCopy.check(copy, configuration, before?.copy as Record<string, unknown>).failures;
    expect(checkKit({ source: copy.source }, before?.kit)).toEqual(failures);
    return failures;
  };
  const onFile = (reason: string): object[] => [
    { property: "source.file", reason: expect.stringContaining(reason) as string },
  ];

  test.each<[string, () => string, string]>([
    ["is missing", () => join(folder, "none.tar.gz"), "there is no file "],
    [
      "is missing, by its relative path",
      () => "none/bundle.tar.gz",
      join(process.cwd(), "none/bundle.tar.gz"),
    ],
    ["is a folder", () => join(folder, "chart"), "chart is a folder. Give the path of the archive itself"],
    ["has an impossible name", () => "a\0b", "must be the path of an archive"],
  ])("that %s is refused in a preview, by copies and kits", (_, file, reason) => {
    expect(checkBoth(file())).toEqual(onFile(reason));
  });

  test.skipIf(process.platform === "win32")("that is a device is refused, and never opened", () => {
    expect(checkBoth("/dev/null")).toEqual(onFile("is no file. Give the path of the archive itself"));
  });

  test.skipIf(process.platform === "win32")("that is below another file is refused", () => {
    const file = join(folder, "a-file/b.tar.gz");
    expect(checkBoth(file)).toEqual(onFile(`${file} (ENOTDIR). Make it readable, or give another file`));
  });

  test("that may not be read is refused", () => {
    const access = vi.spyOn(fs, "accessSync").mockImplementation((path, mode) => {
      if (path !== source.file || mode !== fs.constants.R_OK) return;
      throw Object.assign(new Error("refused"), { code: "EACCES" });
    });
    syncBuiltinESMExports();
    const failures = checkBoth(source.file);
    access.mockRestore();
    syncBuiltinESMExports();
    expect(failures).toEqual(onFile(`cannot be read: ${source.file} (EACCES)`));
  });

  test("that is missing is refused in every destination, with the problems of the destination", () => {
    const file = join(folder, "none.tar.gz");
    const check = (destination: object): string[] =>
      bundleCopy
        .check({ source: { ...source, file }, destination }, configuration)
        .failures.map(({ property }) => property);
    expect(check({ bucket: "docs" })).toEqual(["source.file"]);
    expect(check({ repository: "registry.internal/docs/site" })).toEqual(["source.file"]);
    expect(check({ folder: join(folder, "a-file/copies") })).toEqual(["source.file", "destination.folder"]);
  });

  test("that is unknown yet, as another resource makes it, is not refused; nor is an unknown source", () => {
    expect(checkBoth(UNKNOWN)).toEqual([]);
    expect(checkKit({ source: UNKNOWN })).toEqual([]);
  });

  test("that is gone since it was copied is not refused: nothing is published", () => {
    const copy = bundleCopy.check({ source, ...folderOf.copy() }, configuration).inputs;
    const kit = airGapKit.check({ source, folder: join(folder, "kits") }, configuration).inputs;
    rmSync(source.file);
    expect(checkBoth(source.file, { copy, kit })).toEqual([]);
    expect(checkBoth(join(folder, "other.tar.gz"), { copy, kit })).toEqual(onFile("there is no file"));
  });
});

test("an unexpected error is no failure of an input", () => {
  const verify = (): never => {
    throw new TypeError("unforeseen");
  };
  expect(() => localFailures([{ property: "chart", value: "c", verify }])).toThrow(TypeError);
});
