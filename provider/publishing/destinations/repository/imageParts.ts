import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { isDigest } from "../../../base/runtime/values/digest";
import { parseJson } from "../../../base/runtime/values/json";
import type { Content, Descriptor } from "../../images/registry/content";
import { contentOf, descriptorIn, fieldsOf } from "../../images/registry/content";
import { findBlob } from "../../images/registry/download";
import type { Manifest } from "../../images/registry/manifests";
import type { PreviousLayer } from "../../images/siteImage/previousFiles";
import type { Copy } from "../destination";
import type { RepositoryPlace } from "./repositoryPlace";

/** What the state stores of a copy. */
export interface Parts {
  /** The digests of all its manifests, first the one that users pull. */
  readonly manifests: readonly [string, ...string[]];
  /** The digests of the manifests of its signature and attestations, if it is signed. */
  readonly artifacts?: readonly string[];
  /** The list of its files, which is a blob of the owner's mark. Earlier versions of this package wrote none. */
  readonly files?: Descriptor | undefined;
  /** Its layer with files of the version before, if it has one. */
  readonly previous?: PreviousLayer;
}

/** The digests of all manifests of an image, first the one that users pull: that of its index, or its only one. */
export function manifestsOf(top: string, images: readonly { manifest: Manifest }[]): Parts["manifests"] {
  const digests = new Set(images.map(({ manifest }) => manifest.digest));
  digests.delete(top);
  return [top, ...digests];
}

/**
 * What the state has of a copy. Nothing but digests becomes part of a request.
 *
 * @throws DestinationError when the copy is not one in a registry
 */
export function partsOf({ uri, parts }: Copy): Parts & { readonly artifacts: readonly string[] } {
  const { manifests, artifacts, files, previous } = parts as Partial<Parts>;
  if (!Array.isArray(manifests) || manifests.length === 0 || !manifests.every(isDigest)) {
    throw new DestinationError(
      `the state does not list the manifests of ${uri}`,
      "Run `pulumi up` with another `version`: it makes a new copy.",
    );
  }
  return {
    manifests: manifests,
    artifacts: Array.isArray(artifacts) ? artifacts.filter(isDigest) : [],
    files: descriptorIn(files),
    ...(isDigest(previous?.digest) && { previous }),
  };
}

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
  { client, context }: RepositoryPlace,
  copy: Copy,
): Promise<ReadonlyMap<string, string> | undefined> {
  const { files: list } = partsOf(copy);
  if (list === undefined) return undefined;
  try {
    const bytes = await findBlob(client, list);
    const text = bytes && (await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES }));
    const entries = text && Object.entries(fieldsOf(parseJson(String(text))));
    return entries && new Map(entries.map(([path, sha256]) => [path, String(sha256)]));
  } catch {
    context.signal.throwIfAborted();
    return undefined; // the image says the same
  }
}
