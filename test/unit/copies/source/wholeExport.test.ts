// The whole export of another stack as the source of a copy or kit.
import { expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { ruleOfSource } from "../../../../provider/copies/source/bundleSource.ts";
import { AIR_GAP_KIT_INPUTS } from "../../../../provider/kits/airGapKit/inputs.ts";
import { checkByTable } from "../../../../provider/resource/inputTable.ts";
import type { ConfigurationSource } from "../../../../provider/service/configuration.ts";

const configuration: ConfigurationSource = {
  environment: (name) => (name === "DOCS_HOSTING_ADMIN_API_KEY" ? "svc_first" : undefined),
  stackConfig: () => undefined,
};
const FIELDS = {
  domain: "docs.example.com",
  jobId: "7f3a",
  version: "v1",
  baseUrl: "https://api.example.com",
  apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
};
const OUTPUTS = {
  ...FIELDS,
  status: "completed",
  pageCount: 3,
  bundleUrl: "https://store.example.com/x?signature=c4n4ry",
  bundleSize: 9,
  expiresAt: "2026-11-26T00:00:00Z",
  renewAfter: "2026-11-25T16:00:00Z",
};
const URN = "urn:pulumi:prod::docs::pulumi-nodejs:dynamic/docs-hosting:StaticExport::docs";
const problemOf = (source: object): unknown => ruleOfSource(source, configuration);

test.each([
  ["its outputs", OUTPUTS],
  [
    "its outputs, id and URN, as a stack exports a resource",
    { ...OUTPUTS, id: "docs.example.com", urn: URN },
  ],
  [
    "the same of the native plugin",
    { ...OUTPUTS, urn: URN.replace(/pulumi-nodejs.*::/, "docs-hosting:index:StaticExport::") },
  ],
  ["the same of one that was only read", { ...FIELDS, id: "docs.example.com", urn: URN }],
  ["outputs of a newer version", { ...OUTPUTS, later: { than: "this" } }],
  ["some of its outputs", { ...FIELDS, status: "completed", bundleUrl: OUTPUTS.bundleUrl, pageCount: null }],
  ["what a preview knows", { ...OUTPUTS, bundleUrl: UNKNOWN, "@isPulumiResource": true }],
])("of the export, as %s, only what finds its bundle is kept", (_what, source) => {
  expect(ruleOfSource(source, configuration)).toEqual({ value: FIELDS });
});

test("copies and kits keep no link of it, and a renewed link changes nothing", () => {
  const copy = (source: object): unknown =>
    checkByTable<CheckedCopyInputs>(
      BUNDLE_COPY_INPUTS,
      { source, destination: { folder: "x" } },
      configuration,
    );
  const kit = (source: object): unknown =>
    checkByTable(AIR_GAP_KIT_INPUTS, { source, folder: "x" }, configuration);
  for (const check of [copy, kit]) {
    expect(JSON.stringify(check(OUTPUTS))).not.toContain("c4n4ry");
    const renewed = {
      ...OUTPUTS,
      bundleUrl: "https://store.example.com/y",
      expiresAt: "2027-01-01T00:00:00Z",
    };
    expect(check(renewed)).toEqual(check(OUTPUTS));
    expect(check(OUTPUTS)).toEqual(check(FIELDS));
  }
});

test.each([
  ["a misspelt field", { ...FIELDS, verison: "v1" }, "verison"],
  ["an input that has no effect here", { ...FIELDS, triggers: ["x"] }, "triggers"],
  ["a link beside the fields of a source", { ...FIELDS, bundleUrl: OUTPUTS.bundleUrl }, "bundleUrl"],
  ["a whole copy", { ...FIELDS, uri: "x", urn: URN.replace("StaticExport", "BundleCopy") }, "uri"],
  ["a component with such a name", { ...FIELDS, urn: "urn:pulumi:p::d::acme:MyStaticExport::d" }, "urn"],
])("%s is still refused", (_what, source, at) => {
  expect(problemOf(source)).toMatchObject({ at });
});

test("an export without a job yet is no source", () => {
  expect(problemOf({ ...OUTPUTS, jobId: null })).toMatchObject({
    problem: expect.stringContaining("must be a StaticExport") as unknown,
  });
});
