// The registration of AirGapKit by a program, read through Pulumi's own mocks.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { chartDigest } from "../../../provider/kits/contents/chartDigest.ts";
import { AirGapKit, type AirGapKitArgs } from "../../../sdk/airGapKit.ts";
import { handlerText } from "../../../sdk/handler.ts";
import { StaticExport } from "../../../sdk/staticExport.ts";
import { type Registered, settled, startProgram } from "../../simulation/pulumiProgram.ts";

const TYPE = "pulumi-nodejs:dynamic/docs-hosting:AirGapKit";
const OUTPUTS = { jobId: "7f3a", version: "v1", baseUrl: "https://api.example.test", apiKeyEnv: "A_KEY" };

let registered: Registered[];
beforeEach(async () => {
  registered = await startProgram({ outputs: OUTPUTS, project: "kits" });
});

async function inputsOf(args: AirGapKitArgs, opts?: pulumi.CustomResourceOptions) {
  const kit = new AirGapKit("kit", args, opts);
  await settled();
  const found = registered.find(({ type }) => type === TYPE);
  return { kit, inputs: found?.inputs ?? {} };
}
const folder = "./kits";
const source = { domain: "docs.example.com", jobId: "7f3a" };

describe("AirGapKit", () => {
  test("registers its inputs, the text that finds the provider, its own URN and its time limits", async () => {
    const customTimeouts = { create: "1h" };
    const given = {
      source,
      folder,
      images: ["nginx:1"],
      platforms: ["linux/arm64"],
      values: { replicas: pulumi.output(2) },
      signingKeyEnv: "KIT_KEY",
      since: "./manifest.json",
      partSize: 2 ** 30,
      keep: 2,
    };
    const { inputs } = await inputsOf(given, { customTimeouts });
    expect(inputs).toEqual({
      ...given,
      values: { replicas: 2 },
      __provider: handlerText("AirGapKit"),
      __urn: `urn:pulumi:stack::kits::${TYPE}::kit`,
      __timeouts: customTimeouts,
    });
  });

  test("uses an export's values that find its bundle, and never its link", async () => {
    const docs = new StaticExport("docs", { domain: "docs.example.com" });
    const { inputs } = await inputsOf({ source: docs, folder });
    expect(inputs["source"]).toEqual({ domain: "docs.example.com", ...OUTPUTS });
  });

  test("passes an invalid source on, for the provider to report", async () => {
    expect((await inputsOf({ folder } as AirGapKitArgs)).inputs).not.toHaveProperty("source");
    registered.length = 0;
    const file = 7 as unknown as string;
    const { inputs } = await inputsOf({ source: { file, version: "v1" }, folder });
    expect(inputs["source"]).toEqual({ file, version: "v1" });
  });

  test("adds the digest of a chart to its path, and none of an unreadable one", async () => {
    const chart = mkdtempSync(join(tmpdir(), "kit-chart-"));
    onTestFinished(() => rmSync(chart, { recursive: true }));
    writeFileSync(join(chart, "Chart.yaml"), "name: docs\nversion: 1.0.0\n");
    const known = await inputsOf({ source, folder, chart: pulumi.output(chart) });
    expect(known.inputs["chart"]).toEqual({ path: chart, digest: chartDigest(chart) });
    registered.length = 0;
    const missing = await inputsOf({ source, folder, chart: join(chart, "none") });
    expect(missing.inputs["chart"]).toBe(join(chart, "none"));
  });

  test("has an output for each of its inputs, and for each result", async () => {
    const { kit } = await inputsOf({ source, folder });
    const names =
      "source folder chart images platforms values signingKeyEnv since partSize requireSelfContained limits keep path version " +
      "jobId sha256 size files signed bundleSha256 pages selfContained externalLoads createdAt";
    const outputs = kit as unknown as Record<string, unknown>;
    for (const name of names.split(" ")) expect(pulumi.Output.isInstance(outputs[name]), name).toBe(true);
  });
});
