// Replaces Pulumi's Kubernetes plugin for previews on the real CLI: returns every resource unchanged, and uses no cluster.
// Arguments: the version that it reports, and those of any plugin.
import { main } from "@pulumi/pulumi/provider/index.js";

const [version = "", ...args] = process.argv.slice(2);
await main({ version, check: (_urn, _olds, inputs: unknown) => Promise.resolve({ inputs }) }, args);
