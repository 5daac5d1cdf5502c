import type { Clock } from "../../runtime/time/clock";
import { printable } from "../../runtime/messages/plainText";
import type { Reporter } from "../../runtime/messages/reporter";
import { inspect } from "node:util";
import { InputError } from "../../runtime/messages/errors";
import type { Secrets } from "../../runtime/messages/secrets";

/** A text to send: printable, without the secrets of the call. */
export function shown(text: string, secrets: Secrets): string {
  return printable(secrets.removeFrom(text));
}

/** An error whose message has several lines: it quotes nothing but the program's arguments and texts of this package. */
export class MultilineError extends InputError {}

/** What to send of a failure: one line, as texts from outside could forge others. */
export function shownFailure(error: unknown, secrets: Secrets): string {
  const text = error instanceof Error ? error.message : inspect(error);
  if (!(error instanceof MultilineError)) return shown(text, secrets);
  return secrets.removeFrom(text).split("\n").map(printable).join("\n");
}

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

/** The fields of a message that have a setter. */
export type Fields<Message> = {
  readonly [
    Setter in keyof Message as Setter extends `set${infer Name}` ? Uncapitalize<Name> : never
  ]?: Message[Setter] extends (value: infer Value) => unknown ? Value : never;
};

/** Sets fields of a message. */
export function filled<Message extends object>(message: Message, fields: Fields<Message>): Message {
  const setters = message as Readonly<Record<string, (value: unknown) => void>>;
  for (const [name, value] of Object.entries(fields))
    setters[`set${name.charAt(0).toUpperCase()}${name.slice(1)}`]?.(value);
  return message;
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
  const row = progressRow(clock, (line) => send(SEVERITY.info, line, true));
  return {
    progress: (line) => row.set(line),
    debug: (line) => send(SEVERITY.debug, line),
    info: (line) => send(SEVERITY.info, line),
    warn: (line) => send(SEVERITY.warning, line),
    close: () => row.close(),
  };
}

/** Shortest time between two progress lines, in milliseconds. */
const MIN_INTERVAL_MS = 1_000;
/** Longest time between two progress lines, in milliseconds: a row that stays unchanged for longer looks stuck. */
const HEARTBEAT_MS = 25_000;

/**
 * The progress line of one operation. It is shown when it changes, at most once a second, and again at least every 30 s while nothing
 * changes. The CLI adds the elapsed time to the row.
 */
export function progressRow(clock: Clock, show: (line: string) => void) {
  let text = "";
  let isClosed = false;
  let shownAt = -Infinity;
  let cancelTimer = (): void => undefined;
  const showNow = (): void => {
    shownAt = clock.monotonic();
    show(text);
    showAfter(HEARTBEAT_MS);
  };
  const showAfter = (delayMs: number): void => {
    cancelTimer();
    cancelTimer = clock.after(delayMs, showNow);
  };
  return {
    set(line: string): void {
      if (isClosed || line === text) return;
      text = line;
      const waitMs = shownAt + MIN_INTERVAL_MS - clock.monotonic();
      if (waitMs > 0) showAfter(waitMs);
      else showNow();
    },

    /** Clears the row, because the CLI would keep the last line. Later lines are ignored, and no timer remains. */
    close(): void {
      if (!isClosed && shownAt > -Infinity) show("");
      isClosed = true;
      cancelTimer();
    },
  };
}
