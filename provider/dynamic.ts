/**
 * The entry that Pulumi's dynamic-provider process loads.
 *
 * FROZEN: states of every earlier version require this entry by name and take the provider of their resource from it. Its
 * methods must continue to read everything that earlier versions stored.
 */
import "./adapters/session/nodeVersion"; // first: on an older Node.js, the other imports fail with only ERR_REQUIRE_ESM
import { type DynamicProvider, dynamicProvider, loadedByFirstCall } from "./adapters/dynamic/dynamicProvider";
import { publications } from "./adapters/session/publications";
import { Session } from "./adapters/session/session";
import { dynamicHost } from "./adapters/dynamic/dynamicHost";
import { staticExport } from "./staticExport/lifeCycle";

const session = new Session(dynamicHost, publications(dynamicHost));

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:StaticExport`. */
export const StaticExport: DynamicProvider = dynamicProvider(staticExport, session);

// A stack of exports alone needs neither the code of the others nor its 17 MB.

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:AgentJob`. */
export const AgentJob: DynamicProvider = loadedByFirstCall(async () =>
  dynamicProvider((await import("./agentJob/lifeCycle.js")).agentJob, session),
);

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:BundleCopy`. */
export const BundleCopy: DynamicProvider = loadedByFirstCall(async () =>
  dynamicProvider((await import("./copies/bundleCopy/lifeCycle.js")).bundleCopy, session),
);

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:AirGapKit`. */
export const AirGapKit: DynamicProvider = loadedByFirstCall(async () =>
  dynamicProvider((await import("./kits/airGapKit/lifeCycle.js")).airGapKit, session),
);
