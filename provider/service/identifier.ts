import { isPlain } from "../messages/plainText";
import { isSentinel } from "../messages/unknown";

/** What can be an id: visible ASCII, short enough for a path. The API does not say more. */
const IDENTIFIER = /^[\x21-\x7e]{1,512}$/;

/** The id in a reply, as text: a number is accepted as long as it is exact. `undefined` when it can be no id. */
export function readIdentifier(value: unknown): string | undefined {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return isIdentifier(text) ? text : undefined;
}

/**
 * Whether a text can be the id of a job or a project, be sent as one segment of a path, and be stored and shown: nothing that
 * Pulumi takes for a value that is not known, no command for pipelines.
 */
export function isIdentifier(value: unknown): value is string {
  return (
    typeof value === "string" &&
    IDENTIFIER.test(value) &&
    value !== "." &&
    value !== ".." &&
    isPlain(value) &&
    !isSentinel(value)
  );
}
