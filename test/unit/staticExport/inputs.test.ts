import { expect, test } from "vitest";
import { checkByTable } from "../../../provider/resource/inputTable.ts";
import type { ConfigurationSource } from "../../../provider/service/configuration.ts";
import { type CheckedExportInputs, STATIC_EXPORT_INPUTS } from "../../../provider/staticExport/inputs.ts";

const environment: Record<string, string> = {
  DOCS_HOSTING_BASE_URL: "https://api.example.com/",
  DOCS_HOSTING_ADMIN_API_KEY: "svc_first",
  SECOND_KEY: "svc_second",
};
const source: ConfigurationSource = {
  environment: (name) => environment[name],
  stackConfig: () => undefined,
};

test("inputs are returned in one spelling, with defaults filled in", () => {
  expect(
    checkByTable<CheckedExportInputs>(STATIC_EXPORT_INPUTS, { domain: "Docs.Example.com" }, source),
  ).toEqual({
    inputs: {
      domain: "docs.example.com",
      baseUrl: "https://api.example.com",
      apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
    },
    failures: [],
  });
});

test("a switch of the configuration that is neither true nor false is reported at the base URL", () => {
  const stackConfig = (name: string): string | undefined =>
    name === "docs-hosting:publicStorageOnly" ? "yes" : undefined;
  expect(
    checkByTable<CheckedExportInputs>(
      STATIC_EXPORT_INPUTS,
      { domain: "docs.example.com" },
      { ...source, stackConfig },
    ).failures,
  ).toEqual([
    {
      property: "baseUrl",
      reason:
        "the configuration docs-hosting:publicStorageOnly is neither true nor false. " +
        "Run `pulumi config set docs-hosting:publicStorageOnly true` or `false`.",
    },
  ]);
});

test("all optional values are kept", () => {
  const given = {
    domain: "docs.example.com",
    version: `2026-01-01${"v".repeat(118)}`,
    triggers: [1, { commit: "abc" }],
    jobId: "7",
    renewBefore: "24h",
    renewalTimeout: "90s",
    exportOptions: { paths: ["/guide"], draft: null, theme: { dark: true } },
    baseUrl: "https://other.example.com",
    apiKeyEnv: "SECOND_KEY",
  };
  expect(checkByTable<CheckedExportInputs>(STATIC_EXPORT_INPUTS, given, source)).toEqual({
    inputs: given,
    failures: [],
  });
});

test.each([
  ["domain", undefined, 'is required: the site to export, such as "docs.example.com"'],
  ["version", "", "1 to 128 characters"],
  ["version", "  ", "1 to 128 characters"],
  ["version", "v".repeat(129), "1 to 128 characters"],
  ["version", "a\nb", "control character"],
  ["version", 20260101, "must be a string"],
  ["triggers", "abc", "must be a list"],
  ["exportOptions", "paths", "must be an object"],
  ["exportOptions", ["/guide"], "must be an object"],
  ["exportOptions", { paths: [], domain: "x" }, "must not have the field domain"],
  ["jobId", "..", "not an id of a job"],
  ["apiKeyEnv", "NO_SUCH_KEY", "not set"],
])("%s = %j is one failure on that property", (property, value, reason) => {
  const { failures } = checkByTable<CheckedExportInputs>(
    STATIC_EXPORT_INPUTS,
    { domain: "docs.example.com", [property]: value },
    source,
  );
  expect(failures).toEqual([{ property, reason: expect.stringContaining(reason) as string }]);
});
