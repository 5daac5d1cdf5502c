import { systemClock } from "../../time/clock";
import { watchEngineAt } from "../session/engineEnd";
import { rowReporter } from "../session/rowReporter";
import { Session } from "../session/session";
import { thisProcess } from "../session/thisProcess";
import { Engine } from "./engineClient";
import type { PluginParts } from "./pluginService";

/**
 * The parts of the plugin's process.
 *
 * @param engineAddress the engine that started this process; "" if none did, and an engine will attach to it
 */
export function pluginProcess(engineAddress: string): Omit<PluginParts, "resources"> {
  const engine = new Engine();
  engine.connect(engineAddress);
  let onCancel = (): void => undefined;
  let isWatched = false;
  return {
    environment: thisProcess.environment,
    newSession: () =>
      new Session({
        ...thisProcess,
        reporter: (urn) => rowReporter(engine.send, urn, systemClock),
        watchForCancel: (callback) => (onCancel = callback),
        watchEngine: (onGone) => {
          if (isWatched || engineAddress === "") return;
          isWatched = true;
          // a process that tests reuse serves one engine after the other
          watchEngineAt(engineAddress, onGone, () => process.argv.at(-1) === engineAddress);
        },
      }),
    connect: (address) => engine.connect(address),
    cancel: () => onCancel(),
  };
}
