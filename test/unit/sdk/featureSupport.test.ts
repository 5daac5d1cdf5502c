import { RunError } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import type { DeploymentKind, Feature } from "../../../provider/installation/featureTable.ts";
import { featureSupport } from "../../../sdk/featureSupport.ts";

test.each<[Feature, DeploymentKind, string]>([
  ["search", "cloud", "available"],
  ["search", "client-hosted", "configurable"],
  ["search", "air-gapped", "unavailable"],
  ["aiAssistant", "cloud", "available"],
  ["aiAssistant", "client-hosted", "configurable"],
  ["aiAssistant", "air-gapped", "unavailable"],
  ["webAnalytics", "cloud", "available"],
  ["webAnalytics", "client-hosted", "configurable"],
  ["webAnalytics", "air-gapped", "unavailable"],
  ["apiPlayground", "cloud", "available"],
  ["apiPlayground", "client-hosted", "available"],
  ["apiPlayground", "air-gapped", "configurable"],
  ["staticExport", "cloud", "available"],
  ["staticExport", "client-hosted", "available"],
  ["staticExport", "air-gapped", "available"],
])("%s, %s: %s", (feature, deploymentKind, support) => {
  expect(featureSupport(feature, deploymentKind)).toBe(support);
});

test.each([
  ["serach", '"serach"'],
  ["toString", '"toString"'],
  ["__proto__", '"__proto__"'],
  [undefined, "of type undefined"],
  [1, "of type number"],
])("the feature %j is refused", (name, shown) => {
  const ask = (): unknown => featureSupport(name as Feature, "cloud");
  expect(ask).toThrow(RunError);
  expect(ask).toThrow(
    `there is no feature ${shown}; there are "search", "aiAssistant", "webAnalytics", "apiPlayground", "staticExport"`,
  );
});

test.each(["self-hosted", "Cloud", undefined])("the deployment kind %j is refused", (name) => {
  const ask = (): unknown => featureSupport("search", name as DeploymentKind);
  expect(ask).toThrow(RunError);
  expect(ask).toThrow(/^there is no deployment kind .*"cloud", "client-hosted", "air-gapped"$/);
});
