import type { Destination, DestinationContext } from "../../destination";
import { bucketDestination } from "../bucketDestination";
import type { ObjectStore } from "../objectStore";
import { gcsStore } from "./gcsStore";
import { bucketUri, type GcsInputs } from "./inputs";
import { loadSdk } from "./sdk";

/** Connects to a bucket. @throws ConfigurationError if the library is not installed */
export async function openGcs(inputs: GcsInputs, context: DestinationContext): Promise<ObjectStore> {
  return gcsStore(inputs, await loadSdk(), context);
}

/**
 * Copies in a bucket of Google Cloud Storage. Google's library finds the credentials as Google's own tools do.
 *
 * @param inputs that the rules of {@link GcsInputs} accept
 */
export const gcsDestination = (inputs: GcsInputs): Destination =>
  bucketDestination(inputs, bucketUri(inputs), openGcs);
