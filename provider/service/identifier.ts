import { isPlain, isSentinel } from "../base/runtime/messages/plainText";

/** Format of an id: visible ASCII, short enough for a path. The API does not specify more. */
const IDENTIFIER = /^[\x21-\x7e]{1,512}$/;

/** The id in a reply, as text. A safe integer is accepted, too. `undefined` if the value is not a valid id. */
export function readIdentifier(value: unknown): string | undefined {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return isIdentifier(text) ? text : undefined;
}

/**
 * Whether a text is a valid id of a job or a project: safe as one path segment, and safe to store and show. It is not a value that
 * Pulumi interprets as unknown, and contains no command for pipelines.
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
