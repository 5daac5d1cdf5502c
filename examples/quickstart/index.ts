import { StaticExport } from "pulumi-docs-hosting";

// Runs the export when it is created and whenever `version` or `triggers` change. In between, `pulumi up` does nothing
// but renew the link when it nears its end.
const docs = new StaticExport("docs", { domain: "docs.example.com" });

export const { jobId, pageCount, expiresAt, renewAfter, bundleUrl } = docs;
