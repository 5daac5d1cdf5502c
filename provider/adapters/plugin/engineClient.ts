import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { EngineLine } from "../session/rowReporter";
import { filled } from "./calls";

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

  readonly send = ({ severity, ...line }: EngineLine): void => {
    const request = filled(new LogRequest(), { ...line, severity: SEVERITIES[severity] });
    this.#client?.log(request, () => undefined);
  };
}
