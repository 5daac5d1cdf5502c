import { DestinationError } from "../../../base/runtime/messages/errors";
import type { RegistryClient } from "./client";
import { fieldAt } from "./content";
import { wholeBody } from "./exchange";
import { readUnwanted, registryReason } from "./failedRequest";
import { nextPage } from "./nextPage";
import { repositoryName } from "./reference";

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
 * @returns `undefined` when the registry does not allow the list, or answers with something else; no tags for a repository that does not
 *   exist
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function listTags(client: RegistryClient): Promise<string[] | undefined> {
  const tags: string[] = [];
  let url = await client.url(`${client.path("tags", "list")}?n=${PAGE_SIZE}`);
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await readPage(client, url);
    if (page === undefined) return undefined;
    if (page === "unknown") return pages === 0 ? [] : undefined;
    tags.push(...page.tags);
    if (page.next === undefined) return tags;
    if (page.next.href === url.href) return undefined; // where the rest is, it does not say
    url = page.next;
  }
  throw new DestinationError(
    `the list of the tags of ${repositoryName(client.repository)} does not end after ${MAX_PAGES} pages`,
    "Report it to the registry's operator.",
  );
}

/** @returns "unknown" for a repository that does not exist */
async function readPage(
  client: RegistryClient,
  url: URL,
): Promise<{ tags: readonly string[]; next?: URL | undefined } | "unknown" | undefined> {
  const page = await client.attempt(
    { method: "GET", to: url, accepted: [200, 404, ...NOT_LISTED] },
    async (reply) => {
      if (reply.status === 200) {
        const tags = tagsIn(await wholeBody(reply));
        if (tags === undefined) return undefined;
        return { tags, next: await nextPage(client, reply, url) };
      }
      // a registry without the list answers 404, too
      const { codes } = registryReason((await readUnwanted(reply)).text);
      return reply.status === 404 && codes.includes("NAME_UNKNOWN") ? "unknown" : undefined;
    },
  );
  if ("value" in page) return page.value;
  if (NOT_ALLOWED.includes(page.status ?? 0)) return undefined;
  throw page.refusal;
}

/** The tags of a page; `undefined` if it is not a list of tags: a login page, an empty reply, a text that was cut. */
function tagsIn(body: Buffer): readonly string[] | undefined {
  const tags = fieldAt(body, "tags");
  if (tags === null) return []; // of a repository whose tags were removed
  return Array.isArray(tags) && tags.every((tag) => typeof tag === "string") ? tags : undefined;
}
