import type * as S3 from "@aws-sdk/client-s3";
import type * as Storage from "@aws-sdk/lib-storage";
import type * as Presigner from "@aws-sdk/s3-request-presigner";
import { loadPackages, verifyPackages } from "../optionalPackages";

/** The packages of the AWS SDK that are used. Two of them are loaded when they are needed: most operations do without. */
export interface Sdk {
  readonly s3: typeof S3;
  readonly storage: () => Promise<typeof Storage>;
  readonly presigner: () => Promise<typeof Presigner>;
}

const PACKAGES = {
  user: "a bucket as destination",
  library: "the AWS SDK",
  names: ["@aws-sdk/client-s3", "@aws-sdk/lib-storage", "@aws-sdk/s3-request-presigner"],
};

/** Loads the AWS SDK, which takes a tenth of a second. @throws as {@link loadPackages} */
export function loadSdk(
  load = async (): Promise<Sdk> => {
    verifySdk();
    return {
      s3: await import("@aws-sdk/client-s3"),
      storage: () => import("@aws-sdk/lib-storage"),
      presigner: () => import("@aws-sdk/s3-request-presigner"),
    };
  },
): Promise<Sdk> {
  return loadPackages(PACKAGES, load);
}

/** Checks that all packages of the SDK are installed. @throws as {@link verifyPackages} */
export function verifySdk(resolve?: (name: string) => string): void {
  verifyPackages(PACKAGES, resolve);
}
