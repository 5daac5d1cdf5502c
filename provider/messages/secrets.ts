import { REMOVED } from "./redaction";

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
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The secret values that one operation has read: API key, signing key, credentials of registries and stores, links. The code
 * that reads such a value adds it. The adapter removes the values from everything that the operation returns or reports.
 */
export class Secrets {
  /** The forms in which the values can occur in a text, longest first. */
  #forms: string[] = [];

  /** @param value of a text with several lines, such as a PEM key, each line is also secret */
  add(value: string): void {
    const lines = value.split(/\s*(?:\n|\\n)\s*/).filter((line) => !line.startsWith("-----"));
    const forms = [value, ...lines].filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf);
    this.#forms = [...new Set([...this.#forms, ...forms])].sort((one, other) => other.length - one.length);
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

  /** The text without the values in plain, escaped, URL-encoded or base64 form, and without the rest of a value that was cut. */
  removeFrom(text: string): string {
    const clean = this.#forms.reduce((rest, form) => rest.replaceAll(form, REMOVED), text);
    const parts = clean.split(MARK);
    return parts
      .map((part, at) => {
        const isMark = at % 2 === 1;
        if (isMark) return part;
        const rest =
          parts[at - 1] === REMOVED ? part.slice(this.#longest((form) => overlap(form, part))) : part;
        const left = at + 1 < parts.length ? this.#longest((form) => overlap(rest, form)) : 0;
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

  #longest(of: (form: string) => number): number {
    return Math.max(0, ...this.#forms.map(of));
  }
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
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    urlEncoded,
    urlEncoded.replace(/%../g, (byte) => byte.toLowerCase()),
    bytes.toString("base64"),
    ...base64,
  ];
}
