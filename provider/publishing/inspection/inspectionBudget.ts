import type { Yielder } from "../archives/yielder";

/** The reason why a file was not completely inspected. The file counts as one with an external load. */
export class NotInspected extends Error {
  /** Reported instead of an address. */
  get address(): string {
    return `(not inspected: ${this.message})`;
  }
}

/** Whether a reported address is one of {@link NotInspected}. */
export function isNotInspected(address: string): boolean {
  return address.startsWith("(not inspected");
}

/**
 * How many characters of a bundle are inspected, given its maximum unpacked size. Text may be read several times, because pages
 * contain styles and have compressed copies; the limit keeps the inspection within some minutes.
 */
export function inspectedCharacters(unpackedBytes: number): number {
  return Math.max(unpackedBytes, Math.min(4 * unpackedBytes, 2 ** 33));
}

/**
 * Limits how much of a bundle is inspected. The limit is in characters instead of time, so that the result is the same on every
 * machine.
 */
export class InspectionBudget {
  readonly #turns: Yielder;
  #left: number;

  /** @param characters of all pages and style sheets together, see {@link inspectedCharacters} */
  constructor(characters: number, turns: Yielder) {
    this.#left = characters;
    this.#turns = turns;
  }

  /** Charges characters to the budget. @throws NotInspected when the budget is exceeded; the signal's reason */
  async spend(characters: number): Promise<void> {
    this.#left -= characters;
    if (this.#left < 0) throw new NotInspected("the bundle has more text than limits.unpackedBytes");
    await this.#turns.take(characters);
  }
}
