const FENCE = "---";

/**
 * Splits off the block that many generators put before the Markdown; reads only its plain `name: text` lines. It reads by lines,
 * not with one pattern: a pattern takes quadratic time for a run of spaces.
 */
export function readFrontMatter(source: string): { fields: Readonly<Record<string, string>>; body: string } {
  const content = source.replace(/^\uFEFF/, "");
  const lines = content.split("\n");
  if (lines[0]?.trimEnd() !== FENCE) return { fields: {}, body: content };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === FENCE);
  if (end === -1) return { fields: {}, body: content };
  return {
    fields: Object.fromEntries(lines.slice(1, end).flatMap(readField)),
    body: lines.slice(end + 1).join("\n"),
  };
}

function readField(line: string): [name: string, value: string][] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  const value = line.slice(colon + 1).trim();
  return /^\w+$/.test(name) && value !== "" ? [[name, withoutQuotes(value)]] : [];
}

function withoutQuotes(value: string): string {
  const quote = value.charAt(0);
  const isQuoted = value.length > 1 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}
