import * as pulumi from "@pulumi/pulumi";
import { BundleCopy } from "pulumi-docs-hosting";

const config = new pulumi.Config();

// A copy of the exported site with a search of its own: an index and a search box, which need no server.
const copy = new BundleCopy("docs", {
  source: { file: config.require("file"), version: config.require("version") },
  destination: { folder: config.require("folder"), layout: "site" },
  offlineSearch: { button: false }, // the header of these pages has a search box
});

export const { searchPages } = copy;
