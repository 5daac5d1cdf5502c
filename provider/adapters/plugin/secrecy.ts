/**
 * Minimum length of a secret text that is also found within longer texts, in characters: shorter texts also occur by chance.
 */
const SHORTEST_WITHIN = 6;

/** Position of a value in properties: names of fields, indices of lists. */
export type Path = readonly string[];

/** Which of the received values are secret. Values that repeat a secret text are secret, too. */
export class Secrecy {
  readonly #paths = new Map<string, Path>();
  readonly #texts = new Set<string>();

  /** Everything at and below a position is secret. */
  addPath(path: Path): void {
    this.#paths.set(keyOf(path), path);
  }

  addText(text: string): void {
    if (text !== "") this.#texts.add(text);
  }

  /** Whether a value at this position was received as a secret. */
  hasPath(path: Path): boolean {
    return this.#paths.has(keyOf(path));
  }

  /** Whether a property is secret, or contains a secret. */
  isAtOrBelow(property: string): boolean {
    return this.#paths.values().some(([name]) => name === property);
  }

  /** Whether a text is a secret text, or contains one. */
  isIn(text: string): boolean {
    if (this.#texts.has(text)) return true;
    return this.#texts.values().some((secret) => secret.length >= SHORTEST_WITHIN && text.includes(secret));
  }

  get texts(): ReadonlySet<string> {
    return this.#texts;
  }
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}
