// The registration of BundleCopy by a program, read through Pulumi's own mocks.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { fileDigest } from "../../../provider/copies/source/fileDigest.ts";
import { needsLink } from "../../../provider/installation/siteValues.ts";
import { BundleCopy, type BundleCopyArgs } from "../../../sdk/bundleCopy.ts";
import { handlerText } from "../../../sdk/handler.ts";
import { staticExportValues } from "../../../sdk/index.ts";
import { StaticExport } from "../../../sdk/staticExport.ts";
import { type Registered, settled, startProgram } from "../../simulation/pulumiProgram.ts";

const TYPE = "pulumi-nodejs:dynamic/docs-hosting:BundleCopy";
const OUTPUTS = { jobId: "7f3a", version: "v1", baseUrl: "https://api.example.test", apiKeyEnv: "A_KEY" };
/** SHA-256 of «bundle». */
const SHA256 = "1e6ed65d77d6364eeaed5a745ba5c4985ae2b700dd85d7cf7f027bdf294a33fc";

let registered: Registered[];
beforeEach(async () => {
  registered = await startProgram({ outputs: OUTPUTS, project: "copies" });
});

async function inputsOf(args: BundleCopyArgs, opts?: pulumi.CustomResourceOptions) {
  const copy = new BundleCopy("copy", args, opts);
  await settled();
  const found = registered.find(({ type }) => type === TYPE);
  return { copy, inputs: found?.inputs ?? {} };
}
const destination = { folder: "./copies" };
const source = { domain: "docs.example.com", jobId: "7f3a" };

describe("BundleCopy", () => {
  test("registers its inputs, the text that finds the provider, its own URN and its time limits", async () => {
    const customTimeouts = { create: "1h" };
    const { inputs } = await inputsOf({ source, destination, keep: 2 }, { customTimeouts });
    expect(inputs).toEqual({
      source,
      destination,
      keep: 2,
      __provider: handlerText("BundleCopy"),
      __urn: `urn:pulumi:stack::copies::${TYPE}::copy`,
      __timeouts: customTimeouts,
    });
  });

  test("uses an export's values that find its bundle, and never its link", async () => {
    const docs = new StaticExport("docs", { domain: "docs.example.com" });
    const { inputs } = await inputsOf({ source: docs, destination });
    expect(inputs["source"]).toEqual({ domain: "docs.example.com", ...OUTPUTS });
  });

  test("adds the digest of a file to its name, and none of an unreadable one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "copied-file-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "bundle.tar.gz");
    writeFileSync(file, "bundle");
    const { inputs } = await inputsOf({ source: { file: pulumi.output(file), version: "v1" }, destination });
    expect(inputs["source"]).toEqual({ file, version: "v1", fileSha256: SHA256 });
    expect(await fileDigest(folder)).toBeUndefined();
    expect(await fileDigest(join(folder, "none"))).toBeUndefined();
  });

  test.each([
    ["as an output", (value: object) => pulumi.output(value)],
    ["as a promise", (value: object) => Promise.resolve(value)],
  ])(
    "takes its source %s: an export of this stack, a whole one of another stack, or a file",
    async (_, wrap) => {
      const of = async (value: object): Promise<unknown> => {
        registered = await startProgram({ outputs: OUTPUTS, project: "copies" });
        const given = wrap(value) as BundleCopyArgs["source"];
        return (await inputsOf({ source: given, destination })).inputs["source"];
      };
      const whole = { ...source, status: "completed", bundleUrl: "https://store.example.com/x" };
      expect(await of(whole)).toEqual(whole); // the provider takes what it needs
      expect(await of({ file: "none.tar.gz", version: "v1" })).toMatchObject({ file: "none.tar.gz" });
      const folder = mkdtempSync(join(tmpdir(), "copied-file-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const file = join(folder, "bundle.tar.gz");
      writeFileSync(file, "bundle");
      expect(await of({ file, version: "v1" })).toEqual({ file, version: "v1", fileSha256: SHA256 });
      registered = await startProgram({ outputs: OUTPUTS, project: "copies" });
      const docs = new StaticExport("docs", { domain: "docs.example.com" });
      const { inputs } = await inputsOf({ source: wrap(docs) as BundleCopyArgs["source"], destination });
      expect(inputs["source"]).toEqual({ domain: "docs.example.com", ...OUTPUTS });
    },
  );

  test("has an output for each of its inputs, and for each result", async () => {
    const { copy } = await inputsOf({ source, destination });
    const names =
      "source destination version jobId sha256 size files pages uri image bundleUrl expiresAt renewAfter " +
      "selfContained externalLoads copiedAt requireSelfContained limits keep";
    const outputs = copy as unknown as Record<string, unknown>;
    for (const name of names.split(" ")) expect(pulumi.Output.isInstance(outputs[name]), name).toBe(true);
  });

  test("marks its address as a secret, and keeps the user's own options", async () => {
    let seen: pulumi.CustomResourceOptions = {};
    const transformations: pulumi.ResourceTransformation[] = [
      ({ opts }) => {
        seen = opts;
        return undefined;
      },
    ];
    await inputsOf(
      { source, destination },
      { transformations, additionalSecretOutputs: ["uri"], protect: true },
    );
    expect(seen).toMatchObject({ additionalSecretOutputs: ["bundleUrl", "uri"], protect: true });
  });

  test("in a folder is refused at once as the source of an installation", async () => {
    const { copy } = await inputsOf({ source, destination });
    expect(() => staticExportValues(copy)).toThrow(
      /a copy in a folder of the machine that runs `pulumi up` \(\.\/copies\), which no pod can reach\. .*whose image needs nothing else, or \{ bucket \}/,
    );
    for (const nothing of [{ repository: null }, { bucket: null }]) {
      const other = await inputsOf({ source, destination: { ...destination, ...nothing } });
      expect(() => staticExportValues(other.copy)).toThrow("a copy in a folder");
    }
  });

  test.each<[string, BundleCopyArgs["destination"]]>([
    ["as a whole", pulumi.output({ repository: "r.example.com/x" })],
    ["as a promise", Promise.resolve({ repository: "r.example.com/x" })],
    ["in a field", { repository: "r.example.com/x", base: pulumi.output(undefined) as never }],
    ["in a promised field", { repository: "r.example.com/x", base: Promise.resolve(undefined) as never }],
  ])("whose destination is known %s only when the program has run is checked then", async (_, place) => {
    await startProgram({ outputs: { ...OUTPUTS, image: "r.example.com/x@sha256:1" }, project: "copies" });
    const { copy } = await inputsOf({ source, destination: place });
    const values = await new Promise((resolve) => {
      pulumi.output(staticExportValues(copy)).apply(resolve);
    });
    expect(values).toMatchObject({ siteVolume: { image: "r.example.com/x@sha256:1" } });
    expect((values as Record<string, unknown>)["siteImage"]).toBeUndefined();
  });
});

test("a copy with neither an image nor a digest needs a link", async () => {
  const { copy } = await inputsOf({ source, destination });
  expect(needsLink(new StaticExport("docs", { domain: "docs.example.com" }))).toBe(true);
  expect(needsLink({ bundleUrl: "https://store.example.com/x" })).toBe(true);
  expect(needsLink({ bundleUrl: "https://store.example.com/x", sha256: SHA256 })).toBe(false);
  expect(needsLink({ siteImage: "r.example.com/x@sha256:1" })).toBe(false);
  expect(needsLink(copy)).toBe(false);
});

test("values that were not given are absent", () => {
  expect(Object.keys(staticExportValues({ bundleUrl: "https://store.example.com/x" }))).toEqual([
    "staticExport",
  ]);
  const { staticExport } = staticExportValues({ image: "r.example.com/x@sha256:1" });
  expect(Object.keys(staticExport)).toEqual(["enabled"]);
});
