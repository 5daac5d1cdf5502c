import { expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import { installationValues } from "../../../provider/installation/installationValues.ts";

const LINK = "https://store.example.com/bundle.tgz?signature=c4n4ry";
const EXPORT = { bundleUrl: LINK, version: "v1", jobId: "7f3a" };
const IMAGE = `r.example.com/site@sha256:${"a0".repeat(32)}`;
const KIND = { deploymentKind: "client-hosted" };

test("an export has its link, which is a secret, and the requested features", () => {
  expect(
    installationValues({
      ...KIND,
      ...EXPORT,
      features: { search: true },
      values: { replicas: 2 },
    }),
  ).toEqual({
    outputs: {
      values: { replicas: 2, staticExport: { enabled: true, ...EXPORT }, features: { search: true } },
    },
    link: LINK,
  });
});

test("an image has no link, and null is the same as absent", () => {
  const site = { image: IMAGE, version: "v1", jobId: null, bundleUrl: null };
  expect(installationValues({ ...KIND, ...site, features: null, values: null })).toEqual({
    outputs: { values: { staticExport: { enabled: true, version: "v1" }, siteImage: IMAGE } },
  });
});

test("an unavailable feature quotes its row", () => {
  const result = installationValues({
    ...EXPORT,
    deploymentKind: "air-gapped",
    features: { search: true },
  });
  expect(result).toEqual({
    problems: [expect.stringContaining("| Documentation search | available | configurable  | unavailable |")],
  });
});

test("an air-gapped installation whose pods need a link is warned of, one with a copy is not", () => {
  const warningOf = (site: object) =>
    installationValues({ ...site, deploymentKind: "air-gapped" }) as { warning?: string };
  expect(warningOf(EXPORT).warning).toContain("after the link has expired, no pod can start");
  expect(warningOf({ ...EXPORT, sha256: "5f" })).not.toHaveProperty("warning");
  expect(warningOf({ image: IMAGE })).not.toHaveProperty("warning");
});

test("what is not known yet stays so, alone where it can", () => {
  const valuesOf = (given: object) =>
    (installationValues({ ...KIND, ...EXPORT, ...given }) as { outputs: { values: unknown } }).outputs.values;
  for (const name of ["deploymentKind", "features", "values"]) {
    expect(valuesOf({ [name]: UNKNOWN })).toBe(UNKNOWN);
  }
  expect(valuesOf({ features: { search: UNKNOWN } })).toBe(UNKNOWN);
  expect(valuesOf({ image: IMAGE, runnable: UNKNOWN })).toBe(UNKNOWN);
  expect(valuesOf({ destination: UNKNOWN, image: IMAGE })).toBe(UNKNOWN);
  const unknownLink = installationValues({ ...KIND, bundleUrl: UNKNOWN, version: "v1" });
  expect(unknownLink).toEqual({
    outputs: { values: { staticExport: { enabled: true, bundleUrl: UNKNOWN, version: "v1" } } },
  });
  expect(valuesOf({ values: { staticExport: UNKNOWN, replicas: 2 } })).toEqual({
    staticExport: UNKNOWN,
    replicas: 2,
  });
});

test.each<[string, object, string]>([
  [
    "an unknown argument",
    { bundelUrl: LINK },
    "there is no argument `bundelUrl`. Arguments are: bundleUrl, image",
  ],
  ["a version that is a number", { version: 1 }, "`version` must be a string."],
  ["a wrong switch", { image: IMAGE, runnable: "yes" }, "`runnable` must be true or false."],
  ["no link", { bundleUrl: undefined }, "`bundleUrl` is missing. If it comes from another stack"],
  ["an empty image", { image: "" }, "`image` is missing. If it comes from another stack"],
  [
    "a copy in a private bucket",
    { bundleUrl: null, destination: { bucket: "docs" } },
    "the copy in the bucket has no address that pods could fetch it from",
  ],
  ["a copy in a folder", { destination: { folder: "./bundles" } }, "(./bundles), which no pod can reach"],
  ["a copy without its image", { destination: { repository: "r/x" } }, "`image` is missing."],
  ["another kind", { deploymentKind: "cloud" }, 'there is no deploymentKind "cloud"'],
  [
    "features that are a list",
    { features: ["search"] },
    "`features` must be an object with some of search, ",
  ],
  ["values that are a list", { values: [] }, "`values` must be an object, such as { replicas: 2 }."],
])("%s is an error that says so", (_, given, text) => {
  expect(installationValues({ ...KIND, ...EXPORT, ...given })).toEqual({
    problems: [expect.stringContaining(text)],
  });
});

test("all problems are reported at once", () => {
  const result = installationValues({ deploymentKind: "cloud", values: 1 });
  expect((result as { problems: string[] }).problems).toHaveLength(3);
});
