import { basename, dirname } from "node:path";
import { ARCHIVE_NAME } from "../archives/format";
import { repositoryProblem } from "../images/registry/reference";
import type { DestinationField } from "./destination";
import { DESTINATION_KINDS, type DestinationKind } from "./inputs";
import { containerIn } from "./objectStore/azure/inputs";

/** A copy, as its address names it. */
interface CopyAddress {
  readonly kind: DestinationKind;
  /** What follows the destination in the address: a file's name, or a digest. */
  readonly name: string;
  /** Fields of the destination that the address contains, unchecked. */
  readonly destination: Readonly<Record<string, unknown>>;
  /** The fields of the destination that no address of its kind contains. */
  readonly otherFields: Readonly<Record<string, DestinationField>>;
}

/** The addresses of copies at a kind of destination. */
interface Addresses {
  /** How they are written, for messages. */
  readonly forms: readonly string[];
  /** The fields of the destination that they contain: no others are given by the import's ID. */
  readonly contain: readonly string[];
  /** @returns the name of the copy, and fields of its destination; undefined for an address of another kind */
  readonly parse: (uri: string) => Pick<CopyAddress, "name" | "destination"> | undefined;
}

const HAS_SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
const IS_DIGEST = /^[0-9a-f]{64}$/;
const SITE = { layout: "site" } as const;

const ADDRESSES: Readonly<Record<DestinationKind, Addresses>> = {
  folder: {
    forms: ["FOLDER/SHA256.tar.gz", "FOLDER/SHA256"],
    contain: ["folder", "layout"],
    parse(uri) {
      const name = basename(uri);
      const isSite = IS_DIGEST.test(name);
      if (HAS_SCHEME.test(uri) || !(isSite || ARCHIVE_NAME.test(name))) return undefined;
      return { name, destination: { folder: dirname(uri), ...(isSite && SITE) } };
    },
  },
  bucket: inBucket("s3://BUCKET", ["bucket"], beginningWith(/^s3:\/\/(?<bucket>[^/#]+)\//)),
  azureContainer: inBucket(
    "https://ACCOUNT.blob.core.windows.net/CONTAINER",
    ["azureContainer", "storageAccount", "endpoint"],
    containerIn,
  ),
  gcsBucket: inBucket("gs://BUCKET", ["gcsBucket"], beginningWith(/^gs:\/\/(?<gcsBucket>[^/#]+)\//)),
  repository: {
    forms: ["REGISTRY/REPOSITORY@sha256:SHA256"],
    contain: ["repository"],
    parse(uri) {
      const [, repository = "", name] = /^([^@]+)@(sha256:[0-9a-f]{64})$/.exec(uri) ?? [];
      if (name === undefined || repositoryProblem(repository) !== undefined) return undefined;
      return { name, destination: { repository } };
    },
  },
};

/** How the address of a copy in a bucket begins, and the fields of the destination that are in it. */
type Beginning = (uri: string) => { readonly begin: string; readonly fields: object } | undefined;

function beginningWith(address: RegExp): Beginning {
  return (uri) => {
    const { 0: begin = "", groups } = address.exec(uri) ?? {};
    return groups && { begin, fields: { ...groups } };
  };
}

/** The addresses in a kind of object storage. @param form of the bucket's own */
function inBucket(form: string, fieldsOfBucket: readonly string[], beginningOf: Beginning): Addresses {
  return {
    forms: [`${form}/PREFIX/SHA256.tar.gz`, `${form}/PREFIX/#sha256:SHA256`],
    contain: [...fieldsOfBucket, "prefix", "layout"],
    parse(uri) {
      const bucket = beginningOf(uri);
      if (bucket === undefined) return undefined;
      const [, prefix, last = ""] = /^(?:(.+)\/)?([^/]+)$/s.exec(uri.slice(bucket.begin.length)) ?? [];
      const fields = { ...bucket.fields, ...(prefix !== undefined && { prefix }) };
      if (ARCHIVE_NAME.test(last)) return { name: last, destination: fields };
      const [, edition] = /^#sha256:([0-9a-f]{64})$/.exec(last) ?? [];
      return edition === undefined ? undefined : { name: edition, destination: { ...fields, ...SITE } };
    },
  };
}

const KINDS = Object.keys(ADDRESSES) as DestinationKind[];

/** How addresses of copies are written, for messages. */
export const ADDRESS_FORMS: readonly string[] = KINDS.flatMap((kind) => ADDRESSES[kind].forms);

/** Parses the address of a copy; `undefined` for another text. */
export function parseCopyAddress(uri: string): CopyAddress | undefined {
  for (const kind of KINDS) {
    const parsed = ADDRESSES[kind].parse(uri);
    if (parsed === undefined) continue;
    const others = Object.entries<DestinationField>(DESTINATION_KINDS[kind]).filter(
      ([field]) => !ADDRESSES[kind].contain.includes(field),
    );
    return { kind, ...parsed, otherFields: Object.fromEntries(others) };
  }
  return undefined;
}
