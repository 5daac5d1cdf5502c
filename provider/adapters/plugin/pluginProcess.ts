import { publications } from "../session/publications";
import { rowReporter } from "../session/rowReporter";
import { Session, thisProcess, watchEngineAt } from "../session/session";
import { Engine } from "./engine";
import type { PluginParts, ServedEngine } from "./pluginService";

/**
 * The parts of the plugin's process.
 *
 * @param engineAddress the engine that started this process; "" if none did, and an engine will attach to it
 */
export function pluginProcess(engineAddress: string): Omit<PluginParts, "resources"> {
  const newEngine = (): ServedEngine => {
    const engine = new Engine();
    let onCancel = (): void => undefined;
    const session = new Session(
      {
        ...thisProcess,
        reporter: (urn, isOneOfMany) => rowReporter(engine.send, urn, thisProcess.clock, isOneOfMany),
        watchForCancel: (callback) => (onCancel = callback),
        watchEngine: (onGone) => watchEngineAt(engineAddress, onGone),
      },
      publications(thisProcess, () => engine.address),
    );
    engine.connect(engineAddress);
    return { session, connect: (address) => engine.connect(address), cancel: () => onCancel() };
  };
  return { environment: thisProcess.environment, newEngine };
}
