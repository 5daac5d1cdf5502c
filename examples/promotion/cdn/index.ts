import * as pulumi from "@pulumi/pulumi";
import { BundleCopy, StaticExport } from "pulumi-docs-hosting";
import { invalidationPaths } from "./invalidation";

const config = new pulumi.Config();

const docs = new StaticExport("docs", { domain: config.require("domain"), version: config.get("version") });

// The site, file by file, in the bucket that the CDN reads.
const copy = new BundleCopy("docs", {
  source: docs,
  destination: {
    bucket: config.require("bucket"),
    prefix: config.get("prefix"),
    endpoint: config.get("endpoint"),
    layout: "site",
  },
});

export const { version } = copy;
// The paths to invalidate in the CDN after this copy.
export const invalidation = copy.changes.apply(invalidationPaths);
