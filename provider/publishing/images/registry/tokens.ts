import type { Clock } from "../../../base/runtime/time/clock";
import { type Challenge } from "./challenge";
import { fieldsOf } from "./content";
import { type Credential } from "./dockerConfiguration";
import { type RegistryRequest } from "./exchange";

/** A token for a registry, see https://distribution.github.io/distribution/spec/auth/token/ */
export interface Token {
  readonly text: string;
  /** By the clock of this machine: milliseconds since 1970. */
  readonly endsAtMs: number;
}

/** Lifetime of a token whose reply contains none, in milliseconds: the specification's default. */
const LIFE_MS = 60_000;

/** A token with less remaining lifetime is not used, in milliseconds. */
const MARGIN_MS = 5_000;

/** A token with a shorter lifetime is used until it expires: otherwise every request would need a new one. */
const SHORTEST_LIFE_MS = 2 * MARGIN_MS;

/** Creates the request for a token. @throws Error for a realm that is not a URL */
export function tokenRequest(
  { parameters }: Challenge,
  scopes: readonly string[],
  credential: Credential | undefined,
): RegistryRequest {
  const url = new URL(parameters["realm"] ?? "");
  const service = parameters["service"];
  if (credential && "identityToken" in credential) {
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: credential.identityToken,
      client_id: "pulumi-docs-hosting",
      ...(service !== undefined && { service }),
      scope: scopes.join(" "),
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return { method: "POST", url, headers, body: () => Buffer.from(form.toString()) };
  }
  if (service !== undefined) url.searchParams.set("service", service);
  for (const scope of scopes) url.searchParams.append("scope", scope);
  return { method: "GET", url, headers: credential ? { authorization: basic(credential) } : {} };
}

/**
 * Reads a token.
 *
 * @param reply JSON of the token service
 * @returns undefined when it contains no token; endsAtMs: when it expires, the clock's `monotonic` time in milliseconds
 */
export function readToken(reply: unknown, clock: Clock): Token | undefined {
  const { token, access_token: accessToken, expires_in: life } = fieldsOf(reply);
  const text = [token, accessToken].find((each): each is string => typeof each === "string" && each !== "");
  // a text that no header can contain is not a token
  if (text === undefined || !/^[\x21-\x7e]+$/.test(text)) return undefined;
  const lifeMs = typeof life === "number" && life > 0 ? life * 1_000 : LIFE_MS;
  const usedMs = lifeMs > SHORTEST_LIFE_MS ? lifeMs - MARGIN_MS : lifeMs;
  return { text, endsAtMs: clock.monotonic() + usedMs };
}

/** The value of the header `Authorization` for a user name and a password. */
export function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
