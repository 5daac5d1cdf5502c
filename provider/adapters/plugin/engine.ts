import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { EngineLine } from "../session/rowReporter";
import { filled, linesInOrder } from "../session/rowReporter";

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
