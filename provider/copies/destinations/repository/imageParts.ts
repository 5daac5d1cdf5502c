import { isDigest } from "../../../images/registry/reference";
import { DestinationError } from "../../../runtime/messages/errors";
import type { Descriptor } from "../../../images/registry/content";
import type { Copy } from "../destination";
import { type PreviousLayer } from "../../../images/siteImage/previousFiles";

/** What the state stores of a copy. */
export interface Parts {
  /** The digests of all its manifests, first the one that users pull. */
  readonly manifests: readonly string[];
  /** The digests of the manifests of its signature and attestations, if it is signed. */
  readonly artifacts?: readonly string[];
  /** The list of its files, which is a blob of the owner's mark. Earlier versions of this package wrote none. */
  readonly files?: Descriptor;
  /** Its layer with files of the version before, if it has one. */
  readonly previous?: PreviousLayer;
}

/** The digests of all manifests of a copy, first the one that users pull. @throws DestinationError when the copy is not one in a registry */
export function manifestsOf({ uri, parts }: Copy): readonly string[] {
  const { manifests } = parts as Partial<Parts>;
  if (!Array.isArray(manifests) || manifests.length === 0 || !manifests.every(isDigest)) {
    throw new DestinationError(
      `the state does not list the manifests of ${uri}`,
      "Run `pulumi up` with another `version`: it makes a new copy.",
    );
  }
  return manifests;
}

/** The digests of the manifests of its signature and attestations. */
export function artifactsIn({ parts }: Copy): readonly string[] {
  const { artifacts } = parts as Partial<Parts>;
  return Array.isArray(artifacts) ? artifacts.filter(isDigest) : [];
}
