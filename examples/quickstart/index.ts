import { StaticExport } from "pulumi-docs-hosting";

// Runs the export when it is created and whenever `version` or `triggers` change. In between, `pulumi up` only renews the link
// before it ends.
const docs = new StaticExport("docs", { domain: "docs.example.com" });

export const { jobId, pageCount, expiresAt, renewAfter, bundleUrl } = docs;
