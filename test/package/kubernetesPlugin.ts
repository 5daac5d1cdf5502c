// In the place of Pulumi's Kubernetes plugin, for previews on the real CLI: takes every resource as it is given, and asks no
// cluster. Arguments: the version that it says it has, and those of any plugin.
import { main } from "@pulumi/pulumi/provider/index.js";

const [version = "", ...args] = process.argv.slice(2);
await main({ version, check: (_urn, _olds, inputs: unknown) => Promise.resolve({ inputs }) }, args);
