/**
 * The entry that Pulumi's dynamic-provider process loads.
 *
 * FROZEN: states of every earlier version require this entry by name and take the provider of their resource from it. Its
 * methods must continue to read everything that earlier versions stored.
 */
import "./adapters/session/nodeVersion"; // first: on an older Node.js, the other imports fail with only ERR_REQUIRE_ESM
import { createRequire } from "node:module";
import { dynamicHost, engineAddress, limitOfCall } from "./adapters/dynamic/dynamicHost";
import { type DynamicProvider, dynamicProvider } from "./adapters/dynamic/dynamicProvider";
import { publications } from "./adapters/session/publications";
import { Session } from "./adapters/session/session";
import type * as agentJobs from "./agentJob/lifeCycle";
import type * as bundleCopies from "./copies/bundleCopy/lifeCycle";
import type * as airGapKits from "./kits/airGapKit/lifeCycle";
import { staticExport } from "./staticExport/lifeCycle";

const session = new Session(dynamicHost, publications(dynamicHost, engineAddress));

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:StaticExport`. */
export const StaticExport: DynamicProvider = dynamicProvider(() => staticExport, session, limitOfCall);

// A stack of exports alone does not need the 17 MB of the others. `require` evaluates them in a process that evaluates this file again, as
// tests do; `import()` would give them the classes of the first time.
const load = createRequire(__filename);

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:AgentJob`. */
export const AgentJob: DynamicProvider = dynamicProvider(
  () => (load("./agentJob/lifeCycle.js") as typeof agentJobs).agentJob,
  session,
  limitOfCall,
);

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:BundleCopy`. */
export const BundleCopy: DynamicProvider = dynamicProvider(
  () => (load("./copies/bundleCopy/lifeCycle.js") as typeof bundleCopies).bundleCopy,
  session,
  limitOfCall,
);

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:AirGapKit`. */
export const AirGapKit: DynamicProvider = dynamicProvider(
  () => (load("./kits/airGapKit/lifeCycle.js") as typeof airGapKits).airGapKit,
  session,
  limitOfCall,
);
