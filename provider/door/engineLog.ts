import { createRequire } from "node:module";
import type { Clock } from "../time/clock";
import { printable } from "../words/plainText";
import type { Reporter } from "../words/reporter";
import { ProgressRow } from "./progressRow";

/** `LogSeverity` of Pulumi's engine protocol, see https://github.com/pulumi/pulumi/blob/master/proto/pulumi/engine.proto */
const SEVERITY = { debug: 0, info: 1, warning: 2 } as const;

type SendLine = (severity: number, line: string, ephemeral: boolean) => void;

/**
 * Reports on one resource's own row in the CLI. Best effort: the host does not offer this to dynamic providers, so
 * whatever is missing only costs the lines.
 *
 * @param urn the resource; without it, lines show on the stack's row
 * @returns a reporter that is to be closed when the operation ends
 */
export function engineReporter(urn: string | undefined, clock: Clock): Reporter & { close(): void } {
  const send = connectToEngine(urn ?? "");
  const row = new ProgressRow(clock, (line) => send(SEVERITY.info, line, true));
  return {
    progress: (line) => row.set(line),
    debug: (line) => send(SEVERITY.debug, line, false),
    info: (line) => send(SEVERITY.info, line, false),
    warn: (line) => send(SEVERITY.warning, line, false),
    close: () => row.close(),
  };
}

/** The parts of the host's own modules that are used; they are already loaded in this process. */
interface EngineModules {
  grpc: { credentials: { createInsecure(): unknown } };
  services: { EngineClient: new (address: string, credentials: unknown) => EngineClient };
  messages: { LogRequest: new () => LogRequest };
}
interface EngineClient {
  log(request: LogRequest, done: (error: unknown) => void): void;
}
interface LogRequest {
  setSeverity(severity: number): void;
  setMessage(message: string): void;
  setUrn(urn: string): void;
  setEphemeral(ephemeral: boolean): void;
}

let engine: { client: EngineClient; modules: EngineModules } | undefined;
let engineMissing = false;

/** Reaches the engine whose address is the last argument of the dynamic-provider process. */
function connectToEngine(urn: string): SendLine {
  const address = process.argv.at(-1) ?? "";
  if (!engine && !engineMissing) {
    try {
      const hostRequire = createRequire(process.argv[1] ?? "");
      const modules: EngineModules = {
        grpc: hostRequire("@grpc/grpc-js") as EngineModules["grpc"],
        services: hostRequire("@pulumi/pulumi/proto/engine_grpc_pb") as EngineModules["services"],
        messages: hostRequire("@pulumi/pulumi/proto/engine_pb") as EngineModules["messages"],
      };
      const client = new modules.services.EngineClient(address, modules.grpc.credentials.createInsecure());
      engine = { client, modules };
    } catch {
      engineMissing = true;
    }
  }
  const connected = engine;
  if (!connected) return () => undefined;
  return (severity, line, ephemeral) => {
    try {
      const request = new connected.modules.messages.LogRequest();
      request.setSeverity(severity);
      request.setMessage(printable(line));
      request.setUrn(urn);
      request.setEphemeral(ephemeral);
      connected.client.log(request, () => undefined);
    } catch {
      // a line that cannot be shown is no reason to fail
    }
  };
}
