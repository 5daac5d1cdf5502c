import { DestinationError } from "../../runtime/messages/errors";
import { listIn } from "./content";
import { wholeBody } from "./exchange";
import { readUnwanted, registryReason } from "./failedRequest";
import { repositoryName } from "./reference";
import type { Attempted, RegistryClient } from "./client";

/** How many tags a page of the list has at most. */
const PAGE_SIZE = 1_000;
/** How many pages are read: more is a list without an end. */
const MAX_PAGES = 200;
/** Replies of a registry that does not list tags. */
const NOT_LISTED = [405, 501];
/** Refusals to list tags for this user, even after a login. */
const NOT_ALLOWED = [400, 401, 403];

/**
 * Lists the tags of a repository, see «Content Discovery» in the distribution specification.
 *
 * @returns `undefined` when the registry does not allow the list; no tags for a repository that does not exist
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function listTags(client: RegistryClient): Promise<string[] | undefined> {
  const tags: string[] = [];
  let next: string | URL | undefined = `${client.path("tags", "list")}?n=${PAGE_SIZE}`;
  for (let pages = 0; next !== undefined; pages++) {
    if (pages === MAX_PAGES) {
      throw new DestinationError(
        `the list of the tags of ${repositoryName(client.repository)} does not end after ${MAX_PAGES} pages`,
        "Report it to the registry's operator.",
      );
    }
    const url: URL = typeof next === "string" ? await client.url(next) : next;
    const attempt: Attempted<{ tags: string[]; next: URL | undefined } | undefined> = await client.attempt(
      { method: "GET", to: url, accepted: [200, 404, ...NOT_LISTED] },
      async (reply) => {
        if (reply.status === 404) {
          // a registry without the list answers so, too
          const { codes } = registryReason((await readUnwanted(reply)).text);
          return codes.includes("NAME_UNKNOWN") ? { tags: [], next: undefined } : undefined;
        }
        if (reply.status !== 200) return undefined;
        const names = listIn(await wholeBody(reply), "tags");
        return {
          tags: names.filter((tag) => typeof tag === "string"),
          next: await nextPage(client, reply.headers.get("link"), url),
        };
      },
    );
    if ("refusal" in attempt && !NOT_ALLOWED.includes(attempt.status)) throw attempt.refusal;
    const page = "value" in attempt ? attempt.value : undefined;
    if (page === undefined) return undefined;
    tags.push(...page.tags);
    next = page.next?.href === url.href ? undefined : page.next;
  }
  return tags;
}

/** The address of the next page in a `Link` header, see RFC 8288. */
async function nextPage(client: RegistryClient, link: string | null, from: URL): Promise<URL | undefined> {
  const [, target] = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(link ?? "") ?? [];
  return target === undefined ? undefined : client.located(target, from);
}
