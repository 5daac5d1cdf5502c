const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const FIELD = /^(\w+):\s*(.+?)\s*$/;
const QUOTED = /^(["'])(.*)\1$/;

/** Splits the block that many generators put before the Markdown; only its plain `name: text` lines are read. */
export function readFrontMatter(source: string): { fields: Readonly<Record<string, string>>; body: string } {
  const block = FRONT_MATTER.exec(source);
  if (!block) return { fields: {}, body: source.replace(/^\uFEFF/, "") };
  const fields: Record<string, string> = {};
  for (const line of (block[1] ?? "").split(/\r?\n/)) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name && value) fields[name] = QUOTED.exec(value)?.[2] ?? value;
  }
  return { fields, body: source.slice(block[0].length) };
}
