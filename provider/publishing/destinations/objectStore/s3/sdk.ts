import { optionalPackages } from "../optionalPackages";

const AWS = optionalPackages({
  user: "a bucket as destination",
  library: "the AWS SDK",
  names: ["@aws-sdk/client-s3", "@aws-sdk/lib-storage", "@aws-sdk/s3-request-presigner"],
});

/** Checks that all packages of the SDK are installed. */
export const verifyS3Sdk = AWS.verify;

/** The packages of the AWS SDK that are used. Two of them are loaded when they are needed: most operations do without. */
export type S3Sdk = Awaited<ReturnType<typeof loadPackages>>;

const loadPackages = async () => {
  verifyS3Sdk();
  return {
    s3: await import("@aws-sdk/client-s3"),
    storage: () => import("@aws-sdk/lib-storage"),
    presigner: () => import("@aws-sdk/s3-request-presigner"),
  };
};

/** Loads the AWS SDK, which takes a tenth of a second. */
export const loadS3Sdk = (load = loadPackages): Promise<S3Sdk> => AWS.load(load);
