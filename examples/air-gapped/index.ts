import * as pulumi from "@pulumi/pulumi";
import { BundleCopy, StaticExport } from "pulumi-docs-hosting";
import { SelfHostedDocs } from "pulumi-docs-hosting/kubernetes";

const config = new pulumi.Config();

// The export, by the service: a new `version` makes a new one, `jobId` goes back to an earlier one.
const docs = new StaticExport("docs", {
  domain: config.require("domain"),
  version: config.get("version"),
  jobId: config.get("jobId"),
});

// The copy, in a registry that the cluster reaches: an nginx image with the site in it. A page that loads anything from
// another host is refused: the cluster reaches none. Nor does it reach the service's search, so the copy has its own.
const copy = new BundleCopy("docs", {
  source: docs,
  destination: {
    repository: config.require("repository"),
    base: config.require("base"),
    plainHttp: config.getBoolean("plainHttp"),
  },
  requireSelfContained: config.getBoolean("requireSelfContained") ?? true,
  offlineSearch: true,
});

// The installation: its pods run that image and download nothing, whenever and wherever they start.
const installation =
  (config.getBoolean("install") ?? true)
    ? new SelfHostedDocs("docs", {
        staticExport: copy,
        chart: config.get("chart") ?? "../self-hosted/chart",
        deploymentKind: "air-gapped",
        features: config.getObject("features"),
        namespace: config.get("namespace") ?? "docs",
        values: config.getObject("values"),
        release: { name: "docs", createNamespace: true, timeout: config.getNumber("timeout") ?? 600 },
      })
    : undefined;

export const { jobId, version, pageCount, expiresAt, renewAfter } = docs;
export const { image, sha256, selfContained } = copy;
export const status = installation?.status ?? "not installed";
