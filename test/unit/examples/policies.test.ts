// The rules of examples/policies, on the properties that Pulumi passes to them.
import type { ReportViolation, ResourceValidationArgs } from "@pulumi/policy";
import { describe, expect, test } from "vitest";
import { policies } from "../../../examples/policies/policies.ts";

const RELEASE = "kubernetes:helm.sh/v3:Release";

/** What a policy reports about a resource. */
async function violations(
  policy: string,
  type: string,
  props: Record<string, unknown>,
  config: object = {},
): Promise<string[]> {
  const found = policies.find(({ name }) => name === policy);
  if (found === undefined) throw new Error(`there is no policy ${policy}`);
  const reported: string[] = [];
  const args = { type, props, getConfig: () => config } as unknown as ResourceValidationArgs;
  const report: ReportViolation = (message) => void reported.push(message);
  for (const validate of [found.validateResource].flat()) await validate?.(args, report);
  return reported;
}

const BOTH = (name: string): string[] => [
  `pulumi-nodejs:dynamic/docs-hosting:${name}`,
  `docs-hosting:index:${name}`,
];

describe.each(BOTH("BundleCopy"))("of %s", (type) => {
  test.each([
    ["baseUrl", { baseUrl: "http://api.example.com" }],
    ["source.baseUrl", { source: { baseUrl: "http://api.example.com" } }],
    ["destination.endpoint", { destination: { bucket: "b", endpoint: "http://s3.example.com" } }],
    ["destination.plainHttp", { destination: { repository: "r.example.com/docs", plainHttp: true } }],
  ])("a plain connection is refused at %s", async (property, props) => {
    expect(await violations("encrypted-connections", type, props)).toEqual([
      expect.stringContaining(`\`${property}\``),
    ]);
  });

  test.each([
    ["HTTPS", { baseUrl: "https://api.example.com", destination: { endpoint: "https://s3.example.com" } }],
    ["this machine", { baseUrl: "http://127.0.0.1:4010", destination: { endpoint: "http://[::1]:9000" } }],
    ["a destination that is not known yet", { destination: undefined }],
  ])("%s is accepted", async (_, props) => {
    expect(await violations("encrypted-connections", type, props)).toEqual([]);
  });

  test("a file as the source needs its digest", async () => {
    const source = { file: "site.tar.gz", version: "1" };
    expect(await violations("pinned-content", type, { source })).toEqual([
      expect.stringContaining("`sha256`"),
    ]);
    expect(await violations("pinned-content", type, { source, sha256: "0".repeat(64) })).toEqual([]);
    expect(await violations("pinned-content", type, { source: { domain: "docs.example.com" } })).toEqual([]);
  });

  test("only stacks that ask for it need self-contained copies and signed images", async () => {
    const props = { destination: { repository: "r.example.com/docs" } };
    const judge = (policy: string, config: object, more: object = {}) =>
      violations(policy, type, { ...props, ...more }, config);
    expect(await judge("self-contained-sites", {})).toEqual([]);
    expect(await judge("self-contained-sites", { copies: true })).toHaveLength(1);
    expect(await judge("self-contained-sites", { copies: true }, { requireSelfContained: true })).toEqual([]);
    expect(await judge("signed-content", {})).toEqual([]);
    expect(await judge("signed-content", { images: true })).toHaveLength(1);
    expect(await judge("signed-content", { images: true }, { signingKeyEnv: "KEY" })).toEqual([]);
    expect(await judge("signed-content", { images: true }, { destination: { folder: "copies" } })).toEqual(
      [],
    );
  });
});

test.each(BOTH("AirGapKit"))("a kit is self-contained and signed: %s", async (type) => {
  expect(await violations("self-contained-sites", type, {})).toHaveLength(1);
  expect(await violations("self-contained-sites", type, { requireSelfContained: true })).toEqual([]);
  expect(await violations("signed-content", type, {})).toHaveLength(1);
  expect(await violations("signed-content", type, { signingKeyEnv: "KEY" })).toEqual([]);
});

test("an installation names its images by digest", async () => {
  const judge = (values: object) => violations("pinned-content", RELEASE, { values });
  const staticExport = { enabled: true };
  const digest = `r.example.com/docs@sha256:${"0".repeat(64)}`;
  expect(await judge({ staticExport, siteImage: "r.example.com/docs:latest" })).toEqual([
    expect.stringContaining("`siteImage`"),
  ]);
  expect(await judge({ staticExport, siteVolume: { image: "r.example.com/docs:1" } })).toEqual([
    expect.stringContaining("`siteVolume.image`"),
  ]);
  expect(await judge({ staticExport, siteImage: digest })).toEqual([]);
  expect(await judge({ siteImage: "r.example.com/another-chart:latest" })).toEqual([]);
});

test("resources of other providers are not judged", async () => {
  for (const { name } of policies) {
    expect(await violations(name, "aws:s3/bucket:Bucket", { baseUrl: "http://example.com" })).toEqual([]);
  }
});
