import type { DocsHostingError } from "../runtime/messages/errors";
import type { Fault } from "./retryPolicy";

/** An attempt without a usable reply: the fault decides about a retry, the error is for the user. */
export interface FailedAttempt {
  readonly fault: Fault;
  readonly error: DocsHostingError;
}
