import { expect, test } from "vitest";
import { type ChartRegistry, publishChart } from "./chartRegistry.ts";
import { copyExample } from "./copiedExample.ts";
import { buildInstallation } from "./installation.ts";

/** The program's text in place of `chart: "./chart"`. */
const REFERENCES: Record<string, (registry: ChartRegistry) => string> = {
  "from a repository": ({ name, version, repository }) =>
    `chart: "${name}", chartVersion: "${version}", release: { repositoryOpts: { repo: "${repository}" },`,
  "from an OCI registry": ({ reference, version }) =>
    `chart: "${reference}", chartVersion: "${version}", release: {`,
};

test.for(Object.entries(REFERENCES))(
  "a published chart %s is installed and serves the pages, and the next preview is empty",
  async ([, reference], context) => {
    const registry = await publishChart(context);
    const example = await copyExample(context);
    await example.changeProgram((text) =>
      text.replace('chart: "./chart",', "").replace("release: {", reference(registry)),
    );
    const installation = await buildInstallation(context, { program: example.program });
    const { outputs } = await installation.up();
    expect(outputs["status"]?.value).toMatchObject({ chart: registry.name, version: registry.version });
    await installation.serves("The first edition.");
    const preview = await installation.stack.preview();
    expect(preview.steps.filter(({ op }) => op !== "same")).toEqual([]);
  },
);
