import type { Destination, DestinationContext } from "../../destination";
import { bucketDestination } from "../bucketDestination";
import { AzureStore } from "./azureStore";
import { openContainer } from "./client";
import { containerUri, type AzureContainerInputs } from "./inputs";

/**
 * Copies in a container of Azure Blob Storage.
 *
 * @param inputs that the rules of {@link AzureContainerInputs} accept
 */
export function azureDestination(inputs: AzureContainerInputs): Destination {
  return bucketDestination({
    ...inputs,
    uri: containerUri(inputs),
    open: (context) => openAzure(inputs, context),
  });
}

/** Connects to a container. @throws ConfigurationError if the SDK is not installed, or the environment contradicts the inputs */
export async function openAzure(
  inputs: AzureContainerInputs,
  context: DestinationContext,
): Promise<AzureStore> {
  return new AzureStore(await openContainer(inputs, context));
}
