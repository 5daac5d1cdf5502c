import type { Clock } from "../../time/clock";
import { printable } from "../../messages/plainText";
import type { Reporter } from "../../messages/reporter";
import { ProgressRow } from "./progressRow";
import { sendLine } from "./pulumiHost";

/** `LogSeverity` of Pulumi's engine protocol, see https://github.com/pulumi/pulumi/blob/master/proto/pulumi/engine.proto */
const SEVERITY = { debug: 0, info: 1, warning: 2 } as const;

/**
 * Reports on one resource's row in the CLI. Best effort: the host does not offer this to dynamic providers. If a part of the
 * host is missing, only the lines are lost.
 *
 * @param urn the resource; without it, the CLI shows the lines on the stack's row
 * @returns a reporter; close it when the operation ends
 */
export function engineReporter(urn: string | undefined, clock: Clock): Reporter & { close(): void } {
  const send = (severity: number, line: string, ephemeral = false): void =>
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
