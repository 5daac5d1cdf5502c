import { parseArgs } from "node:util";
import type { DestinationKind } from "../publishing/index";

/** The command line is wrong. */
export class UsageError extends Error {}

const OPTIONS = {
  domain: { type: "string" },
  job: { type: "string" },
  project: { type: "string" },
  "base-url": { type: "string" },
  "api-key-env": { type: "string" },
  stack: { type: "string" },
  folder: { type: "string" },
  bucket: { type: "string" },
  "azure-container": { type: "string" },
  "storage-account": { type: "string" },
  "gcs-bucket": { type: "string" },
  prefix: { type: "string" },
  endpoint: { type: "string" },
  region: { type: "string" },
  "path-style": { type: "string" },
  encryption: { type: "string" },
  "kms-key-id": { type: "string" },
  repository: { type: "string" },
  base: { type: "string" },
  "plain-http": { type: "boolean", default: false },
  "signing-key-env": { type: "string" },
  start: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
  version: { type: "boolean", default: false },
} as const;

type CommandLine = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;

/** The options of a command line, by their names. */
export type Options = CommandLine["values"];

const EITHER = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** The option that names a destination of each kind. */
const PLACES: Readonly<Record<DestinationKind, keyof Options>> = {
  folder: "folder",
  bucket: "bucket",
  azureContainer: "azure-container",
  gcsBucket: "gcs-bucket",
  repository: "repository",
};

/** Options of every kind of object storage. */
const STORES = ["bucket", "azure-container", "gcs-bucket"];

/** What each option can only be used with. */
const NEEDS: Readonly<Record<string, string | readonly string[]>> = {
  project: "job",
  start: "domain",
  prefix: STORES,
  endpoint: STORES,
  "storage-account": "azure-container",
  region: "bucket",
  "path-style": "bucket",
  encryption: "bucket",
  "kms-key-id": "bucket",
  base: "repository",
  "plain-http": "repository",
  write: Object.values(PLACES),
};

/** Reads the command line. @throws UsageError */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parse(args);
  if (values.help || values.version) return values;
  const [command, ...more] = positionals;
  if (command !== "doctor") {
    throw new UsageError(
      command === undefined ? "give the command: doctor" : `there is no command ${command}`,
    );
  }
  if (more.length > 0) throw new UsageError(`${more.join(" ")} is not an option`);
  const given = new Set(Object.entries(values).flatMap(([name, value]) => (value ? [name] : [])));
  for (const [name, needed] of Object.entries(NEEDS)) {
    const any = [needed].flat();
    if (!given.has(name) || any.some((each) => given.has(each))) continue;
    throw new UsageError(`--${name} needs ${EITHER.format(any.map((each) => `--${each}`))}`);
  }
  return values;
}

function parse(args: readonly string[]): CommandLine {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's advice on positional arguments does not fit: there are none after the command
    throw new UsageError((error as Error).message.replace(/\. To specify a positional argument[^]*$/, ""));
  }
}
