import {
  ADDITION_NAMES,
  ARCHIVE_NAME,
  containerIn,
  DESTINATION_KINDS,
  type DestinationField,
  type DestinationKind,
  repositoryProblem,
} from "../../publishing/index";
import { basename, dirname } from "node:path";
import { InputError } from "../../base/runtime/messages/errors";
import { variableNameProblem } from "../../resource/serviceInputs";

/** A copy to import, as its ID names it. */
export interface ImportId {
  /** The address of the copy: the output `uri`. */
  readonly uri: string;
  /** What follows the destination in the address: a file's name, or a digest. */
  readonly name: string;
  /** Fields of the input `source`, unchecked. */
  readonly source: Readonly<Record<string, string>>;
  /** Fields of the input `destination`, unchecked. */
  readonly destination: Readonly<Record<string, unknown>>;
  /** The inputs of what was added, unchecked, by their names. Only of a site. */
  readonly additions: Readonly<Record<string, unknown>>;
  /** The input `signingKeyEnv`. Only of an image. */
  readonly signingKeyEnv?: string;
}

const SOURCE_FIELDS = ["domain", "jobId", "version", "file", "baseUrl", "apiKeyEnv"];
const ADDITIONS: readonly string[] = ADDITION_NAMES;
const SIGNING_KEY = "signingKeyEnv";

/** The addresses of copies at a kind of destination. */
interface Addresses {
  /** How they are written, for messages. */
  readonly forms: readonly string[];
  /** The fields of the destination that they contain: no others are given by the import's ID. */
  readonly contain: readonly string[];
  /** @returns the name of the copy, and fields of its destination; undefined for an address of another kind */
  readonly parse: (uri: string) => Pick<ImportId, "name" | "destination"> | undefined;
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
const EITHER = new Intl.ListFormat("en-GB", { type: "disjunction" });

/**
 * Parses the ID of an import: the output `uri` of the copy, and after `?` the inputs that neither the address nor the copy
 * contains, such as `?domain=docs.example.com&jobId=7f3a`.
 *
 * @throws InputError
 */
export function parseImportId(id: string): ImportId {
  const [, uri = id, query = ""] = /^(.*)\?((?:[A-Za-z]\w*=[^&]*)(?:&[A-Za-z]\w*=[^&]*)*)$/s.exec(id) ?? [];
  const kind = KINDS.find((each) => ADDRESSES[each].parse(uri));
  const place = kind && ADDRESSES[kind].parse(uri);
  if (kind === undefined || place === undefined) {
    const forms = EITHER.format(KINDS.flatMap((each) => ADDRESSES[each].forms));
    throw new InputError(
      `${id}: is not the address of a copy. Write the output uri of the copy: ${forms}`,
      "",
    );
  }
  const { name, destination: fields } = place;
  const isImage = kind === "repository";
  const rows: Readonly<Record<string, DestinationField>> = DESTINATION_KINDS[kind];
  const allowed = [
    ...SOURCE_FIELDS,
    ...Object.keys(rows).filter((field) => !ADDRESSES[kind].contain.includes(field)),
    ...(isImage || fields["layout"] === "site" ? ADDITIONS : []),
    ...(isImage ? [SIGNING_KEY] : []),
  ];
  const source: Record<string, string> = {};
  const destination: Record<string, unknown> = { ...fields };
  const additions: Record<string, unknown> = {};
  const inputs: { signingKeyEnv?: string } = {};
  for (const [field, value] of fieldsIn(query, id)) {
    if (!allowed.includes(field)) {
      throw new InputError(`${id}: there is no field ${field}. Fields are: ${allowed.join(", ")}`, "");
    }
    if (SOURCE_FIELDS.includes(field)) source[field] = value;
    else if (ADDITIONS.includes(field)) additions[field] = jsonIn(value);
    else if (field === SIGNING_KEY) inputs.signingKeyEnv = signingKeyIn(value, uri);
    else destination[field] = rows[field]?.isJson ? jsonIn(value) : value;
  }
  return { uri, name, source, destination, additions, ...inputs };
}

function fieldsIn(query: string, id: string): [name: string, value: string][] {
  if (query === "") return [];
  return query.split("&").map((field) => {
    const [name = "", ...rest] = field.split("=");
    try {
      return [name, decodeURIComponent(rest.join("="))];
    } catch {
      throw new InputError(`${id}: the value of ${name} is not percent-encoded`, "");
    }
  });
}

/** The name of a variable. An error does not contain another value: it could be the key itself. @throws InputError */
function signingKeyIn(value: string, uri: string): string {
  const problem = variableNameProblem(value);
  if (problem === undefined) return value;
  throw new InputError(`${uri}: cannot be imported: ${SIGNING_KEY} ${problem}`, "");
}

/** A value that is no text: the input's rule refuses what is not JSON. */
function jsonIn(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
