/** An authentication challenge that a server sends with 401, see RFC 9110 §11.6.1. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  readonly scheme: string;
  /** By name in lower case. */
  readonly parameters: Record<string, string>;
}

const CHARACTER = /[\w!#$%&'*+.^`|~-]/.source;

const TOKEN = `(${CHARACTER}+)(?!${CHARACTER})`;

const VALUE = `\\s*=\\s*(?:${/"((?:[^"\\]|\\.)*)"/.source}|${TOKEN})`;

/** A credential without a name, which belongs to a scheme that is not supported. */
const TOKEN68 = / +[\w.~+/-]+=*(?=\s*(?:,|$))/.source;

/** A parameter with its value, or a scheme. */
const PART = new RegExp(`[\\s,]*${TOKEN}(?:${VALUE}|(?!\\s*=)(?:${TOKEN68})?)`, "gsy");

/** Parses `WWW-Authenticate`, which may contain several challenges. Parsing stops at the first invalid text. */
export function parseChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  for (const [, word = "", quoted, bare] of header.matchAll(PART)) {
    const name = word.toLowerCase();
    const value = quoted?.replace(/\\(.)/gs, "$1") ?? bare;
    const current = challenges.at(-1);
    if (value === undefined) challenges.push({ scheme: name, parameters: {} });
    else if (current) current.parameters[name] ??= value;
  }
  return challenges;
}
