// Reads the calls of `docs_hosting` in a program in Python, as far as the documents write them: keyword arguments, whose values are
// texts, numbers, dictionaries, lists and expressions.

/** The value of an expression that is not read. */
const EXPRESSION = Symbol("expression");

export interface PythonCall {
  /** `StaticExport`, `installation_values_output`. */
  readonly name: string;
  /** The keyword arguments. */
  readonly given: Readonly<Record<string, unknown>>;
}

export interface PythonProgram {
  readonly calls: readonly PythonCall[];
  /** Attributes that are read from what a call returned. */
  readonly attributes: readonly { readonly of: PythonCall; readonly name: string }[];
}

const OPEN = "([{";
const CLOSED = ")]}";

export function readPython(text: string): PythonProgram {
  const program = text.replace(/("[^"\n]*")|#.*$/gm, (_, quoted: string | undefined) => quoted ?? "");
  const calls: PythonCall[] = [];
  const attributes: { of: PythonCall; name: string }[] = [];
  for (const match of program.matchAll(/(?:^(\w+) = )?\bdocs_hosting\.(\w+)\(/gm)) {
    const [begin, variable, name = ""] = match;
    const call = { name, given: keywords(inside(program, match.index + begin.length - 1)) };
    calls.push(call);
    if (variable === undefined) continue;
    for (const [, attribute = ""] of program.matchAll(new RegExp(`(?<![\\w."])${variable}\\.(\\w+)`, "g"))) {
      attributes.push({ of: call, name: attribute });
    }
  }
  return { calls, attributes };
}

/** The text between a bracket and the one that closes it. */
function inside(text: string, from: number): string {
  const end = from + 1 + upTo("", text.slice(from + 1)).length;
  return text.slice(from + 1, end);
}

/** A text up to a separator outside of brackets and quotes, or up to the bracket that closes it. */
function upTo(separator: string, text: string): string {
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const each = text.charAt(index);
    if (each === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (OPEN.includes(each)) depth += 1;
    if (CLOSED.includes(each)) depth -= 1;
    if (depth < 0 || (depth === 0 && each === separator)) return text.slice(0, index);
  }
  return text;
}

/** The elements of a list, or of arguments. */
function elements(text: string): string[] {
  const found: string[] = [];
  for (let rest = text; rest.trim() !== "";) {
    const part = upTo(",", rest);
    found.push(part.trim());
    rest = rest.slice(part.length + 1);
  }
  return found;
}

function keywords(text: string): Record<string, unknown> {
  const pairs = elements(text).flatMap((element) => {
    const [, name, value = ""] = /^(\w+)\s*=(?!=)\s*([^]*)$/.exec(element) ?? [];
    return name === undefined ? [] : [[name, valueOf(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function valueOf(text: string): unknown {
  if (/^"[^"]*"$/.test(text)) return text.slice(1, -1);
  if (/^\d+$/.test(text)) return Number(text);
  if (text === "True" || text === "False") return text === "True";
  if (text.startsWith("[") && text.endsWith("]")) return elements(text.slice(1, -1)).map(valueOf);
  if (!text.startsWith("{") || !text.endsWith("}")) return EXPRESSION;
  const pairs = elements(text.slice(1, -1)).map((element) => {
    const [, key = "", value = ""] = /^"([^"]*)"\s*:\s*([^]*)$/.exec(element) ?? [];
    return [key, valueOf(value)] as const;
  });
  return Object.fromEntries(pairs);
}
