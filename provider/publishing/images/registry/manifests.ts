import { DestinationError, type DocsHostingError } from "../../../base/runtime/messages/errors";
import { isDigest } from "../../../base/runtime/values/digest";
import { isOf } from "./blobs";
import type { RegistryClient } from "./client";
import { type Content, contentOf, fieldsOf, isObject } from "./content";
import { wholeBody } from "./exchange";
import { readUnwanted, registryReason } from "./failedRequest";
import { MANIFEST_TYPES } from "./mediaTypes";
import { type Absence, absenceIn, demandProof, isOfRegistry, isProven, notAnswered } from "./notFound";
import { pinned, repositoryName } from "./reference";
import { isWebPage } from "./webPage";

/** A manifest or an index, with the exact bytes of its digest. */
export type Manifest = Content;

const ACCEPT = { accept: MANIFEST_TYPES.join(", ") };

/**
 * Finds the digest that a tag or digest refers to.
 *
 * @returns undefined when the manifest does not exist
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function findManifest(client: RegistryClient, name: string): Promise<string | undefined> {
  const found = await client.attempt(
    { method: "HEAD", to: client.path("manifests", name), headers: ACCEPT, accepted: [200, 404] },
    (reply) => {
      // a reply to HEAD has no reason: that to GET has
      if (reply.status === 404) return isOfRegistry(reply) ? undefined : null;
      return isDigest(name) && isOf(name, reply) ? name : reply.headers.get("docker-content-digest");
    },
  );
  // a refused password is not sent again
  if ("refusal" in found && found.status === 401) throw found.refusal;
  if ("value" in found && (found.value === undefined || isDigest(found.value))) return found.value;
  // the registry, or a proxy before it, does not know or allow HEAD, or its reply proves nothing. The reply to GET also has the reason
  // of a refusal
  return (await getManifest(client, name))?.digest;
}

/**
 * Reads a manifest, and verifies its bytes against the requested digest and the registry's header.
 *
 * @returns undefined when the manifest does not exist
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function getManifest(client: RegistryClient, name: string): Promise<Manifest | undefined> {
  const what = `the question for a manifest of ${repositoryName(client.repository)}`;
  const found = await client.send<Manifest | { absence: Absence }>(
    { method: "GET", to: client.path("manifests", name), headers: ACCEPT, accepted: [200, 404] },
    async (reply) => {
      if (reply.status === 404) return { absence: await absenceIn(reply) };
      const bytes = await wholeBody(reply);
      const manifest = contentOf(mediaTypeOf(reply.headers.get("content-type"), bytes), bytes);
      if (isDigest(name)) checkDigest(client, name, manifest.digest);
      else if (isWebPage(reply) && !isObject(bytes)) throw notAnswered(client, what);
      checkDigest(client, reply.headers.get("docker-content-digest") ?? manifest.digest, manifest.digest);
      return manifest;
    },
  );
  if (!("absence" in found)) return found;
  await demandProof(client, found.absence, what);
  return undefined;
}

/**
 * Stores a manifest under its digest or under a tag, unless it is already there.
 *
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function putManifest(
  client: RegistryClient,
  manifest: Manifest,
  name: string = manifest.digest,
): Promise<void> {
  if ((await findManifest(client, name)) !== manifest.digest) await sendManifest(client, manifest, name);
}

/** As {@link putManifest}, where something else is known to be under the name, or nothing. */
export async function sendManifest(client: RegistryClient, manifest: Manifest, name: string): Promise<void> {
  const refused = await offerManifest(client, manifest, name);
  if (refused) throw refused.error;
}

/** A manifest that a registry refuses for good. */
export interface RefusedManifest {
  readonly error: DocsHostingError;
  /** Whether the reason may be that the tag names something else, and is never moved. */
  readonly mayBeImmutable: boolean;
}

/** How registries refuse to move a tag: ECR 400, Azure 405 and 409, Harbor 412. Rights are another matter. */
const IMMUTABLE = [400, 405, 409, 412];

/** As {@link sendManifest}. @returns the refusal, if the registry refuses the manifest for good */
export async function offerManifest(
  client: RegistryClient,
  manifest: Manifest,
  name: string,
): Promise<RefusedManifest | undefined> {
  const sent = await client.attempt(
    {
      method: "PUT",
      to: client.path("manifests", name),
      headers: { "content-type": manifest.mediaType },
      body: () => manifest.bytes,
      accepted: [200, 201],
    },
    ({ status, headers }) => {
      const stored = headers.get("docker-content-digest");
      checkDigest(client, manifest.digest, stored);
      return status === 201 || stored !== null;
    },
  );
  if ("refusal" in sent) {
    return { error: sent.refusal, mayBeImmutable: IMMUTABLE.includes(sent.status ?? 0) };
  }
  // a login page answers with 200, and the specification wants 201
  if (sent.value || (await findManifest(client, name)) === manifest.digest) return undefined;
  throw notAnswered(client, `the manifest ${name}`);
}

/** Why a registry keeps a manifest that should be removed. */
export interface RefusedRemoval {
  readonly digest: string;
  /** What the registry says. */
  readonly reason: string;
  /** Whether the registry would refuse every removal. */
  readonly isGeneral: boolean;
}

const BAD_REQUEST = 400;

/** How often a removal is asked for that the registry confirms and does not do. */
const MOST_REMOVALS = 2;

/** The reason of Google's registries that remove no manifest which a tag names, see https://github.com/genuinetools/reg/issues/136. */
const TAGGED = "GOOGLE_MANIFEST_DANGLING_TAG";

/**
 * Removes a manifest, with all tags that refer to it. One that is already gone is not an error.
 *
 * @param tags of the owner of the manifest: where tags have to go first, those among them that name the manifest go
 * @returns the reason if the registry keeps it: it has deletion disabled, does not allow it to this account, or confirms it and does not
 *   do it. isGeneral: whether it removes no manifest at all
 * @throws DestinationError, also if a login may help; DeadlineExceededError; the signal's reason
 */
export async function deleteManifest(
  client: RegistryClient,
  digest: string,
  tags: readonly string[] = [],
): Promise<RefusedRemoval | undefined> {
  const to = client.path("manifests", digest);
  let tagsLeft = tags;
  for (let removals = 1; ; removals++) {
    const removed = await client.attempt(
      { method: "DELETE", to, accepted: [200, 202, 204, BAD_REQUEST, 404] },
      async (reply) => ({
        // a login page answers with 200, and the specification wants 202
        isPage: reply.status === 200,
        absence: reply.status === 404 ? await absenceIn(reply) : undefined,
        refused: reply.status === BAD_REQUEST ? await readUnwanted(reply) : undefined,
      }),
    );
    if ("refusal" in removed) return refusedRemoval(client, digest, removed.status, removed.refusal);
    const { isPage, absence, refused } = removed.value;
    if (refused) {
      const isTagged = tagsLeft.length > 0 && registryReason(refused.text).codes.includes(TAGGED);
      if (isTagged && (await untagged(client, digest, tagsLeft))) {
        tagsLeft = [];
        removals = 0;
        continue;
      }
      const { error } = await client.login.refused({ method: "DELETE", url: await client.url(to) }, refused);
      return refusedRemoval(client, digest, BAD_REQUEST, error);
    }
    if (absence !== undefined && (await isProven(client, absence))) return undefined;
    if ((await findManifest(client, digest)) === undefined) return undefined;
    if (isPage || absence !== undefined) throw notAnswered(client, `the removal of ${digest}`);
    if (removals === MOST_REMOVALS) {
      return { digest, reason: "it confirms the removal, and does not do it", isGeneral: false };
    }
  }
}

/** Removes those tags that name a manifest. @returns whether all of them are gone */
async function untagged(client: RegistryClient, digest: string, tags: readonly string[]): Promise<boolean> {
  for (const tag of tags) {
    if ((await findManifest(client, tag)) === digest && !(await deleteTag(client, tag))) return false;
  }
  return true;
}

/**
 * Removes a tag, and not what it names, see «Deleting tags» in the distribution specification.
 *
 * @returns whether it is gone: a registry may not allow it
 */
export async function deleteTag(client: RegistryClient, tag: string): Promise<boolean> {
  const removed = await client.attempt(
    { method: "DELETE", to: client.path("manifests", tag), accepted: [202, 204, 404] },
    async (reply) => (reply.status === 404 ? absenceIn(reply) : "said"),
  );
  return "value" in removed && isProven(client, removed.value);
}

/** @throws the refusal, if a login may help */
async function refusedRemoval(
  client: RegistryClient,
  digest: string,
  status: number | undefined,
  refusal: DocsHostingError,
): Promise<RefusedRemoval> {
  const isAboutRights = status === 401 || status === 403;
  if (isAboutRights && client.login.search.place === undefined) throw refusal;
  // with a wrong password, nothing is allowed
  if (status === 401) {
    const call = { method: "GET", to: client.path("manifests", digest), headers: ACCEPT } as const;
    const read = await client.attempt({ ...call, accepted: [200, 404] }, () => undefined);
    if ("refusal" in read) throw refusal;
  }
  return { digest, reason: refusal.message, isGeneral: status === 405 || isAboutRights };
}

/** Reads the manifest of an image. @throws DestinationError when it does not exist; otherwise as {@link getManifest} */
export async function existingManifest(client: RegistryClient, name: string): Promise<Manifest> {
  const manifest = await getManifest(client, name);
  if (manifest) return manifest;
  const separator = isDigest(name) ? "@" : ":";
  throw new DestinationError(
    `there is no image ${repositoryName(client.repository)}${separator}${name}`,
    "Check its name, and that it was pushed to this registry.",
  );
}

/**
 * Checks what a registry did with content.
 *
 * @param found its digest; null if the registry does not tell
 * @throws DestinationError unless it is the requested one
 */
export function checkDigest(
  { repository }: RegistryClient,
  requested: string,
  found: string | null,
  did = "gave",
): void {
  if (found === null || found === requested) return;
  throw new DestinationError(
    `the registry ${did} something else for ${pinned(repository, requested)}: its digest is ${isDigest(found) ? found : "unusable"}`,
    "Something between here and the registry, or the registry's own store, changes content: check both.",
  );
}

/** The media type from the header; without a known one, from the content. */
function mediaTypeOf(header: string | null, bytes: Buffer): string {
  const type = header?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (MANIFEST_TYPES.includes(type)) return type;
  const { mediaType } = fieldsOf(bytes);
  return typeof mediaType === "string" ? mediaType : type;
}
