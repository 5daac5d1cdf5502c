import { createRequire } from "node:module";
import type * as S3 from "@aws-sdk/client-s3";
import type * as Storage from "@aws-sdk/lib-storage";
import type * as Presigner from "@aws-sdk/s3-request-presigner";
import { isBundled } from "../../../../runtime/files/ownText";
import { ConfigurationError } from "../../../../runtime/messages/errors";

/** The packages of the AWS SDK that are used. */
export interface Sdk {
  readonly s3: typeof S3;
  readonly storage: typeof Storage;
  readonly presigner: typeof Presigner;
}

const PACKAGES = ["@aws-sdk/client-s3", "@aws-sdk/lib-storage", "@aws-sdk/s3-request-presigner"];

/**
 * Loads the AWS SDK when a bucket is first used: only users of buckets need it, and loading takes a fifth of a second.
 *
 * @throws ConfigurationError with the command that installs it, if it is not installed
 */
export async function loadSdk(
  load = async (): Promise<Sdk> => ({
    s3: await import("@aws-sdk/client-s3"),
    storage: await import("@aws-sdk/lib-storage"),
    presigner: await import("@aws-sdk/s3-request-presigner"),
  }),
): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    throw sdkFailure(error);
  }
}

/** Checks that all packages of the SDK are installed, without loading them. @throws as {@link loadSdk} */
export function verifySdk(resolve: (name: string) => string = createRequire(__filename).resolve): void {
  if (isBundled) return;
  try {
    for (const name of PACKAGES) resolve(name);
  } catch (error) {
    throw sdkFailure(error);
  }
}

function sdkFailure(error: unknown): unknown {
  const { code } = error as { code?: string };
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return error;
  return new ConfigurationError(
    "a bucket as destination needs the AWS SDK, which is not installed beside pulumi-docs-hosting",
    `Run \`npm install ${PACKAGES.join(" ")}\` in the project's folder.`,
  );
}
