import { DestinationError } from "../../../base/runtime/messages/errors";
import { isDigest } from "../../../base/runtime/values/digest";
import type { RegistryClient } from "./client";
import { type Descriptor, fieldsOf, manifestOf } from "./content";
import { wholeBody } from "./exchange";
import { findManifest, getManifest, putManifest } from "./manifests";
import { OCI_INDEX } from "./mediaTypes";
import { nextPage } from "./nextPage";
import { pinned, repositoryName } from "./reference";

/** An entry in the list of an image's referrers: manifests that name the image as their subject. */
export interface ReferrerEntry extends Descriptor {
  readonly artifactType: string;
}

/** How many pages of a list are read: more is a list without an end. */
const MAX_PAGES = 200;
/** Replies of registries that do not have the API. */
const NO_API = [400, 403, 404, 405, 406, 501];

/** The tag of the list of an image's referrers, in a registry without the API. @param digest of the image */
export const referrersTag = (digest: string): string => digest.replace(":", "-");

/**
 * Ensures that the list of an image's referrers contains these, which are already in the registry. A registry with the API for
 * referrers keeps the list itself; another one has it under a tag, see «Referrers Tag Schema» in the distribution specification.
 *
 * @param digest of the image
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function listReferrers(
  client: RegistryClient,
  digest: string,
  referrers: readonly ReferrerEntry[],
): Promise<void> {
  if ((await entriesOfApi(client, digest)) !== undefined) return;
  const tag = referrersTag(digest);
  const existing = await entriesUnder(client, tag);
  const missing = referrers.filter((each) => !existing.some((entry) => digestIn(entry) === each.digest));
  if (missing.length === 0) return;
  // registries refuse a list with manifests that were removed
  const left: unknown[] = [];
  for (const each of existing) {
    const listed = digestIn(each);
    if (isDigest(listed) && (await findManifest(client, listed)) !== undefined) left.push(each);
  }
  await putManifest(client, manifestOf(OCI_INDEX, { manifests: [...left, ...missing] }), tag);
}

/**
 * The entries of the list of an image's referrers.
 *
 * @param digest of the image
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function referrersOf(client: RegistryClient, digest: string): Promise<unknown[]> {
  return (await entriesOfApi(client, digest)) ?? entriesUnder(client, referrersTag(digest));
}

/**
 * All pages of the list.
 *
 * @returns undefined if the registry does not have the API
 * @throws DestinationError, also for a list whose end the registry does not say
 */
async function entriesOfApi(client: RegistryClient, digest: string): Promise<unknown[] | undefined> {
  const all: unknown[] = [];
  let url = await client.url(client.path("referrers", digest));
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const isFirst = pages === 0;
    const page = await client.send(
      {
        method: "GET",
        to: url,
        headers: { accept: OCI_INDEX },
        accepted: isFirst ? [200, ...NO_API] : [200],
      },
      async (reply) => {
        const entries = reply.status === 200 ? entriesIn(await wholeBody(reply)) : undefined;
        return entries && { entries, next: await nextPage(client, reply, url) };
      },
    );
    if (page === undefined) {
      if (isFirst) return undefined;
      throw notWhole(client, digest, `page ${pages + 1} is no list`);
    }
    all.push(...page.entries);
    if (page.next === undefined) return all;
    if (page.next.href === url.href) throw notWhole(client, digest, `page ${pages + 1} leads to itself`);
    url = page.next;
  }
  throw notWhole(client, digest, `it does not end after ${MAX_PAGES} pages`);
}

function notWhole(client: RegistryClient, digest: string, reason: string): DestinationError {
  return new DestinationError(
    `the list of the referrers of ${pinned(client.repository, digest)} is not whole: ${reason}`,
    "Report it to the registry's operator.",
  );
}

async function entriesUnder(client: RegistryClient, tag: string): Promise<unknown[]> {
  const list = await getManifest(client, tag);
  const entries = list ? entriesIn(list.bytes) : [];
  if (entries) return entries;
  throw new DestinationError(
    `${repositoryName(client.repository)}:${tag} is no list of referrers, as the tag's name says`,
    "Remove the tag: a client of registries did not make it.",
  );
}

function entriesIn(list: Buffer): unknown[] | undefined {
  const { manifests } = fieldsOf(list);
  return Array.isArray(manifests) ? manifests : undefined;
}

const digestIn = (entry: unknown): unknown => fieldsOf(entry)["digest"];
