import * as pulumi from "@pulumi/pulumi";
import { BundleCopy, StaticExport } from "pulumi-docs-hosting";

const config = new pulumi.Config();

// The export: the only job of a release is started here.
const docs = new StaticExport("docs", {
  domain: config.require("domain"),
  version: config.get("version"),
});

// The copy: an image, signed before a tag points at it. Earlier copies stay, so that production can go back to them.
const copy = new BundleCopy("docs", {
  source: docs,
  destination: {
    repository: config.require("repository"),
    base: config.require("base"),
    plainHttp: config.getBoolean("plainHttp"),
  },
  signingKeyEnv: "SIGNING_KEY",
  keep: config.getNumber("keep") ?? 5,
});

// What production takes.
export const { image, version, jobId, copiedAt, earlier } = copy;
export const changes = copy.changes.apply((told) => told ?? null); // the first copy has none
