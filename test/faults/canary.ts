import { inspect } from "node:util";
import { afterEach, expect } from "vitest";

/** The word that marks secrets. */
const CANARY = "c4n4ry";
/** An API key with all characters that are written differently in URLs and in JSON. */
export const KEY = `svc_${CANARY}/+="${CANARY}%`;
/** The query of a presigned link: anyone who has it can fetch the bundle. */
export const LINK_QUERY = `X-Signature=${CANARY}+l1nk%2F${CANARY}`;

/** Everything that users could have seen in the running test. */
const shown: unknown[] = [];

/** Records an error or a line that reached the user. */
export function show(...what: unknown[]): void {
  shown.push(...what);
}

/** Every form in which a user might see a value. */
function textsOf(value: unknown): string[] {
  return [
    inspect(value, { depth: Infinity, showHidden: true, getters: true }),
    JSON.stringify(value),
    String(value),
    ...(value instanceof Error ? [String(value.stack), ...textsOf(value.cause ?? "")] : []),
  ];
}

/** The canary, plain (which is also its URL-encoded form) and at each offset at which it can begin in base64 text. */
const FORMS = [
  CANARY,
  ...["", "_", "__"].map((before) =>
    Buffer.from(before + CANARY)
      .toString("base64")
      .slice(4, 8),
  ),
];

afterEach(() => {
  for (const text of shown.splice(0).flatMap(textsOf)) {
    for (const form of FORMS) expect(text).not.toContain(form);
  }
});
