import { expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { AIR_GAP_KIT_INPUTS, type CheckedKitInputs } from "../../../../provider/kits/airGapKit/inputs.ts";
import { checkByTable } from "../../../../provider/resource/inputTable.ts";
import type { ConfigurationSource } from "../../../../provider/service/configuration.ts";

const nothing: ConfigurationSource = { environment: () => undefined, stackConfig: () => undefined };
const GIVEN = { source: { file: "bundle.tar.gz", version: "v1" }, folder: "./kits" };

test("inputs are returned in one spelling, with defaults filled in", () => {
  expect(checkByTable<CheckedKitInputs>(AIR_GAP_KIT_INPUTS, GIVEN, nothing)).toEqual({
    inputs: {
      ...GIVEN,
      images: [],
      platforms: ["linux/amd64"],
      values: {},
      requireSelfContained: false,
      limits: { archiveBytes: 2 ** 31, unpackedBytes: 2 ** 33, files: 500_000 },
      keep: 1,
    },
    failures: [],
  });
});

test("all optional values are accepted unchanged; a chart by its path alone, or with its digest", () => {
  const given = {
    ...GIVEN,
    chart: { path: "./chart", digest: "sha256:1" },
    images: ["nginxinc/nginx-unprivileged:1.30", `registry.internal:5000/a/b@sha256:${"a".repeat(64)}`],
    platforms: ["linux/amd64", "linux/arm64/v8"],
    values: { replicas: 2 },
    signingKeyEnv: "KIT_KEY",
    since: "./kits/v0/manifest.json",
    partSize: 2 ** 20,
    requireSelfContained: true,
    limits: { archiveBytes: 1, unpackedBytes: 2, files: 3 },
    keep: 0,
  };
  expect(checkByTable<CheckedKitInputs>(AIR_GAP_KIT_INPUTS, given, nothing)).toEqual({
    inputs: given,
    failures: [],
  });
  const chartOf = (chart: unknown) =>
    checkByTable<CheckedKitInputs>(AIR_GAP_KIT_INPUTS, { ...GIVEN, chart }, nothing).inputs.chart;
  expect(chartOf("./chart")).toStrictEqual({ path: "./chart" });
  expect(chartOf({ path: "my-oci:chart", digest: UNKNOWN })).toEqual({
    path: "my-oci:chart",
    digest: UNKNOWN,
  });
});

test("values that a preview does not know yet are not checked", () => {
  const given = {
    source: { file: UNKNOWN, version: UNKNOWN },
    folder: UNKNOWN,
    chart: UNKNOWN,
    images: [UNKNOWN, "nginx"],
    platforms: [UNKNOWN],
    values: UNKNOWN,
    signingKeyEnv: UNKNOWN,
    since: UNKNOWN,
    partSize: UNKNOWN,
  };
  const { inputs, failures } = checkByTable<CheckedKitInputs>(AIR_GAP_KIT_INPUTS, given, nothing);
  expect(failures).toEqual([]);
  expect(inputs).toMatchObject(given);
});

test.each<[name: string, value: unknown, property: string, reason: string]>([
  ["source", undefined, "source", "is required: what the kit contains: a StaticExport, or { file, version }"],
  ["source", { file: "a" }, "source.version", "is required"],
  ["folder", undefined, "folder", 'is required: the folder that kits are written to, such as "./kits"'],
  ["folder", " ", "folder", 'must be the path of a folder, such as "./kits"'],
  ["folder", "a\0", "folder", "must be the path of a folder"],
  ["chart", "oci://registry.example.com/chart", "chart", "fetch it with `helm pull`"],
  ["chart", "http://example.com/chart.tgz", "chart", "fetch it with `helm pull`"],
  ["chart", " ", "chart", "must be the path of a chart"],
  ["chart", "a\0", "chart", "must be the path of a chart"],
  ["chart", 7, "chart", "must be the path of a chart"],
  ["chart", { folder: "x" }, "chart", "must be the path of a chart"],
  ["chart", { path: "x", folder: "x" }, "chart", "must be the path of a chart"],
  ["images", "nginx", "images", 'must be a list, such as ["nginxinc/nginx-unprivileged:1.30-alpine"]'],
  ["images", ["nginx", 7], "images.1", "must be a string"],
  ["images", ["NGINX"], "images.0", "no usable path"],
  ["images", ["a.example/nginx:1", "b.example/nginx:1"], "images", "two of them would be nginx:1 in the kit"],
  ["images", ["a.example/docs/site:1"], "images", "is the name of the site's own image"],
  ["platforms", [], "platforms", "one platform at least"],
  ["platforms", "linux/amd64", "platforms", 'must be a list, such as ["linux/amd64"]'],
  ["platforms", ["linux/amd64", "windows/amd64"], "platforms.1", 'must be like "linux/amd64"'],
  ["values", [1], "values", "must be an object, such as { replicas: 2 }"],
  ["values", "replicas: 2", "values", "must be an object"],
  ["signingKeyEnv", "KIT KEY", "signingKeyEnv", "must be the name of an environment variable"],
  ["signingKeyEnv", "KIT=", "signingKeyEnv", "must be the name of an environment variable"],
  ["signingKeyEnv", "-----BEGIN PRIVATE KEY-----", "signingKeyEnv", "not the key itself"],
  ["since", "", "since", 'the path of an earlier kit\'s manifest, such as "./kits/v1/manifest.json"'],
  ["partSize", 2 ** 20 - 1, "partSize", "at least 1048576"],
  ["partSize", "1G", "partSize", "whole number of bytes"],
  ["limits", { bytes: 1 }, "limits.bytes", "there is no such limit"],
  ["keep", -1, "keep", "whole number from 0"],
  ["destination", {}, "destination", "there is no such input"],
])("%s = %j is one failure, at %s", (name, value, property, reason) => {
  const { failures } = checkByTable<CheckedKitInputs>(
    AIR_GAP_KIT_INPUTS,
    { ...GIVEN, [name]: value },
    nothing,
  );
  expect(failures).toEqual([{ property, reason: expect.stringContaining(reason) as string }]);
});
