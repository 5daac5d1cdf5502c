import { watchEngineAt } from "../session/engineEnd";
import { rowReporter } from "../session/rowReporter";
import type { Host } from "../session/session";
import { thisProcess } from "../session/thisProcess";
import { engineAddress, sendLine, watchForCancel } from "./pulumiHost";

/** Pulumi's dynamic-provider process. */
export const dynamicHost: Host = {
  ...thisProcess,
  reporter: (urn) => rowReporter(sendLine, urn, thisProcess.clock),
  watchForCancel,
  watchEngine: (onGone) => watchEngineAt(engineAddress(), onGone),
};
