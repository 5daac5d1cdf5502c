import { expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import { installationValues } from "../../../provider/installation/installationValues.ts";

const IMAGE = `r.example.com/site@sha256:${"a0".repeat(32)}`;
const LINK = "https://store.example.com/bundle.tgz?signature=c4n4ry";
const COPY = { image: null, bundleUrl: null, version: "v1", jobId: "7f3a", sha256: "5f" };
/** Values of the user under every name that a copy may set. */
const THEIRS = {
  replicas: 2,
  staticExport: { enabled: false, bundleUrl: "theirs", version: "theirs", jobId: "theirs", more: 1 },
  fetch: { sha256: "theirs", retries: 3 },
  siteImage: "theirs",
  siteVolume: { image: "theirs", pullPolicy: "Always" },
};

const installed = (site: object): unknown =>
  installationValues({ deploymentKind: "client-hosted", values: THEIRS, ...COPY, ...site });
const valuesOf = (site: object): unknown => {
  const { outputs } = installed(site) as { outputs: { values: object } };
  return JSON.parse(JSON.stringify(outputs.values)) as unknown;
};
const REST = { replicas: 2, fetch: { retries: 3 }, siteVolume: { pullPolicy: "Always" } };
const LABELS = { enabled: true, version: "v1", jobId: "7f3a", more: 1 };

test("a copy with a base is an image; it removes the user's values of all other ways", () => {
  expect(
    valuesOf({ image: IMAGE, destination: { repository: "r.example.com/site", base: "nginx" } }),
  ).toEqual({
    ...REST,
    staticExport: LABELS,
    siteImage: IMAGE,
  });
});

test("a copy without a base is a volume", () => {
  for (const base of [undefined, null, ""]) {
    const destination = { repository: "r.example.com/site", base, bucket: null };
    expect(valuesOf({ image: IMAGE, destination })).toEqual({
      ...REST,
      staticExport: LABELS,
      siteVolume: { image: IMAGE, pullPolicy: "Always" },
    });
  }
});

test("a copy of the archive in a bucket is fetched by its link, and pods accept no other archive", () => {
  for (const layout of ["archive", undefined, null]) {
    const destination = { bucket: "docs", layout, repository: null };
    expect(valuesOf({ bundleUrl: LINK, destination })).toEqual({
      ...REST,
      staticExport: { ...LABELS, bundleUrl: LINK },
      fetch: { sha256: "5f", retries: 3 },
    });
  }
});

test("an export with a checksum is fetched, and has no other values", () => {
  const site = { bundleUrl: LINK, version: "v1", sha256: "5f" };
  expect(installationValues({ deploymentKind: "client-hosted", ...site })).toStrictEqual({
    outputs: {
      values: { staticExport: { enabled: true, bundleUrl: LINK, version: "v1" }, fetch: { sha256: "5f" } },
    },
    link: LINK,
  });
});

test("values that are not set are left out, an image and a volume have no label they were not given", () => {
  const valuesWith = (site: object): unknown =>
    (installationValues({ deploymentKind: "client-hosted", ...site }) as { outputs: { values: unknown } })
      .outputs.values;
  expect(valuesWith({ image: IMAGE })).toStrictEqual({ staticExport: { enabled: true }, siteImage: IMAGE });
  expect(valuesWith({ image: IMAGE, runnable: false })).toStrictEqual({
    staticExport: { enabled: true },
    siteVolume: { image: IMAGE },
  });
  expect(valuesWith({ bundleUrl: LINK })).toStrictEqual({ staticExport: { enabled: true, bundleUrl: LINK } });
});

test("of an unknown destination or switch nothing is known, and nothing else is reported", () => {
  const unknown = { outputs: { values: UNKNOWN } };
  expect(installed({ destination: UNKNOWN })).toStrictEqual(unknown);
  expect(installed({ image: IMAGE, runnable: UNKNOWN })).toStrictEqual(unknown);
});

const INSTEAD =
  "Give the BundleCopy another destination: { repository, base } with a registry that the cluster reaches, whose image " +
  "needs nothing else";

test.each<[string, object, string]>([
  [
    "a copy in a folder",
    { destination: { folder: "./bundles", bucket: null, repository: null } },
    "the site is a copy in a folder of the machine that runs `pulumi up` (./bundles), which no pod can reach. " +
      `${INSTEAD}, or { bucket }, { azureContainer } or { gcsBucket }.`,
  ],
  [
    "a site in a bucket",
    { bundleUrl: LINK, destination: { bucket: "docs", layout: "site" } },
    'the site is a copy whose files are in the bucket one by one (layout "site"), as static hosting needs them, and no ' +
      `bundle that a pod could fetch. ${INSTEAD}, or the layout "archive".`,
  ],
  [
    "a private bucket without links",
    { destination: { bucket: "docs" } },
    "the copy in the bucket has no address that pods could fetch it from: give its destination a `linkLife`, such as " +
      '"168h", for signed links.',
  ],
  [
    "no image",
    { image: "", destination: { repository: "r/x", base: "nginx" } },
    "`image` is missing. If it comes from another stack, check that this stack has such an output and was updated; " +
      "a BundleCopy has one where its destination is a repository.",
  ],
  [
    "no link",
    {},
    "`bundleUrl` is missing. If it comes from another stack, check that this stack has such an output and was updated; " +
      "a StaticExport that was read with `get` has none, because links are minted only for exports that are managed.",
  ],
  [
    "an argument that there is not",
    { bundelUrl: LINK, bundleUrl: LINK },
    "there is no argument `bundelUrl`. Arguments are: bundleUrl, image, version, jobId, sha256, runnable, destination, " +
      "deploymentKind, features, verify, values.",
  ],
])("%s: the whole text of the problem", (_, site, problem) => {
  expect(installed(site)).toStrictEqual({ problems: [problem] });
});

test("an air-gapped installation by a link: the whole text of the warning", () => {
  const { warning } = installationValues({ deploymentKind: "air-gapped", bundleUrl: LINK }) as {
    warning: string;
  };
  expect(warning).toBe(
    'The installation is "air-gapped", but its pods fetch the bundle by a link: whenever a pod starts, it must reach the ' +
      "host of that link, and after the link has expired, no pod can start. Copy the bundle to a registry that the cluster " +
      "reaches, and pass the outputs of a BundleCopy with the destination { repository, base }.",
  );
});
