// Values from a resource, and from another stack's outputs, seen through Pulumi's own mocks.
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, test } from "vitest";
import { SelfHostedDocs } from "../../../sdk/kubernetes/index.ts";
import { StaticExport } from "../../../sdk/staticExport.ts";
import { presentLink } from "../../../sdk/staticExportLink.ts";
import { staticExportValues } from "../../../sdk/staticExportValues.ts";
import { startProgram, told, type Registered } from "../../simulation/pulumiProgram.ts";

const LINK = "https://store.example.com/bundle.tgz?signature=c4n4ry";

let registered: Registered[];
beforeEach(async () => {
  registered = await startProgram({ outputs: { bundleUrl: LINK, version: "v1", jobId: "7f3a" } });
});

test("the values of an export have its link, as a secret, its version and its job", async () => {
  const { staticExport } = staticExportValues(new StaticExport("docs", { domain: "docs.example.com" }));
  expect(staticExport.enabled).toBe(true);
  expect(await told(staticExport.bundleUrl)).toEqual({ value: LINK, secret: true });
  expect(await told(staticExport.version)).toEqual({ value: "v1", secret: false });
  expect(await told(staticExport.jobId)).toEqual({ value: "7f3a", secret: false });
});

test("a plain link of another stack becomes a secret, version and job stay plain", async () => {
  const { staticExport } = staticExportValues({
    bundleUrl: pulumi.output(LINK),
    version: "v2",
    jobId: pulumi.output("81bc"),
  });
  expect(await told(staticExport.bundleUrl)).toEqual({ value: LINK, secret: true });
  expect(await told(staticExport.version)).toEqual({ value: "v2", secret: false });
  expect(await told(staticExport.jobId)).toEqual({ value: "81bc", secret: false });
});

test("without a version or a job the installation is told none", () => {
  for (const link of [{ bundleUrl: LINK }, { bundleUrl: LINK, version: undefined, jobId: undefined }]) {
    expect(Object.keys(staticExportValues(link).staticExport)).toEqual(["enabled", "bundleUrl"]);
  }
});

test.each([undefined, null, "", 7])("a link that turns out to be %j is an error that says so", (url) => {
  expect(() => presentLink(url, 'SelfHostedDocs "docs"')).toThrow(
    /^SelfHostedDocs "docs": `bundleUrl` is missing\. If it comes from another stack, check that this stack has such an output and was updated; an export that was read with .* from the stack that manages it\.$/,
  );
});

test("a managed export may have no link under the mocks of a user's test", async () => {
  await startProgram();
  const { staticExport } = staticExportValues(new StaticExport("docs", { domain: "docs.example.com" }));
  expect(await told(staticExport.bundleUrl)).toEqual({ value: undefined, secret: true });
});

test("C10 an export that was read with get has no link: its values and its installation are errors at once", () => {
  const found = StaticExport.get("found", "docs.example.com", { jobId: "7f3a" });
  const refusal =
    /: `staticExport` has no link: an export that was read with StaticExport\.get has none.*`jobId`/;
  // @ts-expect-error -- its type has no link either
  expect(() => staticExportValues(found)).toThrow(refusal);
  const args = { staticExport: found, chart: "./chart", deploymentKind: "client-hosted" } as const;
  // @ts-expect-error -- its type has no link either
  expect(() => new SelfHostedDocs("docs", args)).toThrow(refusal);
  expect(registered.filter(({ type }) => type.includes("SelfHostedDocs"))).toEqual([]);
});

test("an export that is missing is an error that says what can be given", () => {
  for (const nothing of [undefined, null]) {
    expect(() => staticExportValues(nothing as unknown as StaticExport)).toThrow(
      "staticExportValues: `staticExport` is required: the StaticExport to serve, or { bundleUrl, version, jobId } of one.",
    );
  }
});
