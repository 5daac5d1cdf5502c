/** What happened in a history, as a failure prints it. */
export class Story {
  readonly #lines: string[] = [];

  add(...lines: readonly string[]): void {
    this.#lines.push(...lines);
  }

  fail(problem: string): never {
    throw new Error(`${problem}\n${this.#lines.join("\n")}`);
  }
}
