// Numbers in replies of the service; the API does not specify their format.

/** Reads a finite number, written as a number or as text, with or without a percent sign. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value.replace(/%$/, "")) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Reads a count: a whole, non-negative number. */
export function toCount(value: unknown): number | undefined {
  const number = toNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
