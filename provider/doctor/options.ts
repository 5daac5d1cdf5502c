import type { DestinationKind } from "../copies/destinations/inputs";
import { parseArgs, type ParseArgsConfig } from "node:util";

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
} as const satisfies NonNullable<ParseArgsConfig["options"]>;

export type Options = ReturnType<typeof parse>["values"];

/** The text of `--help`. */
export const HELP = `Usage: pulumi-docs-hosting doctor [options]

Checks what \`pulumi up\` needs, and prints a line for each check: ok, warning, or failure with what to do.
It starts no job without --start, and writes nothing to a destination without --write.
In the folder of a Pulumi project it reads the configuration of the stack with the Pulumi CLI.

What is checked besides versions, configuration, network, clock, key and folders:
  --domain NAME           the site
  --job ID                this export job; with --project, this job of an agent
  --project ID            the project of the agent's job
  --folder PATH           a destination of copies or kits: this folder
  --bucket NAME           this bucket, with --prefix TEXT, --endpoint URL, --region NAME,
                          --path-style true|false, --encryption NAME and --kms-key-id ID
  --azure-container NAME  this container, with --storage-account NAME, --prefix TEXT and
                          --endpoint URL
  --gcs-bucket NAME       this bucket of Google Cloud Storage, with --prefix TEXT and --endpoint URL
  --repository HOST/PATH  this repository of a registry, with --base IMAGE and --plain-http
  --signing-key-env NAME  the private key in this environment variable

  --start                 start an export of --domain: shows whether plan and key permit it
  --write                 write something small to each destination, and remove it

Configuration:
  --stack NAME            the stack whose configuration is read. Default: the selected stack
  --base-url URL          as the input baseUrl of a resource
  --api-key-env NAME      as the input apiKeyEnv of a resource

  --json                  print JSON
  --version               print the version of the package
  -h, --help              print this text

Exit status: 0 if no check failed (warnings are no failures), 1 if one failed, 2 for a wrong command line.
`;

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
  const places = Object.values(PLACES);
  if (values.write && !places.some((name) => given.has(name))) {
    throw new UsageError(`--write needs ${EITHER.format(places.map((name) => `--${name}`))}`);
  }
  return values;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's advice on positional arguments does not fit: there are none after the command
    throw new UsageError((error as Error).message.replace(/\. To specify a positional argument[^]*$/, ""));
  }
}
