/** Most classes whose result is remembered: a site has some hundreds, and pages that nobody should write have any number. */
const MOST_REMEMBERED = 20_000;

/** A function of an element's classes that is called once for each of them: pages repeat them many thousand times. */
export function remembered<Result>(of: (classes: string) => Result): (classes: string) => Result {
  const known = new Map<string, Result>();
  return (classes) => {
    const before = known.get(classes);
    if (before !== undefined) return before;
    const result = of(classes);
    if (known.size < MOST_REMEMBERED) known.set(classes, result);
    return result;
  };
}

/** Whether classes fit a pattern. */
export function rememberedTest(pattern: RegExp): (classes: string) => boolean {
  return remembered((classes) => pattern.test(classes));
}
