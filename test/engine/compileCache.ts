// Node's cache of compiled modules, shared by all programs and providers: it halves the time to load @pulumi/pulumi.
import { join } from "node:path";

export const compileCacheEnv = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, "../../.work/compile-cache"),
};
