/**
 * The program of the native provider plugin: `node plugin.js [ENGINE_ADDRESS]`. It listens on this machine and prints its port,
 * as Pulumi's engine expects it.
 */
import "./adapters/plugin/uncaught";
import "./adapters/session/nodeVersion"; // before the others: on an older Node.js, they fail with only ERR_REQUIRE_ESM
import { pluginProcess } from "./adapters/plugin/pluginProcess";
import { pluginService } from "./adapters/plugin/pluginService";
import { RESOURCES } from "./adapters/plugin/resources";
import { serve } from "./adapters/plugin/server";

const engineAddress = process.argv.slice(2).at(-1) ?? "";
void serve(pluginService({ resources: RESOURCES, ...pluginProcess(engineAddress) })).then(({ port }) =>
  console.log(String(port)),
);
