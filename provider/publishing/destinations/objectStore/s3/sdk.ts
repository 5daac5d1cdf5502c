import type * as ClientS3 from "@aws-sdk/client-s3";
import type * as LibStorage from "@aws-sdk/lib-storage";
import type * as Presigner from "@aws-sdk/s3-request-presigner";
import { optionalPackages, type VerifyPackages } from "../optionalPackages";

const AWS = optionalPackages({
  user: "a bucket as destination",
  library: "the AWS SDK",
  names: ["@aws-sdk/client-s3", "@aws-sdk/lib-storage", "@aws-sdk/s3-request-presigner"],
});

/** Checks that all packages of the SDK are installed. */
export const verifyS3Sdk: VerifyPackages = AWS.verify;

/** The packages of the AWS SDK that are used. Two of them are loaded when they are needed: most operations do without. */
export interface S3Sdk {
  readonly s3: typeof ClientS3;
  readonly storage: () => Promise<typeof LibStorage>;
  readonly presigner: () => Promise<typeof Presigner>;
}

const loadPackages = async (): Promise<S3Sdk> => {
  verifyS3Sdk();
  return {
    s3: await import("@aws-sdk/client-s3"),
    storage: () => import("@aws-sdk/lib-storage"),
    presigner: () => import("@aws-sdk/s3-request-presigner"),
  };
};

/** Loads the AWS SDK, which takes a tenth of a second. */
export const loadS3Sdk = (load: () => Promise<S3Sdk> = loadPackages): Promise<S3Sdk> => AWS.load(load);
