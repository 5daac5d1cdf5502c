import type { Clock } from "../../runtime/time/clock";
import { printable } from "../../runtime/messages/plainText";
import type { Reporter } from "../../runtime/messages/reporter";
import { ProgressRow } from "./progressRow";

/** `LogSeverity` of Pulumi's engine protocol, see https://github.com/pulumi/pulumi/blob/master/proto/pulumi/engine.proto */
const SEVERITY = { debug: 0, info: 1, warning: 2 } as const;

/** A line for the engine. */
export interface EngineLine {
  readonly severity: (typeof SEVERITY)[keyof typeof SEVERITY];
  readonly message: string;
  /** The resource on whose row the line is shown; "" for the stack's row. */
  readonly urn: string;
  /** Whether the line is only progress, which the CLI does not keep. */
  readonly ephemeral: boolean;
}

/** A reporter of one operation; close it when the operation ends. */
export type RowReporter = Reporter & { close(): void };

/**
 * Reports on one resource's row in the CLI.
 *
 * @param sendLine sends a line to the engine; best effort
 * @param urn the resource; without it, the CLI shows the lines on the stack's row
 */
export function rowReporter(
  sendLine: (line: EngineLine) => void,
  urn: string | undefined,
  clock: Clock,
): RowReporter {
  const send = (severity: EngineLine["severity"], line: string, ephemeral = false): void =>
    sendLine({ severity, message: printable(line), urn: urn ?? "", ephemeral });
  const row = new ProgressRow(clock, (line) => send(SEVERITY.info, line, true));
  return {
    progress: (line) => row.set(line),
    debug: (line) => send(SEVERITY.debug, line),
    info: (line) => send(SEVERITY.info, line),
    warn: (line) => send(SEVERITY.warning, line),
    close: () => row.close(),
  };
}
