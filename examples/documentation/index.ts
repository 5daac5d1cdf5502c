import * as pulumi from "@pulumi/pulumi";
import { BundleCopy, StaticExport } from "pulumi-docs-hosting";

// Exports the documentation of this project, and copies it with a search into a folder that any web server can serve.
const config = new pulumi.Config();
const docs = new StaticExport("docs", { domain: config.require("domain") });
const site = new BundleCopy("docs", {
  source: docs,
  destination: { folder: config.require("folder"), layout: "site" },
  requireSelfContained: true,
  offlineSearch: { button: false }, // the header of these pages has a search box
});

export const { jobId, pageCount, expiresAt, renewAfter } = docs;
export const { sitePath, searchPages } = site;
