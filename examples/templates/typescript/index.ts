import * as pulumi from "@pulumi/pulumi";
import { StaticExport } from "pulumi-docs-hosting";

const config = new pulumi.Config();

// Exports again whenever `version` changes. In between, `pulumi up` only renews the link before it ends.
const docs = new StaticExport("docs", {
  domain: config.require("domain"),
  version: config.require("version"),
});

export const pages = docs.pageCount;
export const link = docs.bundleUrl; // a secret
