import type { Clock } from "../time/clock";
import type { Challenge } from "./challenge";
import type { Credential } from "./dockerConfiguration";

/** A token of a registry's own, see https://distribution.github.io/distribution/spec/auth/token/ */
export interface Token {
  readonly text: string;
  /** By the clock's `monotonic`, in milliseconds. */
  readonly endsAtMs: number;
}

/** How long a token lasts of which nobody says it, in milliseconds: what the specification says. */
const LIFE_MS = 60_000;
/** A token is not used when less of it is left, in milliseconds. */
const MARGIN_MS = 5_000;
/** A token that ends sooner is used all the same until then: else there would be a new one for each request. */
const SHORTEST_LIFE_MS = 2 * MARGIN_MS;

/** What to send to whom for a token. */
export interface TokenRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** @throws Error for a realm that is no address */
export function tokenRequest(
  { parameters }: Challenge,
  scopes: readonly string[],
  credential: Credential | undefined,
): TokenRequest {
  const url = new URL(parameters["realm"] ?? "");
  const service = parameters["service"];
  const wanted = scopes.length > 0 ? scopes : (parameters["scope"]?.split(" ") ?? []);
  if (credential && "identityToken" in credential) {
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: credential.identityToken,
      client_id: "pulumi-docs-hosting",
      ...(service !== undefined && { service }),
      scope: wanted.join(" "),
    });
    return {
      method: "POST",
      url,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: Buffer.from(form.toString()),
    };
  }
  if (service !== undefined) url.searchParams.set("service", service);
  for (const scope of wanted) url.searchParams.append("scope", scope);
  return { method: "GET", url, headers: credential ? { authorization: basic(credential) } : {} };
}

/** @param answer JSON of who gives tokens @returns undefined when there is no token in it */
export function readToken(answer: unknown, clock: Clock): Token | undefined {
  const { token, access_token: accessToken, expires_in: life } = Object(answer) as Record<string, unknown>;
  const text = [token, accessToken].find((each): each is string => typeof each === "string" && each !== "");
  // what cannot be in a header is none
  if (text === undefined || !/^[\x21-\x7e]+$/.test(text)) return undefined;
  const lifeMs = typeof life === "number" && life > 0 ? life * 1_000 : LIFE_MS;
  const usedMs = lifeMs > SHORTEST_LIFE_MS ? lifeMs - MARGIN_MS : lifeMs;
  return { text, endsAtMs: clock.monotonic() + usedMs };
}

export function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
