import { expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import { checkFeatures, installationFeatures } from "../../../provider/installation/installationFeatures.ts";

test("a kind and features that exist are returned as they are", () => {
  const given = { deploymentKind: "client-hosted", features: { search: true, aiAssistant: false } };
  expect(installationFeatures(given)).toEqual({ outputs: given });
  expect(installationFeatures({ deploymentKind: "air-gapped", features: null })).toEqual({
    outputs: { deploymentKind: "air-gapped", features: {} },
  });
});

test.each<[string, object, string]>([
  [
    "a kind that nobody installs",
    { deploymentKind: "cloud" },
    'there is no deploymentKind "cloud"; there are',
  ],
  ["a missing kind", {}, "there is no deploymentKind of type undefined"],
  ["a feature by a wrong name", { deploymentKind: "air-gapped", features: { serach: true } }, '"serach"'],
  ["an unavailable feature", { deploymentKind: "air-gapped", features: { search: true } }, "unavailable"],
  ["features in a list", { deploymentKind: "air-gapped", features: ["search"] }, "must be an object"],
  ["another argument", { deploymentKind: "air-gapped", image: "a" }, "there is no argument `image`"],
])("%s is refused", (_, given, text) => {
  expect(installationFeatures({ ...given })).toEqual({ problem: expect.stringContaining(text) as unknown });
});

test.each<[string, unknown, unknown, string]>([
  ["a wrong kind, although the features are unknown", UNKNOWN, "cloud", 'deploymentKind "cloud"'],
  ["a wrong kind, although a feature is unknown", { search: UNKNOWN }, "cloud", 'deploymentKind "cloud"'],
  ["a wrong feature, although the kind is unknown", { serach: true }, UNKNOWN, '"serach"'],
  [
    "a wrong value, although the kind is unknown",
    { search: "yes" },
    UNKNOWN,
    "`features.search` must be true",
  ],
  ["an unavailable one beside an unknown one", { search: true, x: UNKNOWN }, "air-gapped", "unavailable"],
])("%s is refused", (_, features, deploymentKind, text) => {
  expect(checkFeatures(features, deploymentKind)).toEqual({
    problem: expect.stringContaining(text) as unknown,
  });
});

test("what is not known has no values yet, and is no problem", () => {
  expect(checkFeatures(UNKNOWN, "air-gapped")).toBeUndefined();
  expect(checkFeatures({ search: true }, UNKNOWN)).toBeUndefined();
  expect(checkFeatures({ search: UNKNOWN }, "client-hosted")).toBeUndefined();
});
