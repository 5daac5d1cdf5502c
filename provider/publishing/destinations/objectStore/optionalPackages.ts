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
 * Checks that all packages of a library are installed, without loading them.
 *
 * @param resolve finds a package, and throws if it is not installed
 * @throws ConfigurationError with the command that installs them
 */
export type VerifyPackages = (resolve?: (name: string) => string) => void;

/** A library that is loaded when it is first used. */
interface LoadedPackages {
  /** Loads a part of it. @throws ConfigurationError with the command that installs it, if it is not installed */
  readonly load: <Part>(load: () => Promise<Part>) => Promise<Part>;
  readonly verify: VerifyPackages;
}

export function optionalPackages({ user, library, names }: OptionalPackages): LoadedPackages {
  const failure = (error: unknown): unknown => {
    const { code } = error as { code?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return error;
    return new ConfigurationError(
      `${user} needs ${library}, which is not installed beside pulumi-docs-hosting`,
      `Run \`npm install ${names.join(" ")}\` in the project's folder.`,
    );
  };
  return {
    load: async (load) => {
      try {
        return await load();
      } catch (error) {
        throw failure(error);
      }
    },
    verify: (resolve = createRequire(__filename).resolve) => {
      try {
        if (!isBundled) names.forEach((name) => resolve(name));
      } catch (error) {
        throw failure(error);
      }
    },
  };
}
