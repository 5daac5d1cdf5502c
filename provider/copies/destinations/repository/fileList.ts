import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { parseJson } from "../../../http/reply";
import { contentOf, descriptorIn, fieldsOf, type Content } from "../../../images/registry/content";
import { findBlob } from "../../../images/registry/download";
import type { RegistryClient } from "../../../images/registry/client";
import type { Copy } from "../destination";

/** In a registry, the SHA-256 of each file of an image's site: a later copy is compared with it, and downloads no layer for that. */
const LIST_TYPE = "application/vnd.pulumi-docs-hosting.files.v1+gzip";

/** The size of a list that is read, unpacked, in bytes: of more than 500,000 files. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The list of a site's files, by their paths. Without those that the image adds. */
export async function fileListOf(files: ReadonlyMap<string, string>): Promise<Content> {
  return contentOf(LIST_TYPE, await promisify(gzip)(JSON.stringify(Object.fromEntries(files))));
}

/**
 * Reads the list of a copy. The state has its digest: nobody else could have written it.
 *
 * @returns `undefined` if the copy has none, or the registry has it no longer
 * @throws the signal's reason
 */
export async function findFileList(
  client: RegistryClient,
  { parts }: Copy,
): Promise<ReadonlyMap<string, string> | undefined> {
  const list = descriptorIn(parts["files"]);
  if (list === undefined) return undefined;
  try {
    const bytes = await findBlob(client, list);
    const text = bytes && (await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES }));
    const entries = text && Object.entries(fieldsOf(parseJson(String(text))));
    return entries && new Map(entries.map(([path, sha256]) => [path, String(sha256)]));
  } catch {
    client.context.signal.throwIfAborted();
    return undefined; // the image says the same
  }
}
