import { DestinationError } from "../messages/errors";
import { contentOf, fieldsOf, type Content } from "./content";
import { wholeBody } from "./exchange";
import { readUnwanted, registryReason } from "./failedRequest";
import { MANIFEST_TYPES } from "./mediaTypes";
import { isDigest, pinned, repositoryName } from "./reference";
import type { RegistrySession } from "./session";

/** A manifest or an index, with the exact bytes of its digest. */
export type Manifest = Content;

const ACCEPT = { accept: MANIFEST_TYPES.join(", ") };

/**
 * Finds the digest that a tag or digest refers to.
 *
 * @returns undefined when the manifest does not exist
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function findManifest(session: RegistrySession, name: string): Promise<string | undefined> {
  const found = await session.send(
    { method: "HEAD", to: session.path("manifests", name), headers: ACCEPT, accepted: [200, 404] },
    ({ status, headers }) => (status === 404 ? null : (headers.get("docker-content-digest") ?? "")),
  );
  if (found === null) return undefined;
  if (isDigest(name)) return name;
  // the header may be missing: then the bytes give the digest
  return isDigest(found) ? found : (await getManifest(session, name))?.digest;
}

/**
 * Reads a manifest, and verifies its bytes against the requested digest and the registry's header.
 *
 * @returns undefined when the manifest does not exist
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function getManifest(session: RegistrySession, name: string): Promise<Manifest | undefined> {
  return session.send(
    { method: "GET", to: session.path("manifests", name), headers: ACCEPT, accepted: [200, 404] },
    async (reply) => {
      if (reply.status === 404) return undefined;
      const bytes = await wholeBody(reply);
      const manifest = contentOf(mediaTypeOf(reply.headers.get("content-type"), bytes), bytes);
      const announced = reply.headers.get("docker-content-digest");
      for (const promised of [isDigest(name) ? name : undefined, announced ?? undefined]) {
        if (promised !== undefined && promised !== manifest.digest) {
          throw otherBytes(pinned(session.repository, promised), manifest.digest);
        }
      }
      return manifest;
    },
  );
}

/**
 * Stores a manifest under its digest or under a tag, unless it is already there.
 *
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function putManifest(
  session: RegistrySession,
  manifest: Manifest,
  name = manifest.digest,
): Promise<void> {
  if ((await findManifest(session, name)) === manifest.digest) return;
  await session.send(
    {
      method: "PUT",
      to: session.path("manifests", name),
      headers: { "content-type": manifest.mediaType },
      body: () => manifest.bytes,
      accepted: [200, 201],
    },
    ({ headers }) => {
      const announced = headers.get("docker-content-digest");
      if (announced !== null && announced !== manifest.digest) {
        throw otherBytes(pinned(session.repository, manifest.digest), announced);
      }
    },
  );
}

/**
 * Removes a manifest, with all tags that refer to it. One that is already gone is not an error.
 *
 * @returns `false` when the registry has deletion disabled
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function deleteManifest(session: RegistrySession, digest: string): Promise<boolean> {
  return session.send(
    { method: "DELETE", to: session.path("manifests", digest), accepted: [200, 202, 204, 400, 404, 405] },
    async (reply) => {
      if (reply.status < 300 || reply.status === 404) return true;
      const { codes, summary } = registryReason((await readUnwanted(reply)).text);
      if (reply.status === 405 || codes.includes("UNSUPPORTED")) return false;
      throw new DestinationError(
        `the registry ${session.repository.host} did not remove ${pinned(session.repository, digest)}: ${summary}`,
        "See the registry's message, or remove it there.",
      );
    },
  );
}

/** Reads the manifest of an image. @throws DestinationError when it does not exist; otherwise as {@link getManifest} */
export async function existingManifest(session: RegistrySession, name: string): Promise<Manifest> {
  const manifest = await getManifest(session, name);
  if (manifest) return manifest;
  const separator = isDigest(name) ? "@" : ":";
  throw new DestinationError(
    `there is no image ${repositoryName(session.repository)}${separator}${name}`,
    "Check its name, and that it was pushed to this registry.",
  );
}

/** The error for content whose digest is not the requested one. */
export function otherBytes(what: string, digest: string): DestinationError {
  return new DestinationError(
    `the registry gave something else for ${what}: its digest is ${isDigest(digest) ? digest : "unusable"}`,
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
