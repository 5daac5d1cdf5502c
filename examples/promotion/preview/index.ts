import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { BundleCopy } from "pulumi-docs-hosting";
import { SelfHostedDocs } from "pulumi-docs-hosting/kubernetes";

const config = new pulumi.Config();
// Repositories and namespaces have lower case letters only; a stack's name can have an organization in it.
const name = pulumi.getStack().toLowerCase();

// The bundle that CI built for the pull request: no job is started, and no key of the service is needed.
const copy = new BundleCopy("preview", {
  source: { file: config.require("bundle"), version: config.require("version") },
  destination: {
    repository: `${config.require("repository")}/${name}`,
    base: config.require("base"),
    plainHttp: config.getBoolean("plainHttp"),
  },
  keep: 0,
});

// The stack owns the namespace: with the stack, everything in it is gone.
const namespace = new kubernetes.core.v1.Namespace("preview", {
  metadata: { name: `docs-${name}` },
});

const installation = new SelfHostedDocs("preview", {
  staticExport: copy,
  chart: config.get("chart") ?? "../../self-hosted/chart",
  deploymentKind: "client-hosted",
  namespace: namespace.metadata.name,
  values: { replicas: 1, ...config.getObject<Record<string, unknown>>("values") },
  release: { name: "docs", timeout: config.getNumber("timeout") ?? 300 },
});

export const { image, pages, externalLoads } = copy;
export const status = installation.status;
