import { createRequire } from "node:module";
import { isBundled } from "../../../../runtime/files/ownText";
import { ConfigurationError } from "../../../../runtime/messages/errors";

const loadLibrary = () => import("@google-cloud/storage");
export type Sdk = Awaited<ReturnType<typeof loadLibrary>>;

const PACKAGE = "@google-cloud/storage";

/**
 * Loads Google's library when a bucket is first used.
 *
 * @throws ConfigurationError with the command that installs it, if it is not installed
 */
export async function loadSdk(load: () => Promise<Sdk> = loadLibrary): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    throw sdkFailure(error);
  }
}

/** Checks that the library is installed, without loading it. @throws as {@link loadSdk} */
export function verifySdk(resolve: (name: string) => string = createRequire(__filename).resolve): void {
  if (isBundled) return;
  try {
    resolve(PACKAGE);
  } catch (error) {
    throw sdkFailure(error);
  }
}

function sdkFailure(error: unknown): unknown {
  const { code } = error as { code?: string };
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return error;
  return new ConfigurationError(
    "a bucket of Google Cloud Storage needs Google's library, which is not installed beside pulumi-docs-hosting",
    `Run \`npm install ${PACKAGE}\` in the project's folder.`,
  );
}
