import { describe, expect, test } from "vitest";
import {
  CHART,
  helm,
  notes,
  serving,
  servingImage,
  SITE_IMAGE,
  template,
  type Values,
} from "./renderedChart.ts";

/** In every link here, also in that of `serving`. */
const CANARY = "CANARY";
const LINK = `https://store.example.com/bundle.tar.gz?signature=${CANARY}`;

const NO_STRING = "staticExport.bundleUrl must be a string";
const NO_HTTPS_URL = "staticExport.bundleUrl must be an https: URL";
const NOT_IN_A_URL = "contains a space, a line break or a control character";

const IN_NGINX = /at '\/web\/|web\.headers: «/;

const linked = (bundleUrl: unknown) => serving({}, { bundleUrl });
const withHeader = (name: string, value: string) => ({ web: { headers: { [name]: value } } });

test.each<[string, Values, string | RegExp]>([
  ["no link", linked(""), "staticExport.enabled is true, so staticExport.bundleUrl is needed"],
  ["null for a link", linked(null), NO_STRING],
  ["a number for a link", linked(7), NO_STRING],
  ["a list for a link", linked([LINK]), NO_STRING],
  ["an object for a link", linked({ url: LINK }), NO_STRING],
  ["true for a link", linked(true), NO_STRING],
  ["a link of another protocol", linked(LINK.replace("https", "ftp")), NO_HTTPS_URL],
  ["a link to a file", linked(`file:///${CANARY}`), NO_HTTPS_URL],
  ["a relative link", linked(`/bundle?${CANARY}`), NO_HTTPS_URL],
  ["a link that no parser takes", linked(`:%zz//[${CANARY}`), NO_HTTPS_URL],
  ["an http: link", linked(LINK.replace("https", "HTTP")), "set fetch.allowHttp to true"],
  ["a link with a space", linked(`${LINK} `), NOT_IN_A_URL],
  ["a link with a line break", linked(`${LINK}\nx: y`), NOT_IN_A_URL],
  ["a link with a password", linked(`https://user:${CANARY}@a/`), "contains a user name or password"],

  ["an unknown value beside the link", serving({}, { bundelUrl: LINK }), "'bundelUrl' not allowed"],
  [
    "enabled as no boolean",
    serving({}, { enabled: "yes" }),
    "'/staticExport/enabled': got string, want bool",
  ],
  ["a number as version", serving({}, { version: 7 }), "'/staticExport/version': got number, want string"],
  ["the link where its group should be", { staticExport: LINK }, "'/staticExport': got string, want object"],
  ["the group as a list", { staticExport: [{ bundleUrl: LINK }] }, "'/staticExport': got array, want object"],
  ["an unknown group", serving({ static: { bundleUrl: LINK } }), "'static' not allowed"],
  [
    "a feature as text",
    serving({ features: { search: "yes" } }),
    "'/features/search': got string, want bool",
  ],
  ["an Ingress without a host", serving({ ingress: { enabled: true } }), "must name at least one host"],
  [
    "much at once",
    serving({ replicas: "two", more: true }, { enabled: "yes", version: 7, more: 1 }),
    "'/replicas': got string, want integer",
  ],

  ["a variable in the policy", { web: { contentSecurityPolicy: "a $request_uri" } }, IN_NGINX],
  ["a line break in a header", withHeader("X-More", "a\nb"), IN_NGINX],
  ["a control character in a header", withHeader("X-More", "a\u0001b"), IN_NGINX],
  ["a variable in a header", withHeader("X-More", "a $host"), IN_NGINX],
  ["a path that ends in a slash", { web: { basePath: "/docs/" } }, IN_NGINX],
  ["a relative path", { web: { basePath: "docs" } }, IN_NGINX],
  ["a path that leads up", { web: { basePath: "/../etc" } }, IN_NGINX],
  ["a path with more than names", { web: { basePath: "/docs;x" } }, IN_NGINX],
  ["no name of a header", withHeader("X More", "a"), IN_NGINX],
  ["another policy beside the policy", withHeader("Content-Security-Policy", "a"), IN_NGINX],
  ["a quote in the pattern", { web: { immutablePattern: `a" b` } }, IN_NGINX],
])("%s is refused with a message without a link", async (_, values, expected) => {
  const { code, output } = await template(values);
  expect(code).not.toBe(0);
  expect(output).toMatch(expected);
  expect(output).not.toContain(CANARY);
  // lint only warns of what templates refuse
  expect((await helm(["lint", "--strict", CHART], values)).output).not.toContain(CANARY);
});

const ofImage = { enabled: true, bundleUrl: "" };

test.each<[string, Values, string, version: string]>([
  [
    "an image and a link",
    serving({ siteImage: SITE_IMAGE }),
    "siteImage is set, so nothing is fetched: remove staticExport.bundleUrl",
    "1.36.0",
  ],
  [
    "two images",
    { ...servingImage("volume"), siteImage: SITE_IMAGE },
    "siteImage and siteVolume.image are two images of a site: set only one of them",
    "1.36.0",
  ],
  [
    "an image by its tag alone",
    { staticExport: ofImage, siteImage: "registry.example.com/docs/site:latest" },
    "at '/siteImage': 'registry.example.com/docs/site:latest' does not match",
    "1.36.0",
  ],
  [
    "an image volume where no feature gate could help",
    servingImage("volume"),
    "Kubernetes has from 1.35 on; this is v1.30.9. Give an image that serves the site by itself, as siteImage: that of a BundleCopy whose destination has a base, an nginx image.\n",
    "1.30.9",
  ],
  [
    "an image volume where a feature gate may help",
    { staticExport: ofImage, siteVolume: { image: SITE_IMAGE } },
    "this is v1.34.9. Give an image that serves the site by itself, as siteImage: that of a BundleCopy whose destination has a base, an nginx image. Or, if this cluster has the feature gate ImageVolume switched on, set siteVolume.featureGate to true.",
    "1.34.9",
  ],
])(
  "%s is refused with a message that says what to do, without a link",
  async (_, values, expected, version) => {
    const { code, output } = await template(values, "--kube-version", version);
    expect(code).not.toBe(0);
    expect(output).toContain(expected);
    expect(output).not.toContain(CANARY);
  },
);

test("an image volume is used from Kubernetes 1.35 on, with any suffix that vendors add to the version", async () => {
  const values = { staticExport: ofImage, siteVolume: { image: SITE_IMAGE } };
  for (const version of ["1.35.0", "1.35.1-eks-1a2b3c4", "1.36.0-gke.100"]) {
    expect((await template(values, "--kube-version", version)).code).toBe(0);
  }
});

describe("the notes", () => {
  test("say how to open the pages and how to find a pod's reason, without the link", async () => {
    const text = await notes(serving({}, { bundleUrl: LINK, version: "2030-01" }));
    expect(text).toContain("serves version «2030-01»");
    expect(text).toContain("kubectl --namespace default port-forward service/docs-docs-server 8080:80");
    expect(text).toMatch(
      /kubectl .* logs --selector app.kubernetes.io\/name=docs-server,app.kubernetes.io\/instance=docs --container fetch/,
    );
    expect(text).toContain("describe pods");
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain("Warning");
  });

  test.each(["siteImage", "volume"] as const)(
    "of a site in an image (%s) name no init container",
    async (mode) => {
      const text = await notes({ ...servingImage(mode), staticExport: { enabled: true } });
      expect(text).toContain("«Events»: is the site's image pulled?");
      expect(text).not.toContain("fetch");
      expect(text).not.toContain("Warning");
    },
  );

  const ingress = { enabled: true, hosts: ["docs.example.com"], tls: [{ secretName: "tls" }] };

  test.each<[string, Values, string]>([
    ["name the address of the Ingress", serving({ ingress }), "https://docs.example.com/"],
    [
      "warn of content without a name",
      serving({}, { version: "" }),
      "neither staticExport.version nor staticExport.jobId is set",
    ],
    [
      "say when nothing is served",
      {},
      "serves a page without content, because staticExport.enabled is false",
    ],
  ])("%s", async (_, values, expected) => {
    expect(await notes(values)).toContain(expected);
  });
});
