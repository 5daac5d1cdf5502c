import { createRequire } from "node:module";
import { isBundled } from "../../../base/runtime/files/packageText";
import { ConfigurationError } from "../../../base/runtime/messages/errors";

/** A store's library: only users of the store install it. */
interface OptionalPackages {
  /** What needs it, for messages: `a bucket as destination`. */
  readonly user: string;
  /** What it is called: `the AWS SDK`. */
  readonly library: string;
  readonly names: readonly string[];
}

/**
 * Loads a library when it is first used.
 *
 * @returns `load` loads a part of it; `verify` checks that all packages are installed, without loading them. Both throw a
 *   ConfigurationError with the command that installs it, if it is not installed
 */
export function optionalPackages({ user, library, names }: OptionalPackages) {
  const failure = (error: unknown): unknown => {
    const { code } = error as { code?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return error;
    return new ConfigurationError(
      `${user} needs ${library}, which is not installed beside pulumi-docs-hosting`,
      `Run \`npm install ${names.join(" ")}\` in the project's folder.`,
    );
  };
  return {
    load: async <Part>(load: () => Promise<Part>): Promise<Part> => {
      try {
        return await load();
      } catch (error) {
        throw failure(error);
      }
    },
    verify: (resolve: (name: string) => string = createRequire(__filename).resolve): void => {
      try {
        if (!isBundled) names.forEach((name) => resolve(name));
      } catch (error) {
        throw failure(error);
      }
    },
  };
}
