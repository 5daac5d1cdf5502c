/**
 * The entry that Pulumi's dynamic-provider process loads.
 *
 * FROZEN: states of every earlier version require this entry by name and take the provider of their resource from it. Its
 * methods must continue to read everything that earlier versions stored.
 */
import "./adapters/session/nodeVersion"; // first: on an older Node.js, the other imports fail with only ERR_REQUIRE_ESM
import { agentJob } from "./agentJob/lifeCycle";
import { airGapKit } from "./kits/airGapKit/lifeCycle";
import { bundleCopy } from "./copies/bundleCopy/lifeCycle";
import { dynamicProvider } from "./adapters/dynamic/dynamicProvider";
import { publications } from "./adapters/session/publications";
import { Session } from "./adapters/session/session";
import { dynamicHost } from "./adapters/dynamic/dynamicHost";
import { staticExport } from "./staticExport/lifeCycle";

const session = new Session(dynamicHost, publications(dynamicHost));

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:StaticExport`. */
export const StaticExport = dynamicProvider(staticExport, session);

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:AgentJob`. */
export const AgentJob = dynamicProvider(agentJob, session);

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:BundleCopy`. */
export const BundleCopy = dynamicProvider(bundleCopy, session);

/** The provider of `pulumi-nodejs:dynamic/docs-hosting:AirGapKit`. */
export const AirGapKit = dynamicProvider(airGapKit, session);
