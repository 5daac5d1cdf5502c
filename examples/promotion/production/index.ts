import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import type { EarlierCopy, SiteChanges } from "pulumi-docs-hosting";
import { SelfHostedDocs } from "pulumi-docs-hosting/kubernetes";

const config = new pulumi.Config();
// Beside the programs, and in their repository: it is no secret.
const publicKey = readFileSync(config.get("publicKey") ?? "../release.pub", "utf8");
const staging = new pulumi.StackReference(config.require("staging"));

// Without `version`: what staging copied last. With it: the copy of that version, which staging still keeps.
const wanted = config.get("version");
const newest = pulumi.all([
  staging.requireOutput("image") as pulumi.Output<string>,
  staging.requireOutput("version") as pulumi.Output<string>,
  staging.getOutput("jobId") as pulumi.Output<string | undefined>,
]);
const promoted = pulumi
  .all([newest, staging.getOutput("earlier") as pulumi.Output<EarlierCopy[] | undefined>])
  .apply(([[image, version, jobId], earlier = []]) => {
    const copies = [{ image, version, jobId }, ...earlier];
    const found = wanted === undefined ? copies[0] : copies.find((copy) => copy.version === wanted);
    if (found?.image === undefined) {
      const kept = copies.map((copy) => copy.version).join(", ");
      throw new pulumi.RunError(`staging keeps no copy of version ${String(wanted)}. It keeps: ${kept}.`);
    }
    return { image: found.image, version: found.version, jobId: found.jobId };
  });

// Nothing is exported and nothing is copied: the image is installed as staging made it, if its signature verifies.
const installation = new SelfHostedDocs("docs", {
  staticExport: { image: promoted.image, version: promoted.version, jobId: promoted.jobId },
  verify: { publicKey, plainHttp: config.getBoolean("plainHttp") },
  chart: config.get("chart") ?? "../../self-hosted/chart",
  deploymentKind: "client-hosted",
  namespace: config.get("namespace") ?? "docs",
  values: config.getObject("values"),
  release: { name: "docs", createNamespace: true, timeout: config.getNumber("timeout") ?? 600 },
});

// A preview shows both: the version, and which pages readers will see changed since the copy before it.
export const { image, version } = promoted;
export const changes = staging
  .getOutput("changes")
  .apply((told: SiteChanges | null | undefined) => (wanted === undefined ? told : null) ?? null);
export const status = installation.status;
