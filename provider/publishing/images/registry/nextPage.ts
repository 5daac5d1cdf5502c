import type { HttpReply } from "../../../base/http/attempt";
import type { RegistryClient } from "./client";

/** The address of the next page of a list, see RFC 8288. @throws DestinationError for an address that is not allowed */
export async function nextPage(
  client: RegistryClient,
  { headers }: Pick<HttpReply, "headers">,
  url: URL,
): Promise<URL | undefined> {
  const [, next] = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(headers.get("link") ?? "") ?? [];
  return next === undefined ? undefined : client.located(next, url);
}
