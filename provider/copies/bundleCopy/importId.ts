import { InputError } from "../../base/runtime/messages/errors";
import { ADDITION_NAMES, ADDRESS_FORMS, parseCopyAddress } from "../../publishing/index";
import { variableNameProblem } from "../../resource/inputRules";

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

const EITHER = new Intl.ListFormat("en-GB", { type: "disjunction" });

/**
 * Parses the ID of an import: the output `uri` of the copy, and after `?` the inputs that neither the address nor the copy
 * contains, such as `?domain=docs.example.com&jobId=7f3a`.
 *
 * @throws InputError
 */
export function parseImportId(id: string): ImportId {
  const [, uri = id, query = ""] = /^(.*)\?((?:[A-Za-z]\w*=[^&]*)(?:&[A-Za-z]\w*=[^&]*)*)$/s.exec(id) ?? [];
  const address = parseCopyAddress(uri);
  if (address === undefined) {
    const forms = EITHER.format(ADDRESS_FORMS);
    throw new InputError(
      `${id}: is not the address of a copy. Write the output uri of the copy: ${forms}`,
      "",
    );
  }
  const { kind, name, destination: fields, otherFields } = address;
  const isImage = kind === "repository";
  const allowed = [
    ...SOURCE_FIELDS,
    ...Object.keys(otherFields),
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
    else destination[field] = otherFields[field]?.isJson ? jsonIn(value) : value;
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

/** A value that is not text: the input's rule refuses what is not JSON. */
function jsonIn(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
