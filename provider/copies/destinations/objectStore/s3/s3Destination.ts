import type { Destination, DestinationContext } from "../../destination";
import { bucketDestination } from "../bucketDestination";
import { bucketUri, type BucketInputs } from "./inputs";
import { loadSdk } from "./sdk";
import { S3Store } from "./s3Store";

/**
 * Copies in a bucket of S3 or of a compatible store. The AWS SDK finds the credentials as AWS's own tools do:
 * environment, profiles, single sign-on, the role of a pod or machine.
 *
 * @param inputs that the rules of {@link BucketInputs} accept
 */
export function s3Destination(inputs: BucketInputs): Destination {
  return bucketDestination({ ...inputs, uri: bucketUri(inputs), open: (context) => openS3(inputs, context) });
}

/** Connects to a bucket. @throws ConfigurationError if the SDK is not installed */
export async function openS3(inputs: BucketInputs, context: DestinationContext): Promise<S3Store> {
  return new S3Store(inputs, await loadSdk(), context);
}
