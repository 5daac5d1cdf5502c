import { Session, thisProcess, watchEngineAt } from "../session/session";
import { publications } from "../session/publications";
import { rowReporter } from "../session/rowReporter";
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
  return {
    environment: thisProcess.environment,
    newSession: () =>
      new Session(
        {
          ...thisProcess,
          reporter: (urn) => rowReporter(engine.send, urn, thisProcess.clock),
          watchForCancel: (callback) => (onCancel = callback),
          watchEngine: (onGone) => watchEngineAt(engineAddress, onGone),
        },
        publications(thisProcess),
      ),
    connect: (address) => engine.connect(address),
    cancel: () => onCancel(),
  };
}
