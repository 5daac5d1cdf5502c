import { REMOVED } from "./redaction";

/** A shorter value is in many words, and hides nothing. In characters. */
const SHORTEST_SECRET = 6;
/** The shortest part of a secret that is removed, in characters. */
const SHORTEST_PART = 4;
/** What says that something stood before it, or behind it. */
const MARK = /(…|\[removed\])/;
/** Parameters of links that are credentials, by their names. */
const CREDENTIAL = /sig|token|key|cred|secret|auth|pass|policy|session|state/i;
/** From this length on, a parameter of another name is taken for a credential, too, unless it is an id. */
const LONG_PARAMETER = 32;
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The values that one operation has read and nobody may see: API key, signing key, credentials of registries and stores,
 * links. Whoever reads one adds it. The adapter removes them from everything that leaves the operation.
 */
export class Secrets {
  /** How the values can stand in a text, the longest first. */
  #forms: string[] = [];

  /** @param value a text of several lines, such as a key in PEM, is also secret line by line */
  add(value: string): void {
    const lines = value.split(/\s*(?:\n|\\n)\s*/).filter((line) => !line.startsWith("-----"));
    const forms = [value, ...lines].filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf);
    this.#forms = [...new Set([...this.#forms, ...forms])].sort((one, other) => other.length - one.length);
  }

  /** Adds what makes a link a credential: its password, its query, and what in that query signs. */
  addLink(link: string | URL): void {
    const { search, searchParams, password } = new URL(link);
    const parameters = [...searchParams].filter(
      ([name, value]) =>
        !HOST.test(value) && (CREDENTIAL.test(name) || (value.length >= LONG_PARAMETER && !ID.test(value))),
    );
    for (const value of [search.slice(1), password, ...parameters.map(([, each]) => each)]) this.add(value);
  }

  /** The text without the values in plain, escaped, URL-encoded or base64 form, and without what a cut has left of one. */
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

  /** Removes the values from an error that a program gets, and from its causes. */
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

/** How many characters at the end of a text are the beginning of another one; 0 for too few to tell. */
function overlap(text: string, next: string): number {
  let length = Math.min(text.length, next.length);
  while (length >= SHORTEST_PART && !text.endsWith(next.slice(0, length))) length--;
  return length >= SHORTEST_PART ? length : 0;
}

/** How a secret can stand in a text. */
function formsOf(secret: string): string[] {
  const urlEncoded = encodeURIComponent(secret.toWellFormed());
  const bytes = Buffer.from(secret);
  // Within a longer base64 text, such as that of a whole header, a secret can begin at any of three places; its first and
  // last characters then depend on what is around it.
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
