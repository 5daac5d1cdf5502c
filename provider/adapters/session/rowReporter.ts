import { inspect } from "node:util";
import { InputError } from "../../base/runtime/messages/errors";
import { printable } from "../../base/runtime/messages/plainText";
import type { Reporter } from "../../base/runtime/messages/reporter";
import type { Secrets } from "../../base/runtime/messages/secrets";
import type { Clock } from "../../base/runtime/time/clock";
import { progressRow } from "./progressRow";

/** A text to send: printable, without the secrets of the call. */
export function shownLine(text: string, secrets: Secrets): string {
  return printable(secrets.removeFrom(text));
}

/** An error whose message has several lines: it quotes nothing but the program's arguments and texts of this package. */
export class MultilineError extends InputError {}

/** What to send of a failure: one line, as texts from outside could forge others. */
export function shownFailure(error: unknown, secrets: Secrets): string {
  const text = error instanceof Error ? error.message : inspect(error);
  if (!(error instanceof MultilineError)) return shownLine(text, secrets);
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
export type MessageFields<Message> = {
  readonly [
    Setter in keyof Message as Setter extends `set${infer Name}` ? Uncapitalize<Name> : never
  ]?: Message[Setter] extends (value: infer Value) => unknown ? Value : never;
};

/** Sets fields of a message. */
export function filled<Message extends object>(message: Message, fields: MessageFields<Message>): Message {
  const setters = message as Readonly<Record<string, (value: unknown) => void>>;
  for (const [name, value] of Object.entries(fields)) {
    setters[`set${name.charAt(0).toUpperCase()}${name.slice(1)}`]?.(value);
  }
  return message;
}

/**
 * Sends lines one after the other: the engine answers calls side by side, and would show lines that are sent at once in any order.
 *
 * @param sendOne sends a line, and calls back when the engine has it, or cannot have it
 */
export function linesInOrder(
  sendOne: (line: EngineLine, done: () => void) => void,
): (line: EngineLine) => void {
  const waiting: EngineLine[] = [];
  let isSending = false;
  const next = (): void => {
    const line = waiting.shift();
    isSending = line !== undefined;
    if (!line) return;
    try {
      sendOne(line, next);
    } catch {
      next(); // the line is lost
    }
  };
  return (line) => {
    const last = waiting.at(-1);
    // progress that was not sent yet is out of date
    if (line.ephemeral && last?.ephemeral === true && last.urn === line.urn) waiting.pop();
    waiting.push(line);
    if (!isSending) next();
  };
}

/** A reporter of one operation; close it when the operation ends. */
export type RowReporter = Reporter & {
  /** @param isDone whether the operation succeeded. Otherwise the engine shows an error on the row */
  close(isDone: boolean): void;
};

/** How long a step waits until it is known whether other operations begin with this one, in milliseconds. */
const STEP_DELAY_MS = 2_000;

/**
 * Reports on one resource's row in the CLI. Steps stay as lines, unless the resource is one of many: then they are progress.
 *
 * @param sendLine sends a line to the engine; best effort
 * @param urn the resource; without it, the CLI shows the lines on the stack's row
 * @param isOneOfMany whether several operations run now
 */
export function rowReporter(
  sendLine: (line: EngineLine) => void,
  urn: string | undefined,
  clock: Clock,
  isOneOfMany: () => boolean = () => false,
): RowReporter {
  const send = (severity: EngineLine["severity"], line: string, ephemeral = false): void =>
    sendLine({ severity, message: printable(line), urn: urn ?? "", ephemeral });
  const row = progressRow(clock, (line) => send(SEVERITY.info, line, true));
  const steps: string[] = [];
  let cancelTimer = (): void => undefined;
  const sendSteps = (): void => {
    cancelTimer();
    for (const step of steps.splice(0)) if (!isOneOfMany()) send(SEVERITY.info, step);
  };
  const sendLate = (): void => {
    const last = isOneOfMany() ? undefined : steps.at(-1);
    sendSteps();
    // the CLI shows the last line of both kinds on the row, and the step is older
    if (last !== undefined) row.repeat(last);
  };
  const sendAfterSteps = (severity: EngineLine["severity"], line: string): void => {
    sendSteps();
    send(severity, line);
  };
  return {
    progress: (line) => row.set(line),
    debug: (line) => send(SEVERITY.debug, line),
    info: (line, isStep = false) => {
      if (!isStep) return sendAfterSteps(SEVERITY.info, line);
      if (isOneOfMany()) return row.set(line);
      if (steps.length === 0) cancelTimer = clock.after(STEP_DELAY_MS, sendLate);
      steps.push(line);
    },
    warn: (line) => sendAfterSteps(SEVERITY.warning, line),
    close: (isDone) => {
      sendSteps();
      row.close(isDone);
    },
  };
}
