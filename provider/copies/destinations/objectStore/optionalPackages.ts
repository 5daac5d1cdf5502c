import { createRequire } from "node:module";
import { isBundled } from "../../../runtime/files/ownText";
import { ConfigurationError } from "../../../runtime/messages/errors";

/** A store's library: only users of the store install it. */
export interface OptionalPackages {
  /** What needs it, for messages: `a bucket as destination`. */
  readonly user: string;
  /** What it is called: `the AWS SDK`. */
  readonly library: string;
  readonly names: readonly string[];
}

/**
 * Loads a library when it is first used.
 *
 * @throws ConfigurationError with the command that installs it, if it is not installed
 */
export async function loadPackages<T>(packages: OptionalPackages, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw packageFailure(packages, error);
  }
}

/** Checks that all packages are installed, without loading them. @throws as {@link loadPackages} */
export function verifyPackages(
  packages: OptionalPackages,
  resolve: (name: string) => string = createRequire(__filename).resolve,
): void {
  if (isBundled) return;
  try {
    for (const name of packages.names) resolve(name);
  } catch (error) {
    throw packageFailure(packages, error);
  }
}

function packageFailure({ user, library, names }: OptionalPackages, error: unknown): unknown {
  const { code } = error as { code?: string };
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return error;
  return new ConfigurationError(
    `${user} needs ${library}, which is not installed beside pulumi-docs-hosting`,
    `Run \`npm install ${names.join(" ")}\` in the project's folder.`,
  );
}
