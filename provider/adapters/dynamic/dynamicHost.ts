import { systemClock } from "../../time/clock";
import type { Host } from "../session/session";
import { thisProcess } from "../session/thisProcess";
import { engineReporter } from "./engineLog";
import { watchEngine, watchForCancel } from "./pulumiHost";

/** Pulumi's dynamic-provider process. */
export const dynamicHost: Host = {
  ...thisProcess,
  reporter: (urn) => engineReporter(urn, systemClock),
  watchForCancel,
  watchEngine,
};
