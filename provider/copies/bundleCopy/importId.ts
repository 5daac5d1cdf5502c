import { basename, dirname } from "node:path";
import { InputError } from "../../runtime/messages/errors";
import { DESTINATION_KINDS } from "../destinations/inputs";
import { variableNameProblem } from "../../resource/serviceInputs";
import { repositoryProblem } from "../../images/registry/reference";

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
  /** The input `offlineSearch`, unchecked. Only of a site. */
  readonly offlineSearch?: unknown;
  /** The input `signingKeyEnv`. Only of an image. */
  readonly signingKeyEnv?: string;
}

const SOURCE_FIELDS = ["domain", "jobId", "version", "file", "baseUrl", "apiKeyEnv"];
/** Fields of destinations that are no text. */
const NO_TEXT = ["plainHttp", "pathStyle", "maxPreviousBytes"];
const SEARCH = "offlineSearch";
const SIGNING_KEY = "signingKeyEnv";

const FORMS =
  "Write the output uri of the copy: FOLDER/SHA256.tar.gz, FOLDER/SHA256, s3://BUCKET/PREFIX/SHA256.tar.gz, " +
  "s3://BUCKET/PREFIX/#sha256:SHA256 or REGISTRY/REPOSITORY@sha256:SHA256";

/**
 * Parses the ID of an import: the output `uri` of the copy, and after `?` the inputs that neither the address nor the copy
 * contains, such as `?domain=docs.example.com&jobId=7f3a`.
 *
 * @throws InputError
 */
export function parseImportId(id: string): ImportId {
  const [, uri = id, query = ""] = /^(.*)\?((?:[A-Za-z]\w*=[^&]*)(?:&[A-Za-z]\w*=[^&]*)*)$/s.exec(id) ?? [];
  const place = placeOf(uri);
  if (place === undefined) {
    throw new InputError(`${id}: is not the address of a copy. ${FORMS}`, "");
  }
  const { kind, name, fields } = place;
  const isSite = kind === "repository" || fields["layout"] === "site";
  const destinationFields = Object.keys(DESTINATION_KINDS[kind] ?? {}).filter(
    (field) => !["folder", "bucket", "prefix", "repository", "layout"].includes(field),
  );
  const allowed = [
    ...SOURCE_FIELDS,
    ...destinationFields,
    ...(isSite ? [SEARCH] : []),
    ...(kind === "repository" ? [SIGNING_KEY] : []),
  ];
  const source: Record<string, string> = {};
  const destination: Record<string, unknown> = { ...fields };
  const inputs: { offlineSearch?: unknown; signingKeyEnv?: string } = {};
  for (const [field, value] of fieldsIn(query, id)) {
    if (!allowed.includes(field)) {
      throw new InputError(`${id}: there is no field ${field}. Fields are: ${allowed.join(", ")}`, "");
    }
    if (SOURCE_FIELDS.includes(field)) source[field] = value;
    else if (field === SEARCH) inputs.offlineSearch = jsonIn(value);
    else if (field === SIGNING_KEY) inputs.signingKeyEnv = signingKeyIn(value, uri);
    else destination[field] = NO_TEXT.includes(field) ? jsonIn(value) : value;
  }
  return { uri, name, source, destination, ...inputs };
}

interface Place {
  readonly kind: "folder" | "bucket" | "repository";
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function placeOf(uri: string): Place | undefined {
  if (uri.startsWith("s3://")) {
    const [, bucket, prefix, file, edition] =
      /^s3:\/\/([^/#]+)\/(?:(.+)\/)?(?:([0-9a-f]{64}\.(?:tar\.gz|zip))|#sha256:([0-9a-f]{64}))$/s.exec(uri) ??
      [];
    const name = file ?? edition;
    if (name === undefined) return undefined;
    const layout = file === undefined && { layout: "site" };
    return { kind: "bucket", name, fields: { bucket, ...(prefix !== undefined && { prefix }), ...layout } };
  }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(uri)) return undefined; // no folder of this machine
  const name = basename(uri);
  if (/^[0-9a-f]{64}(?:\.tar\.gz|\.zip)?$/.test(name)) {
    const layout = !name.includes(".") && { layout: "site" };
    return { kind: "folder", name, fields: { folder: dirname(uri), ...layout } };
  }
  const [, repository = "", digest] = /^([^@]+)@(sha256:[0-9a-f]{64})$/.exec(uri) ?? [];
  if (digest === undefined || repositoryProblem(repository) !== undefined) return undefined;
  return { kind: "repository", name: digest, fields: { repository } };
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
