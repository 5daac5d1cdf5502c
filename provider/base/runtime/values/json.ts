/** Deepest nesting of JSON that is read. What the service, registries and this package write has a few levels. */
export const MOST_LEVELS = 64;

/** Parses a text of others. @returns undefined if it is not JSON, or nested too deep to process safely */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether JSON is nested deeper than that. Counts brackets outside strings, without recursion, so that the stack cannot overflow. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') inString = !inString;
    else if (inString && character === "\\") at++;
    else if (!inString && (character === "[" || character === "{")) depth++;
    else if (!inString && (character === "]" || character === "}")) depth--;
    if (depth > MOST_LEVELS) return true;
  }
  return false;
}
