import type { Destination, DestinationContext } from "../../destination";
import { bucketDestination } from "../bucketDestination";
import type { ObjectStore } from "../objectStore";
import { azureStore } from "./azureStore";
import { openContainer } from "./client";
import { containerUri, type AzureContainerInputs } from "./inputs";

/** Connects to a container. @throws ConfigurationError if the SDK is not installed, or the environment contradicts the inputs */
export async function openAzure(
  inputs: AzureContainerInputs,
  context: DestinationContext,
): Promise<ObjectStore> {
  return azureStore(await openContainer(inputs, context));
}

/**
 * Copies in a container of Azure Blob Storage.
 *
 * @param inputs that the rules of {@link AzureContainerInputs} accept
 */
export const azureDestination = (inputs: AzureContainerInputs): Destination =>
  bucketDestination(inputs, containerUri(inputs), openAzure);
