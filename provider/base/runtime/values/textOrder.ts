/** The order of texts that is the same on every machine: by UTF-16 code units, of no locale. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
