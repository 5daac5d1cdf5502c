/** The subject of a statement, or a material, see https://github.com/in-toto/attestation. */
export interface ResourceDescriptor {
  readonly name?: string;
  readonly uri?: string;
  readonly digest?: { readonly sha256: string };
}

/** A statement of in-toto, version 1. */
export interface Statement {
  readonly _type: "https://in-toto.io/Statement/v1";
  readonly subject: readonly ResourceDescriptor[];
  readonly predicateType: string;
  readonly predicate: unknown;
}

/** The hexadecimal digits of a digest. @param digest `sha256:…` */
export function sha256In(digest: string): string {
  return digest.slice(digest.indexOf(":") + 1);
}
