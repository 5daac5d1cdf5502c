import { expect, test } from "vitest";
import {
  FEATURES,
  featureValues,
  type RequestedFeatures,
  type SelfHostedDeploymentKind,
  supportOf,
} from "../../../provider/installation/featureTable.ts";

test("configurable features are set in the chart; those that are always available set nothing", () => {
  const features = { search: true, aiAssistant: true, apiPlayground: true, staticExport: true };
  expect(featureValues(features, "client-hosted")).toEqual({ values: { search: true, aiAssistant: true } });
  const inside = { apiPlayground: true, staticExport: true };
  expect(featureValues(inside, "air-gapped")).toEqual({ values: { apiPlayground: true } });
});

test("all unavailable features are refused at once", () => {
  const { problem } = featureValues(
    { search: true, apiPlayground: true, webAnalytics: true },
    "air-gapped",
  ) as { problem: string };
  expect(problem).toMatch(/^Documentation search and Web analytics: unavailable in .* kind "air-gapped"\./);
  expect(problem).toContain("Remove `search` and `webAnalytics`");
  expect(problem).not.toContain("API playground");
  expect(featureValues({ webAnalytics: true }, "air-gapped")).toEqual({
    problem: expect.stringMatching(/give `deploymentKind: "client-hosted"`\.$/) as unknown,
  });
});

test("a client-hosted installation may have every feature, as the refusals in an air-gapped one say", () => {
  expect(FEATURES.filter((feature) => supportOf(feature, "client-hosted") === "unavailable")).toEqual([]);
});

test("false, null, undefined and absent request nothing", () => {
  const requested = { search: false, aiAssistant: undefined, webAnalytics: null } as unknown;
  expect(featureValues(requested as RequestedFeatures, "air-gapped")).toEqual({ values: {} });
});

test.each<[string, object, string, string]>([
  ["an unknown feature that is off", { serach: false }, "air-gapped", 'there is no feature "serach"'],
  ["cloud", {}, "cloud", 'there is no deploymentKind "cloud"; there are "client-hosted", "air-gapped".'],
  ["a missing kind", {}, undefined as never, "there is no deploymentKind of type undefined; there are"],
])("%s is refused", (_, requested, deploymentKind, text) => {
  const result = featureValues(requested, deploymentKind as SelfHostedDeploymentKind);
  expect((result as { problem: string }).problem).toContain(text);
});

test("the whole text of a refusal", () => {
  expect(featureValues({ search: true }, "air-gapped")).toEqual({
    problem: [
      'Documentation search: unavailable in an installation of the kind "air-gapped".',
      "",
      "  | Feature              | Cloud     | Client-hosted | Air-gapped  |",
      "  | Documentation search | available | configurable  | unavailable |",
      "",
      "An air-gapped installation has no outbound network access, so nothing in it can rely on the service's cloud. " +
        "Remove `search` from `features`; or, if this installation may reach external hosts, give " +
        '`deploymentKind: "client-hosted"`. A search that needs no service is the input `offlineSearch` of a BundleCopy ' +
        "or an AirGapKit.",
    ].join("\n"),
  });
  expect(featureValues({ search: 1 } as unknown as RequestedFeatures, "air-gapped")).toEqual({
    problem:
      "`features.search` must be true or false, known when the program runs, not number: " +
      "it is checked before anything is created.",
  });
  expect(featureValues({ x: true } as unknown as RequestedFeatures, "air-gapped")).toEqual({
    problem:
      'in `features`, there is no feature "x"; there are "search", "aiAssistant", "webAnalytics", "apiPlayground", "staticExport".',
  });
});
