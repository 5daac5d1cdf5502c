import { expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { checkByTable } from "../../../../provider/resource/inputTable.ts";
import type { ConfigurationSource } from "../../../../provider/service/configuration.ts";

const environment: Record<string, string> = {
  DOCS_HOSTING_BASE_URL: "https://api.example.com/",
  DOCS_HOSTING_ADMIN_API_KEY: "svc_first",
  SECOND_KEY: "svc_second",
};
const configured: ConfigurationSource = {
  environment: (name) => environment[name],
  stackConfig: () => undefined,
};
const nothing: ConfigurationSource = { environment: () => undefined, stackConfig: () => undefined };
const GIVEN = {
  source: { domain: "Docs.Example.com", jobId: "j1" },
  destination: { folder: "./bundles" },
};
const DEFAULTS = {
  requireSelfContained: false,
  limits: { archiveBytes: 2 ** 31, unpackedBytes: 2 ** 33, files: 500_000 },
  keep: 1,
};

test("inputs are returned in one spelling, with defaults filled in", () => {
  expect(checkByTable<CheckedCopyInputs>(BUNDLE_COPY_INPUTS, GIVEN, configured)).toEqual({
    inputs: {
      source: {
        domain: "docs.example.com",
        jobId: "j1",
        version: "j1",
        baseUrl: "https://api.example.com",
        apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
      },
      destination: { folder: "./bundles", layout: "archive" },
      ...DEFAULTS,
    },
    failures: [],
  });
});

test("a file needs no service and no key", () => {
  const source = { file: "kit/bundle.tar.gz", version: "v1", fileSha256: "0".repeat(64) };
  const destination = { folder: "/srv/docs", layout: "site" };
  const given = {
    source,
    destination,
    sha256: "A".repeat(64),
    requireSelfContained: true,
    limits: { files: 9, archiveBytes: null },
    keep: 0,
  };
  expect(checkByTable<CheckedCopyInputs>(BUNDLE_COPY_INPUTS, given, nothing)).toEqual({
    inputs: { ...given, sha256: "a".repeat(64), limits: { ...DEFAULTS.limits, files: 9 } },
    failures: [],
  });
});

test("null and undefined count as absent", () => {
  const source = { ...GIVEN.source, version: null, baseUrl: undefined };
  const destination = { folder: "./bundles", layout: null, bucket: undefined };
  const limits = { files: undefined, archiveBytes: null };
  expect(
    checkByTable<CheckedCopyInputs>(
      BUNDLE_COPY_INPUTS,
      { source, destination, limits, keep: 1_000 },
      configured,
    ),
  ).toEqual({
    inputs: { ...checkByTable<CheckedCopyInputs>(BUNDLE_COPY_INPUTS, GIVEN, configured).inputs, keep: 1_000 },
    failures: [],
  });
});

test("values that a preview does not know yet are not checked", () => {
  const source = {
    domain: UNKNOWN,
    jobId: UNKNOWN,
    version: UNKNOWN,
    baseUrl: UNKNOWN,
    apiKeyEnv: UNKNOWN,
  };
  const destination = { folder: UNKNOWN, layout: UNKNOWN };
  const given = { source, destination, limits: { files: UNKNOWN }, sha256: UNKNOWN, keep: UNKNOWN };
  const { inputs, failures } = checkByTable<CheckedCopyInputs>(BUNDLE_COPY_INPUTS, given, nothing);
  expect(failures).toEqual([]);
  expect(inputs).toMatchObject({ source, destination, sha256: UNKNOWN });
  expect(
    checkByTable<CheckedCopyInputs>(BUNDLE_COPY_INPUTS, { source: UNKNOWN, destination: UNKNOWN }, nothing)
      .failures,
  ).toEqual([]);
});

test.each([
  ["source", undefined, "source", "is required: what to copy"],
  ["source", "docs", "source", "must be a StaticExport"],
  ["source", {}, "source", "must be a StaticExport"],
  ["source", { domain: "docs.example.com" }, "source", "must be a StaticExport"],
  ["source", { domain: "docs.example.com", jobId: 7 }, "source.jobId", "string that is not empty"],
  ["source", { domain: "docs.example.com", jobId: ".." }, "source.jobId", "not an id of a job"],
  ["source", { domain: "https://x", jobId: "j1" }, "source.domain", "is a URL"],
  [
    "source",
    { domain: "docs.example.com", jobId: "j1", bundleUrl: "x" },
    "source.bundleUrl",
    "no such field",
  ],
  [
    "source",
    { domain: "docs.example.com", jobId: "j1", version: "a\nb" },
    "source.version",
    "control character",
  ],
  ["source", { domain: "docs.example.com", jobId: "j1", apiKeyEnv: "NONE" }, "source.apiKeyEnv", "not set"],
  [
    "source",
    { domain: "docs.example.com", jobId: "j1", baseUrl: "ftp://x" },
    "source.baseUrl",
    "not an http",
  ],
  ["source", { file: "bundle.tar.gz" }, "source.version", "is required: a label"],
  ["source", { file: "", version: "v1" }, "source.file", "string that is not empty"],
  ["source", { file: "b", version: "v1", jobId: "j1" }, "source.jobId", "no such field"],
  ["source", { file: "b", version: "v1", domain: "a/b" }, "source.domain", "contains a path"],
  ["destination", undefined, "destination", "is required: where to"],
  ["destination", "./bundles", "destination", "must be an object with one of folder"],
  ["destination", {}, "destination", "must be an object with one of folder"],
  ["destination", { folder: " " }, "destination.folder", "must be the path of a folder"],
  ["destination", { folder: "x\0y" }, "destination.folder", "must be the path of a folder"],
  ["destination", { folder: "x", layout: "zip" }, "destination.layout", 'must be "archive" or "site"'],
  ["destination", { folder: "x", prefix: "y" }, "destination.prefix", "no such field for a folder"],
  ["sha256", "abc", "sha256", "64 hexadecimal digits"],
  ["requireSelfContained", "yes", "requireSelfContained", "must be true or false"],
  ["limits", [], "limits", "must be an object"],
  ["limits", { bytes: 1 }, "limits.bytes", "no such limit"],
  ["limits", { files: 0 }, "limits.files", "whole number above 0"],
  ["limits", { archiveBytes: 1.5 }, "limits.archiveBytes", "whole number above 0"],
  ["keep", -1, "keep", "whole number from 0"],
  ["keep", 1.5, "keep", "whole number from 0"],
  ["keep", "2", "keep", "whole number from 0"],
  ["source", ["x"], "source", "must be a StaticExport"],
  ["source", { file: "b", files: "b" }, "source.files", "Fields are: file, version, domain, fileSha256"],
  ["source", 7, "source", "must be a StaticExport"],
  ["source", { domain: "docs.example.com", jobId: "" }, "source.jobId", "string that is not empty"],
  [
    "destination",
    ["x"],
    "destination",
    "must be an object with one of folder, bucket, azureContainer, gcsBucket, repository",
  ],
  ["destination", 7, "destination", "must be an object with one of folder"],
  [
    "destination",
    { folder: "x", bucket: "yyy" },
    "destination",
    "not folder and bucket: declare a copy for each destination",
  ],
  ["destination", { bucket: "X" }, "destination.bucket", "3 to 63"],
  ["destination", { repository: "no host" }, "destination.repository", ""],
  ["destination", { repository: 7 }, "destination.repository", "must be a string"],
  ["destination", { repository: "registry.internal/x", tag: "a b" }, "destination.tag", ""],
  ["destination", { repository: "registry.internal/x", base: "!" }, "destination.base", ""],
  [
    "destination",
    { repository: "registry.internal/x", plainHttp: "no" },
    "destination.plainHttp",
    "true or false",
  ],
  ["sha256", "a".repeat(65), "sha256", "64 hexadecimal digits"],
  ["limits", 7, "limits", "must be an object"],
  ["limits", { bytes: 1 }, "limits.bytes", "Limits are: archiveBytes, unpackedBytes, files"],
  ["keep", 1_001, "keep", "whole number from 0"],
])("%s = %j is one failure, at %s", (name, value, property, reason) => {
  const { failures } = checkByTable<CheckedCopyInputs>(
    BUNDLE_COPY_INPUTS,
    { ...GIVEN, [name]: value },
    configured,
  );
  expect(failures).toEqual([{ property, reason: expect.stringContaining(reason) as string }]);
});
