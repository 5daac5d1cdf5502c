import { inspect } from "node:util";
import { InputError } from "../../runtime/messages/errors";
import { printable } from "../../runtime/messages/plainText";
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
