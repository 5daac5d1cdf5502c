import type { Destination, DestinationContext } from "../../destination";
import { bucketDestination } from "../bucketDestination";
import type { ObjectStore } from "../objectStore";
import { bucketUri, type BucketInputs } from "./inputs";
import { loadSdk } from "./sdk";
import { s3Store } from "./s3Store";

/** Connects to a bucket. @throws ConfigurationError if the SDK is not installed */
export async function openS3(inputs: BucketInputs, context: DestinationContext): Promise<ObjectStore> {
  return s3Store(inputs, await loadSdk(), context);
}

/**
 * Copies in a bucket of S3 or of a compatible store. The AWS SDK finds the credentials as AWS's own tools do:
 * environment, profiles, single sign-on, the role of a pod or machine.
 *
 * @param inputs that the rules of {@link BucketInputs} accept
 */
export const s3Destination = (inputs: BucketInputs): Destination =>
  bucketDestination(inputs, bucketUri(inputs), openS3);
