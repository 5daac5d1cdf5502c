/** The first of some names, and the number of the others: `a.html, b.html, c.html and 4 more`. */
export function firstOf(names: readonly string[], max = 3): string {
  const more = names.length > max ? ` and ${names.length - max} more` : "";
  return `${names.slice(0, max).join(", ")}${more}`;
}
