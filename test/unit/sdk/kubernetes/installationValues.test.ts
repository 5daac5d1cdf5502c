// The plugin's function gives programs in other languages the values that SelfHostedDocs gives its release.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { afterAll, expect, test, vi } from "vitest";
import { FEATURES, type SelfHostedDeploymentKind } from "../../../../provider/installation/featureTable.ts";
import { installationValues } from "../../../../provider/installation/installationValues.ts";
import { rememberDestination } from "../../../../sdk/copiedSite.ts";
import { SelfHostedDocs } from "../../../../sdk/kubernetes/index.ts";
import { settled, startProgram } from "../../../simulation/pulumiProgram.ts";

const chart = mkdtempSync(join(tmpdir(), "chart-"));
writeFileSync(join(chart, "Chart.yaml"), "name: docs\n");
afterAll(() => {
  rmSync(chart, { recursive: true });
});

const LINK = "https://store.example.com/bundle.tgz?signature=c4n4ry";
const IMAGE = `r.example.com/site@sha256:${"a0".repeat(32)}`;
const DIGEST = "5f".repeat(32);

const optional = (value: string) => fc.option(fc.constant(value), { nil: undefined });
const label = { version: optional("v1"), jobId: optional("7f3a") };
const link = fc.record({ bundleUrl: fc.constant(LINK), sha256: optional(DIGEST), ...label });
const image = fc.record({
  image: fc.constant(IMAGE),
  runnable: fc.option(fc.boolean(), { nil: undefined }),
  ...label,
});
const copy = fc.record({
  destination: fc.constantFrom(
    { folder: "./bundles" },
    { bucket: "docs" },
    { bucket: "docs", layout: "archive" },
    { bucket: "docs", layout: "site" },
    { repository: "r.example.com/site" },
    { repository: "r.example.com/site", base: "r.example.com/nginx:1" },
  ),
  image: fc.constant(IMAGE),
  bundleUrl: fc.constant(LINK),
  sha256: fc.constant(DIGEST),
  version: fc.constant("v1"),
  jobId: optional("7f3a"),
});

/** Values of the user, which often have the names of ours. */
const { values } = fc.letrec<{ values: Record<string, unknown>; value: unknown }>((tie) => ({
  values: fc.dictionary(
    fc.constantFrom(
      "staticExport",
      "fetch",
      "features",
      "siteImage",
      "siteVolume",
      "image",
      "enabled",
      "other",
    ),
    tie("value"),
    { maxKeys: 4, noNullPrototype: true },
  ),
  value: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.array(fc.integer()), tie("values")),
}));

const features = fc.dictionary(fc.constantFrom(...FEATURES, "serach"), fc.boolean(), {
  noNullPrototype: true,
});

interface Given {
  staticExport: object;
  deploymentKind: SelfHostedDeploymentKind;
  features: Record<string, boolean>;
  values: Record<string, unknown>;
}

/** The arguments of the function, which has no groups: Python does not translate the names of their fields. */
const flat = ({ staticExport, ...others }: Given) => ({ ...others, ...staticExport });

/** The outputs of a BundleCopy with these values. */
function asBundleCopy(values: object): object {
  const outputs = Object.entries(values).map(([name, value]) => [name, pulumi.output(value as unknown)]);
  const made = Object.fromEntries(outputs) as object;
  if ("destination" in values) rememberDestination(made, values.destination);
  return made;
}

/** The values that the component gives its release, or the text of its error. */
async function valuesOfComponent({ staticExport, ...args }: Given): Promise<unknown> {
  const registered = await startProgram();
  const source = "destination" in staticExport ? asBundleCopy(staticExport) : staticExport;
  try {
    new SelfHostedDocs("docs", { staticExport: source as never, chart, ...args });
    await settled();
  } catch (error) {
    return (error as Error).message
      .replace('SelfHostedDocs "docs": ', "")
      .replace("`staticExport` is a copy", "the site is a copy");
  }
  return bare(registered.find(({ type }) => type === "kubernetes:helm.sh/v3:Release")?.inputs["values"]);
}

/** Secrets arrive as objects with a mark. */
function bare(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if ("4dabf18193072939515e22adb298388d" in value && "value" in value) return bare(value.value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, bare(inner)]));
}
test("the same arguments give the same values, or the same error", async () => {
  vi.spyOn(pulumi.log, "warn").mockResolvedValue(); // about links in air-gapped installations
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        staticExport: fc.oneof(link, image, copy),
        deploymentKind: fc.constantFrom<SelfHostedDeploymentKind>("client-hosted", "air-gapped"),
        features,
        values,
      }),
      async (given) => {
        const result = installationValues(flat(given));
        const ours = "problems" in result ? result.problems[0] : result.outputs.values;
        expect(await valuesOfComponent(given)).toEqual(ours); // what is undefined is absent
      },
    ),
    { numRuns: 200 },
  );
});
