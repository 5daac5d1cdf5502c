import { isDeepStrictEqual } from "node:util";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { hasFields } from "../../base/runtime/values/fields";
import type { DestinationChange, DestinationField, FieldsOfKind } from "./destination";
import { FOLDER_FIELDS, type FolderInputs, folderPlaces } from "./folder/inputs";
import { AZURE_FIELDS, type AzureContainerInputs } from "./objectStore/azure/inputs";
import { GCS_FIELDS, type GcsInputs } from "./objectStore/gcs/inputs";
import { BUCKET_FIELDS, type BucketInputs } from "./objectStore/s3/inputs";
import { REPOSITORY_FIELDS, type RepositoryInputs } from "./repository/inputs";

/** The inputs of each kind of destination, by the field that selects it. */
interface InputsByKind {
  readonly folder: FolderInputs;
  readonly bucket: BucketInputs;
  readonly azureContainer: AzureContainerInputs;
  readonly gcsBucket: GcsInputs;
  readonly repository: RepositoryInputs;
}

/** A kind of destination. For a further one, the compiler names every table that needs a row. */
export type DestinationKind = keyof InputsByKind;

/**
 * A destination of copies, as the user writes it. The field that is given (folder, bucket, azureContainer, gcsBucket or repository)
 * selects the kind.
 */
export type DestinationInputs = InputsByKind[DestinationKind];

/** The fields of each kind of destination. */
export const DESTINATION_KINDS: {
  readonly [Kind in DestinationKind]: FieldsOfKind<InputsByKind[Kind]>;
} = {
  folder: FOLDER_FIELDS,
  bucket: BUCKET_FIELDS,
  azureContainer: AZURE_FIELDS,
  gcsBucket: GCS_FIELDS,
  repository: REPOSITORY_FIELDS,
};

const KINDS = Object.keys(DESTINATION_KINDS) as DestinationKind[];

/** What is done with a destination of each kind. */
export type ForEachKind<Result> = {
  readonly [Kind in DestinationKind]: (destination: InputsByKind[Kind]) => Result;
};

/** Does with a known destination what is done with one of its kind. */
export function forItsKind<Result>(destination: DestinationInputs, table: ForEachKind<Result>): Result {
  const act = table[kindOf(destination)] as (destination: DestinationInputs) => Result;
  return act(destination);
}

/** Checks a destination, and normalises it for the state: defaults filled in, absent fields left out. */
export function checkDestination(
  value: unknown,
): { value: DestinationInputs } | { at?: string; problem: string } {
  const oneOf = `must be an object with one of ${KINDS.join(", ")}`;
  if (!hasFields(value)) return { problem: oneOf };
  const given = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  const kinds = KINDS.filter((kind) => given.some(([field]) => field === kind));
  const [name] = kinds;
  if (name === undefined) return { problem: oneOf };
  const kind: Readonly<Record<string, DestinationField>> = DESTINATION_KINDS[name];
  if (kinds.length > 1) {
    return { problem: `${oneOf}, not ${kinds.join(" and ")}: declare a copy for each destination` };
  }
  const foreign = given.find(([field]) => !Object.hasOwn(kind, field))?.[0];
  if (foreign !== undefined) {
    const fields = Object.keys(kind).join(", ");
    return { at: foreign, problem: `there is no such field for a ${name}. Fields are: ${fields}` };
  }
  const missing = Object.entries(kind).find(
    ([field, { isRequired }]) => isRequired && !given.some(([each]) => each === field),
  )?.[0];
  if (missing !== undefined) return { at: missing, problem: `must be given with ${name}` };
  const inputs: Record<string, unknown> = {};
  for (const [field, row] of Object.entries(kind)) if ("default" in row) inputs[field] = row.default;
  for (const [field, each] of given) inputs[field] = kind[field]?.normal?.(each) ?? each;
  const known = Object.fromEntries(Object.entries(inputs).filter(([, each]) => !isUnknown(each)));
  for (const [field, { problem }] of Object.entries(kind)) {
    const wrong = field in known ? problem(known[field], known) : undefined;
    if (wrong !== undefined) return { at: field, problem: wrong };
  }
  return { value: inputs as unknown as DestinationInputs };
}

/** The identity of a destination, as plain values that are the same in every run. */
export function destinationKey(destination: DestinationInputs): unknown {
  return identityOf(destination, ({ key }) => key);
}

/** The identity of a destination as far as this machine can tell. Comparable only now: a link may lead elsewhere later. */
export function destinationPlace(destination: DestinationInputs): unknown {
  return identityOf(destination, ({ place, key }) => place ?? key);
}

function identityOf(destination: DestinationInputs, by: (row: DestinationField) => Key): unknown {
  if (isUnknown(destination)) return destination;
  const kind = kindOf(destination);
  const rows = rowsOf(kind).filter(([, { change }]) => change === "replaces");
  return [kind, ...rows.map(([field, row]) => keyOf(destination, field, by(row)) ?? null)];
}

/**
 * What identifies the place of a destination that belongs to one resource: a folder, or a bucket with its prefix, in whatever layout; of a
 * repository only the tag that users pull. None while the place is not known.
 */
export function placesOf(destination: DestinationInputs): readonly string[] {
  if (isUnknown(destination)) return [];
  const bucketPlaces = (): string[] => {
    const kind = kindOf(destination);
    const rows = rowsOf(kind).filter(([field, { change }]) => change === "replaces" && field !== "layout");
    const values = rows.map(([field, { key }]) => keyOf(destination, field, key) ?? "");
    return values.some(isUnknown) ? [] : [JSON.stringify([kind, ...values])];
  };
  return forItsKind(destination, {
    folder: ({ folder }) => folderPlaces(folder),
    bucket: bucketPlaces,
    azureContainer: bucketPlaces,
    gcsBucket: bucketPlaces,
    repository: ({ repository, tag }) => {
      const name = keyOf(destination, "repository", DESTINATION_KINDS.repository.repository.key);
      return tag === undefined || isUnknown(tag) || isUnknown(repository)
        ? []
        : [JSON.stringify(["tag", name, tag])];
    },
  });
}

/** How a program gives a destination a place of its own, below this one. @param name of the resource */
export function ownPlaceOf(destination: DestinationInputs, name: string): string {
  const below = (place: string): string =>
    JSON.stringify(`${place.replace(/[\\/]+$/, "")}/${name}`.replace(/^\//, ""));
  if ("folder" in destination) {
    return `\`folder: ${JSON.stringify(`${destination.folder.replace(/[\\/]+$/, "")}/${name}`)}\``;
  }
  if ("repository" in destination) return `\`tag: ${JSON.stringify(name)}\``;
  const { prefix = "" } = destination as { prefix?: string };
  return `\`prefix: ${below(prefix)}\``;
}

/** The effect of a changed destination. */
export function destinationChange(before: DestinationInputs, now: DestinationInputs): DestinationChange {
  if (!isDeepStrictEqual(destinationPlace(before), destinationPlace(now))) return "replaces";
  const changes = rowsOf(kindOf(now))
    .filter(([field, { key }]) => !isDeepStrictEqual(keyOf(before, field, key), keyOf(now, field, key)))
    .map(([, { change }]) => change);
  return (["content", "link"] as const).find((change) => changes.includes(change)) ?? "none";
}

type Key = DestinationField["key"];

function keyOf(destination: DestinationInputs, field: string, key: Key = (value) => value): unknown {
  const { [field]: value } = destination as unknown as Readonly<Record<string, unknown>>;
  return isUnknown(value) ? value : key(value);
}

const rowsOf = (kind: DestinationKind): [name: string, field: DestinationField][] =>
  Object.entries(DESTINATION_KINDS[kind]);

function kindOf(destination: DestinationInputs): DestinationKind {
  const found = KINDS.find((kind) => Object.hasOwn(destination, kind));
  if (found === undefined) throw new TypeError("a destination of no kind"); // the check refuses it
  return found;
}
