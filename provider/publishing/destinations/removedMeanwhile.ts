import { DestinationError } from "../../base/runtime/messages/errors";

/** An item that somebody removed although it had just been published. */
export function removedMeanwhile(address: string): DestinationError {
  return new DestinationError(
    `${address} was removed by somebody else while it was published`,
    "Run `pulumi up` again: it publishes the rest.",
  );
}
