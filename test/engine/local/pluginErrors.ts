// What a failed call of a plugin means. A partial failure is packed into the trailer `grpc-status-details-bin`.
import type { ServiceError } from "@grpc/grpc-js";
import { fromStruct, type PropertyMap } from "./propertyValues.ts";
import { ProviderError } from "./provider.ts";
import { providerProto, statusProto } from "./wire.ts";

/** @param read marks what is secret in the outputs, where the plugin does not */
export function readPluginError(
  error: ServiceError,
  read: (outputs: PropertyMap) => PropertyMap,
): ProviderError {
  for (const raw of error.metadata.get("grpc-status-details-bin")) {
    const status = statusProto.Status.deserializeBinary(raw as Buffer);
    for (const detail of status.getDetailsList()) {
      if (detail.getTypeName() !== "pulumirpc.ErrorResourceInitFailed") continue;
      const failure = providerProto.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
      const outputs = read(fromStruct(failure.getProperties()));
      return ProviderError.unfinished({ id: failure.getId(), outputs }, failure.getReasonsList());
    }
  }
  return new ProviderError(error.details || error.message);
}
