import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { publications } from "../session/publications";
import type { EngineLine } from "../session/rowReporter";
import { filled, linesInOrder, rowReporter } from "../session/rowReporter";
import { Session, thisProcess, watchEngineAt } from "../session/session";
import type { PluginParts, ServedEngine } from "./pluginService";

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

  readonly send: (line: EngineLine) => void = linesInOrder(({ severity, ...line }, done) => {
    const request = filled(new LogRequest(), { ...line, severity: SEVERITIES[severity] });
    if (this.#client) this.#client.log(request, done);
    else done();
  });
}

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
