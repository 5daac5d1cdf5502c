import { REMOVED } from "./plainText";

/** Shortest value that is removed, in characters: a shorter one occurs in ordinary text. */
export const SHORTEST_SECRET = 6;
/** The shortest part of a secret that is removed, in characters. */
const SHORTEST_PART = 4;
/** Marks a place where text was cut or removed. */
const MARK = /(…|\[removed\])/;
/** Names of link parameters that are credentials. */
const CREDENTIAL = /sig|token|key|cred|secret|auth|pass|policy|session|state/i;
/** A parameter of another name counts as a credential from this length on, unless it is an id. In characters. */
const LONG_PARAMETER = 32;
/** Longest value that is recognised with any of its characters escaped, in UTF-16 units: far longer than any key. */
const LONGEST_ESCAPED = 512;
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The secret values that one operation has read: API key, signing key, credentials of registries and stores, links. The code
 * that reads such a value adds it. The adapter removes the values from everything that the operation returns or reports.
 */
export class Secrets {
  readonly #values = new Set<string>();
  /** Derived when a text needs them: most values are added again with every request, and shown in none. */
  #forms: Forms | undefined;

  /** @param value of a text with several lines, such as a PEM key, each line is also secret */
  add(value: string): void {
    if (value.length < SHORTEST_SECRET || this.#values.has(value)) return;
    const lines = value.split(/\s*(?:\n|\\n)\s*/).filter((line) => !line.startsWith("-----"));
    for (const each of [value, ...lines]) if (each.length >= SHORTEST_SECRET) this.#values.add(each);
    this.#forms = undefined;
  }

  /**
   * Adds the texts in a value of the user, at any depth, below a name that says what they are: `password`, `auth`, `apiKey`.
   *
   * @param isCredential whether a name around the value says so
   */
  addCredentials(value: unknown, isCredential = false): void {
    if (typeof value === "string") {
      if (isCredential) this.add(value);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        this.addCredentials(each, isCredential || CREDENTIAL.test(name));
      }
    }
  }

  /** Adds the secret parts of a link: its password, its query, and the query's credential parameters. */
  addLink(link: string | URL): void {
    const { search, searchParams, password } = new URL(link);
    const parameters = [...searchParams].filter(
      ([name, value]) =>
        !HOST.test(value) && (CREDENTIAL.test(name) || (value.length >= LONG_PARAMETER && !ID.test(value))),
    );
    for (const value of [search.slice(1), password, ...parameters.map(([, each]) => each)]) this.add(value);
  }

  /**
   * The text without the values in plain, escaped, URL-encoded, hexadecimal or base64 form, in any letter case, and without the rest of
   * a value that was cut.
   */
  removeFrom(text: string): string {
    const { whole, escaped } = (this.#forms ??= formsOfAll([...this.#values]));
    const longest = (of: (form: string) => number): number => Math.max(0, ...whole.map(of));
    const plain = whole.reduce(withoutForm, text);
    const clean = escaped.reduce((rest, form) => rest.replace(form, REMOVED), plain);
    const parts = clean.split(MARK);
    return parts
      .map((part, at) => {
        const isMark = at % 2 === 1;
        if (isMark) return part;
        const rest =
          parts[at - 1] === REMOVED ? part.slice(longest((form) => overlap(form, lowerCase(part)))) : part;
        const left = at + 1 < parts.length ? longest((form) => overlap(lowerCase(rest), form)) : 0;
        return left > 0 ? `${rest.slice(0, -left)}${REMOVED}` : rest;
      })
      .join("");
  }

  /** Removes the values from an error and its causes. */
  removeFromError(error: unknown): void {
    for (let each = error; each instanceof Error; each = each.cause) {
      const texts = each as unknown as Record<string, unknown>;
      for (const name of ["message", "stack", "remedy", "requestId"]) {
        if (typeof texts[name] === "string") texts[name] = this.removeFrom(texts[name]);
      }
    }
  }
}

/** The forms in which values can occur in a text. */
interface Forms {
  /** In lower case, longest first. */
  readonly whole: readonly string[];
  /** Match a value with any of its characters escaped, and as hexadecimal bytes. */
  readonly escaped: readonly RegExp[];
}

function formsOfAll(values: readonly string[]): Forms {
  const whole = [...new Set(values.flatMap(formsOf).map(lowerCase))];
  return {
    whole: whole.sort((one, other) => other.length - one.length),
    escaped: values.filter(({ length }) => length <= LONGEST_ESCAPED).map(escapedForms),
  };
}

/** In lower case, with as many characters: letters outside ASCII can become two. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** @param form in lower case */
function withoutForm(text: string, form: string): string {
  const lower = lowerCase(text);
  let [clean, from] = ["", 0];
  for (let at = lower.indexOf(form); at >= 0; at = lower.indexOf(form, from)) {
    clean += text.slice(from, at) + REMOVED;
    from = at + form.length;
  }
  return from === 0 ? text : clean + text.slice(from);
}

/** How many characters at the end of a text are the beginning of another text; 0 if too few to be certain. */
function overlap(text: string, next: string): number {
  let length = Math.min(text.length, next.length);
  while (length >= SHORTEST_PART && !text.endsWith(next.slice(0, length))) length--;
  return length >= SHORTEST_PART ? length : 0;
}

/** The forms in which a secret can occur in a text. */
function formsOf(secret: string): string[] {
  const urlEncoded = encodeURIComponent(secret.toWellFormed());
  const bytes = Buffer.from(secret);
  // Within a longer base64 text, such as a whole header, a secret can begin at any of three offsets. Its first and last
  // characters then depend on the surrounding bytes.
  const base64 = (["base64", "base64url"] as const).flatMap((encoding) =>
    [0, 1, 2].map((before) => {
      const text = Buffer.concat([Buffer.alloc(before), bytes])
        .toString(encoding)
        .replace(/=+$/, "");
      return text.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
    }),
  );
  return [secret, JSON.stringify(secret).slice(1, -1), urlEncoded, bytes.toString("base64"), ...base64];
}

/** Matches a secret in which any characters are written as escapes of URLs, JSON or HTML, or all as hexadecimal bytes. */
function escapedForms(secret: string): RegExp {
  const characters = Array.from(secret.toWellFormed(), escapesOf).join("");
  const bytes = Array.from(Buffer.from(secret), (byte) => String.raw`(?:0x|\\x)?${hex(byte)}`).join(
    "[\\s:,_-]?",
  );
  return new RegExp(`${characters}|${bytes}`, "gi");
}

/** Matches a character as it is or as an escape; `%` may itself be escaped, `%2573`. */
function escapesOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const ways = [
    character.replace(/[^\p{L}\p{N}\s]/gu, String.raw`\$&`),
    Array.from(Buffer.from(character), (byte) => `%(?:25)*${hex(byte)}`).join(""),
    units.map((unit) => String.raw`\\+u${unit.toString(16).padStart(4, "0")}`).join(""),
    `&#(?:0*${code}|x0*${code.toString(16)});`,
  ];
  return `(?:${ways.join("|")})`;
}

const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
