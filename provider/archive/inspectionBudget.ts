import type { Turns } from "./turns";

/** Why a file was not inspected to its end. It counts as one that loads something from elsewhere. */
export class NotInspected extends Error {
  /** In the place of an address. */
  get address(): string {
    return `(not inspected: ${this.message})`;
  }
}

/** Whether a told address is that of {@link NotInspected}. */
export function isNotInspected(address: string): boolean {
  return address.startsWith("(not inspected");
}

/**
 * How many characters are inspected of a bundle that unpacks to so many bytes at most: each several times, as styles stand in pages
 * and pages beside their compressed forms, but no more than takes some minutes.
 */
export function inspectedCharacters(unpackedBytes: number): number {
  return Math.max(unpackedBytes, Math.min(4 * unpackedBytes, 2 ** 33));
}

/**
 * How much of a bundle is inspected. It is counted in characters and not in time: the same bundle gets the same verdict on every
 * machine.
 */
export class InspectionBudget {
  readonly #turns: Turns;
  #left: number;

  /** @param characters of all pages and style sheets together, see {@link inspectedCharacters} */
  constructor(characters: number, turns: Turns) {
    this.#left = characters;
    this.#turns = turns;
  }

  /** @throws NotInspected when all is spent; the signal's reason */
  async spend(characters: number): Promise<void> {
    this.#left -= characters;
    if (this.#left < 0) throw new NotInspected("the bundle has more text than limits.unpackedBytes");
    await this.#turns.take(characters);
  }
}
