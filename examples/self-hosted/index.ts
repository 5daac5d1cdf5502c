import * as pulumi from "@pulumi/pulumi";
import { StaticExport } from "pulumi-docs-hosting";
import { SelfHostedDocs } from "pulumi-docs-hosting/kubernetes";

const config = new pulumi.Config();

// The export: a new `version` starts another, `jobId` goes back to an earlier one.
const docs = new StaticExport("docs", {
  domain: config.require("domain"),
  version: config.get("version"),
  jobId: config.get("jobId"),
  renewBefore: config.get("renewBefore"),
});

// The installation: fetches the export on startup and serves it. A renewed link restarts nothing; a new version replaces the
// pods.
const installation = new SelfHostedDocs("docs", {
  staticExport: docs,
  chart: "./chart",
  deploymentKind: config.get("deploymentKind") ?? "client-hosted",
  features: config.getObject<never>("features"), // the kind is not known to the compiler: checked when the program runs
  namespace: config.get("namespace") ?? "docs",
  values: config.getObject("values"),
  release: { name: "docs", createNamespace: true, timeout: config.getNumber("timeout") ?? 600 },
});

export const { jobId, version, pageCount, expiresAt, renewAfter } = docs;
export const status = installation.status;
