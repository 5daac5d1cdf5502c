// What a class checks before it registers anything.
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type * as dynamic from "../provider/dynamic";
import { HANDLER_MODULE } from "./handler";
import { isConfigSecret, runsInCli, runsInComponentPackage } from "./pulumiSdk";

/** The folder that Pulumi started the program in: the program may change it later, the provider's process does not follow. */
const PROGRAM_FOLDER = process.cwd();

/** How each resource gets what exists already, in place of the option `import`. */
const INSTEAD_OF_IMPORT: Readonly<Record<keyof typeof dynamic, string>> = {
  StaticExport:
    "Remove `import`, and set the input `jobId` to the ID of the export's job: `pulumi up` adopts the job and starts none. " +
    "Or import it with the native plugin: `pulumi import docs-hosting:index:StaticExport NAME DOMAIN/JOB`.",
  AgentJob:
    "Remove `import`: the class only reads the job, and starts and changes nothing. " +
    "Or import it with the native plugin: `pulumi import docs-hosting:index:AgentJob NAME PROJECT/JOB`.",
  BundleCopy:
    "Remove `import`, and declare the copy with all its inputs: `pulumi up` takes over a copy of the same content and uploads nothing. " +
    "Or import it with the native plugin: `pulumi import docs-hosting:index:BundleCopy NAME URI`.",
  AirGapKit:
    "Remove `import`, and declare the kit with all its inputs: `pulumi up` takes over a kit of the same content in the folder. " +
    "A kit cannot be imported, because it does not contain its inputs.",
};

/**
 * Refuses the option `import`: Pulumi asks a dynamic provider to read by the id alone, without the text that finds the provider.
 *
 * @throws RunError
 */
export function refuseImport(
  kind: keyof typeof dynamic,
  name: string,
  { import: id }: pulumi.CustomResourceOptions,
): void {
  if (!id) return;
  throw new pulumi.RunError(
    `${kind} "${name}": the resource option \`import\` does not work with the classes of pulumi-docs-hosting, because Pulumi passes only ` +
      `the ID to a dynamic provider. This resource was not registered, and nothing was sent. ${INSTEAD_OF_IMPORT[kind]}`,
  );
}

/**
 * Refuses a class in a component package: Pulumi runs dynamic providers only for the program itself.
 *
 * @throws RunError
 */
export function refuseComponentPackage(
  kind: keyof typeof dynamic,
  name: string,
  isPackage: boolean = runsInComponentPackage(),
): void {
  if (!isPackage) return;
  throw new pulumi.RunError(
    `${kind} "${name}": the classes of pulumi-docs-hosting do not work in a component package, because Pulumi runs their provider only ` +
      "for a program. Nothing was registered, and nothing was sent. Use the resources of the native plugin in the package: run " +
      "`pulumi package add ./node_modules/pulumi-docs-hosting/plugin`, and import them from the SDK that it writes.",
  );
}

/**
 * Checks that Pulumi's provider process will find the package: it looks from the program's folder, not from the file that imported
 * the class. Other hosts than the CLI are not checked: they start the provider in a folder that the program cannot know.
 *
 * @throws RunError
 */
export function checkPackageIsFound(folder: string = PROGRAM_FOLDER, isCli: boolean = runsInCli()): void {
  if (!isCli) return;
  try {
    createRequire(join(folder, "_")).resolve(HANDLER_MODULE);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new pulumi.RunError(
      `the package pulumi-docs-hosting cannot be loaded from ${folder}, the folder of the program (${code}). Pulumi runs the provider ` +
        "there. No resource of the package was registered, and nothing was sent. The package must be a direct dependency of the " +
        "program, not only of one of its dependencies or of the root of a pnpm workspace: add it to the package.json of that folder with the " +
        `program's package manager, such as \`npm install pulumi-docs-hosting\` or \`pnpm add pulumi-docs-hosting\`, and repeat the command.`,
    );
  }
}

/** Configuration key of the admin API key. */
const API_KEY_CONFIG = "docs-hosting:adminApiKey";

/** Programs that were warned: one process may run several. */
const warned = new Set<string>();

/** Warns once per program about an API key that the stack's configuration holds in plain text. */
export function warnOfPlainKey(): void {
  if (pulumi.runtime.getConfig(API_KEY_CONFIG) === undefined || isConfigSecret(API_KEY_CONFIG)) return;
  const program = `${pulumi.getProject()}/${pulumi.getStack()}`;
  if (warned.has(program)) return;
  warned.add(program);
  void pulumi.log.warn(
    `the configuration ${API_KEY_CONFIG} holds the admin API key in plain text, readable in the stack's settings file. ` +
      `Make a new key, and set it with \`pulumi config set --secret ${API_KEY_CONFIG}\`.`,
  );
}
