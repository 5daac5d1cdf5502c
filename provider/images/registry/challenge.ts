/** An authentication challenge that a server sends with 401, see RFC 9110 §11.6.1. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  readonly scheme: string;
  /** By name in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
/** A credential without a name, which belongs to a scheme that is not supported. */
const TOKEN68 = /[A-Za-z0-9._~+/-]+=*(?=\s*(?:,|$))/y;

/** Parses `WWW-Authenticate`, which may contain several challenges. Parsing stops at the first invalid text. */
export function parseChallenges(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(header) ?? undefined;
    if (match) at = pattern.lastIndex;
    return match;
  };
  const skip = (pattern: RegExp): void => void take(pattern);
  for (;;) {
    skip(/[\s,]*/y);
    const name = take(TOKEN)?.[0].toLowerCase();
    if (name === undefined) return challenges;
    const current = challenges.at(-1);
    const isParameter = current !== undefined && take(/\s*=\s*/y) !== undefined;
    if (isParameter) {
      const value = take(QUOTED)?.[1]?.replace(/\\(.)/gs, "$1") ?? take(TOKEN)?.[0];
      if (value === undefined) return challenges;
      current.parameters[name] ??= value;
    } else {
      challenges.push({ scheme: name, parameters: {} });
      skip(/ */y);
      skip(TOKEN68);
    }
  }
}
