import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { Session, thisProcess, watchEngineAt } from "../session/session";
import { publications } from "../session/publications";
import { type EngineLine, rowReporter, filled } from "../session/rowReporter";
import type { PluginParts } from "./pluginService";

const SEVERITIES = [LogSeverity.DEBUG, LogSeverity.INFO, LogSeverity.WARNING] as const;

/** The engine that this process serves. Lines are sent best effort: without an address they are lost. */
export class Engine {
  #address = "";
  #client: EngineClient | undefined;

  /** @param address `host:port` */
  connect(address: string): void {
    if (address === "" || address === this.#address) return;
    this.#client?.close();
    this.#client = new EngineClient(address, credentials.createInsecure());
    this.#address = address;
  }

  /** `host:port`; empty as long as there is none. */
  get address(): string {
    return this.#address;
  }

  readonly send = ({ severity, ...line }: EngineLine): void => {
    const request = filled(new LogRequest(), { ...line, severity: SEVERITIES[severity] });
    this.#client?.log(request, () => undefined);
  };
}

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
        publications(thisProcess, () => engine.address),
      ),
    connect: (address) => engine.connect(address),
    cancel: () => onCancel(),
  };
}
