// Values from a resource, and from another stack's outputs, read through Pulumi's own mocks.
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "vitest";
import { type CopiedSite, rememberDestination } from "../../../sdk/copiedSite.ts";
import { SelfHostedDocs } from "../../../sdk/kubernetes/index.ts";
import { requiredLink, requiredOutput } from "../../../sdk/requiredOutput.ts";
import { StaticExport } from "../../../sdk/staticExport.ts";
import { staticExportValues } from "../../../sdk/staticExportValues.ts";
import { type Registered, resolved, startProgram } from "../../simulation/pulumiProgram.ts";

const LINK = "https://store.example.com/bundle.tgz?signature=c4n4ry";

const DIGEST = "5f".repeat(32);
const IMAGE = `r.example.com/site@sha256:${"a0".repeat(32)}`;

let registered: Registered[];
beforeEach(async () => {
  registered = await startProgram({ outputs: { bundleUrl: LINK, version: "v1", jobId: "7f3a" } });
});

test("the values of an export have its link, as a secret, its version and its job", async () => {
  const { staticExport } = staticExportValues(new StaticExport("docs", { domain: "docs.example.com" }));
  expect(staticExport.enabled).toBe(true);
  expect(await resolved(staticExport.bundleUrl)).toEqual({ value: LINK, secret: true });
  expect(await resolved(staticExport.version)).toEqual({ value: "v1", secret: false });
  expect(await resolved(staticExport.jobId)).toEqual({ value: "7f3a", secret: false });
});

test("a plain link of another stack becomes a secret, version and job stay plain", async () => {
  const { staticExport } = staticExportValues({
    bundleUrl: pulumi.output(LINK),
    version: "v2",
    jobId: pulumi.output("81bc"),
  });
  expect(await resolved(staticExport.bundleUrl)).toEqual({ value: LINK, secret: true });
  expect(await resolved(staticExport.version)).toEqual({ value: "v2", secret: false });
  expect(await resolved(staticExport.jobId)).toEqual({ value: "81bc", secret: false });
});

test("without a version or a job the installation has none", () => {
  for (const link of [{ bundleUrl: LINK }, { bundleUrl: LINK, version: undefined, jobId: undefined }]) {
    expect(Object.keys(staticExportValues(link).staticExport)).toEqual(["enabled", "bundleUrl"]);
  }
});

test.each([undefined, null, "", 7])("a link that turns out to be %j is an error that says so", (url) => {
  expect(() => requiredLink(url, 'SelfHostedDocs "docs"')).toThrow(
    /^SelfHostedDocs "docs": `bundleUrl` is missing\. If it comes from another stack, check that this stack has such an output and was updated; an export that was read with .* from the stack that manages it\.$/,
  );
});

test("a managed export may lack a link under the mocks of a user's test", async () => {
  await startProgram();
  const { staticExport } = staticExportValues(new StaticExport("docs", { domain: "docs.example.com" }));
  expect(await resolved(staticExport.bundleUrl)).toEqual({ value: undefined, secret: true });
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

/** A BundleCopy, as far as values use it: its inputs, and its outputs once it is created. */
function copyIn(destination: object, made: Partial<Record<"image" | "bundleUrl", string>> = {}): CopiedSite {
  const Copy = class extends pulumi.CustomResource {
    declare readonly destination: pulumi.Output<unknown>;
    declare readonly version: pulumi.Output<string>;
    declare readonly jobId: pulumi.Output<string | undefined>;
    declare readonly sha256: pulumi.Output<string>;
    declare readonly image: pulumi.Output<string | undefined>;
    declare readonly bundleUrl: pulumi.Output<string | undefined>;
  };
  const outputs = { version: "v1", jobId: "7f3a", sha256: DIGEST, image: undefined, bundleUrl: undefined };
  const copy = new Copy("test:index:Copy", "copy", { destination, ...outputs, ...made });
  rememberDestination(copy, destination);
  return copy;
}

/** The engine's view: values that are undefined are absent. */
async function sent(values: object): Promise<unknown> {
  return JSON.parse(JSON.stringify((await resolved(pulumi.output(values))).value));
}

describe("the values of a copy", () => {
  beforeEach(async () => {
    registered = await startProgram();
  });

  test("in a registry, with a base, have its image, and no link", async () => {
    const copy = copyIn(
      { repository: "r.example.com/site", base: "r.example.com/nginx:1" },
      { image: IMAGE },
    );
    expect(await sent(staticExportValues(copy))).toEqual({
      staticExport: { enabled: true, version: "v1", jobId: "7f3a" },
      fetch: {},
      siteImage: IMAGE,
      siteVolume: {},
    });
  });

  test("in a registry, without a base, have its image as a volume", async () => {
    const copy = copyIn({ repository: "r.example.com/site" }, { image: IMAGE });
    expect(await sent(staticExportValues(copy))).toEqual({
      staticExport: { enabled: true, version: "v1", jobId: "7f3a" },
      fetch: {},
      siteVolume: { image: IMAGE },
    });
  });

  test("in a bucket have its link, a secret, and its digest", async () => {
    const copy = copyIn({ bucket: "docs", layout: "archive" }, { bundleUrl: LINK });
    const values = staticExportValues(copy);
    expect(await sent(values)).toEqual({
      staticExport: { enabled: true, bundleUrl: LINK, version: "v1", jobId: "7f3a" },
      fetch: { sha256: DIGEST },
      siteVolume: {},
    });
    expect(await resolved(values.staticExport.bundleUrl)).toEqual({ value: LINK, secret: true });
    expect(await resolved(values.fetch.sha256)).toEqual({ value: DIGEST, secret: false });
    expect(await resolved(values.siteImage)).toEqual({ value: undefined, secret: false });
  });

  test.each([
    [
      { folder: "/srv/docs" },
      /a copy in a folder of the machine that runs `pulumi up` \(\/srv\/docs\), which no pod can reach\. Give .*\{ repository, base \}.*, or \{ bucket \}, \{ azureContainer \} or \{ gcsBucket \}\.$/,
    ],
    [{ bucket: "docs", layout: "site" }, /\(layout "site"\).*, or the layout "archive"\.$/],
  ])("in %j are an error at once that says what to do", (destination, said) => {
    const args = { chart: "oci://r/docs", deploymentKind: "air-gapped" } as const;
    const install = () => new SelfHostedDocs("docs", { ...args, staticExport: copyIn(destination) });
    expect(install).toThrow(said);
    expect(install).toThrow(/^SelfHostedDocs "docs": /);
    expect(registered.filter(({ type }) => type.includes("SelfHostedDocs"))).toEqual([]);
    expect(() => staticExportValues(copyIn(destination))).toThrow(/^staticExportValues: /);
  });

  test("whose destination is an output are computed from it", async () => {
    const destination = { repository: pulumi.output("r.example.com/site"), base: "r.example.com/nginx:1" };
    const { siteImage } = staticExportValues(copyIn(destination, { image: IMAGE }));
    expect(await resolved(siteImage)).toMatchObject({ value: IMAGE });
  });

  test("of another stack's are an image that runs, an image to mount, or a link with a digest", async () => {
    expect(
      await sent(staticExportValues({ image: IMAGE, version: "v1", jobId: pulumi.output("7f3a") })),
    ).toEqual({
      staticExport: { enabled: true, version: "v1", jobId: "7f3a" },
      siteImage: IMAGE,
    });
    expect(await sent(staticExportValues({ image: IMAGE, runnable: false }))).toEqual({
      staticExport: { enabled: true },
      siteVolume: { image: IMAGE },
    });
    expect(await sent(staticExportValues({ bundleUrl: LINK, sha256: DIGEST }))).toEqual({
      staticExport: { enabled: true, bundleUrl: LINK },
      fetch: { sha256: DIGEST },
    });
  });
});

test("an image that another stack lacks is an error that says so", () => {
  expect(() => requiredOutput("image", undefined, "staticExportValues", "a BundleCopy has one.")).toThrow(
    "staticExportValues: `image` is missing. If it comes from another stack, check that this stack has such an output and was updated; a BundleCopy has one.",
  );
});

test("a missing export is an error that says what can be given", () => {
  for (const nothing of [undefined, null]) {
    expect(() => staticExportValues(nothing as unknown as StaticExport)).toThrow(
      "staticExportValues: `staticExport` is required: the StaticExport or BundleCopy to serve, or { bundleUrl, version, jobId } or { image, version, jobId } of one.",
    );
  }
});
