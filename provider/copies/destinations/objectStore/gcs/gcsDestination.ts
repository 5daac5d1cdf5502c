import type { Destination, DestinationContext } from "../../destination";
import { bucketDestination } from "../bucketDestination";
import { GcsStore } from "./gcsStore";
import { bucketUri, type GcsInputs } from "./inputs";
import { loadSdk } from "./sdk";

/**
 * Copies in a bucket of Google Cloud Storage. Google's library finds the credentials as Google's own tools do.
 *
 * @param inputs that the rules of {@link GcsInputs} accept
 */
export function gcsDestination(inputs: GcsInputs): Destination {
  return bucketDestination({
    ...inputs,
    uri: bucketUri(inputs),
    open: (context) => openGcs(inputs, context),
  });
}

/** Connects to a bucket. @throws ConfigurationError if the library is not installed */
export async function openGcs(inputs: GcsInputs, context: DestinationContext): Promise<GcsStore> {
  return new GcsStore(inputs, await loadSdk(), context);
}
