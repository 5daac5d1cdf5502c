// The schema's SDKs mark the same outputs as secrets as the classes of this package.
import type * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import schema from "../../../provider/adapters/plugin/schema.json" with { type: "json" };
import * as sdk from "../../../sdk/index.ts";
import { settled, startProgram } from "../../simulation/pulumiProgram.ts";

const EXPORT = { domain: "docs.example.com", jobId: "7f3a" };

test.each<[keyof typeof DECLARED]>([["StaticExport"], ["AgentJob"], ["BundleCopy"], ["AirGapKit"]])(
  "%s",
  async (name) => {
    await startProgram();
    let seen: pulumi.CustomResourceOptions = {};
    DECLARED[name]({
      transformations: [
        ({ opts }) => {
          seen = opts;
          return undefined;
        },
      ],
    });
    await settled();
    const { properties } = schema.resources[`docs-hosting:index:${name}`];
    const secrets = Object.entries(properties).flatMap(([output, spec]) =>
      "secret" in spec ? [output] : [],
    );
    expect(seen.additionalSecretOutputs).toEqual(secrets);
  },
);

const DECLARED = {
  StaticExport: (opts: pulumi.CustomResourceOptions) => new sdk.StaticExport("x", EXPORT, opts),
  AgentJob: (opts: pulumi.CustomResourceOptions) => new sdk.AgentJob("x", { projectId: "p", id: "a" }, opts),
  BundleCopy: (opts: pulumi.CustomResourceOptions) =>
    new sdk.BundleCopy("x", { source: EXPORT, destination: { folder: "./x" } }, opts),
  AirGapKit: (opts: pulumi.CustomResourceOptions) =>
    new sdk.AirGapKit("x", { source: EXPORT, folder: "./x" }, opts),
};

test("the key is a secret, and nothing in the schema has a default, from the environment or otherwise", () => {
  expect(schema.provider.inputProperties.adminApiKey.secret).toBe(true);
  expect(schema.config.variables.adminApiKey.secret).toBe(true);
  expect(JSON.stringify(schema)).not.toMatch(/"default(?:Info)?":/);
});
