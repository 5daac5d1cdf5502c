import type { DocsHostingError } from "../messages/errors";
import type { Fault } from "./retryPolicy";

/** An attempt that brought no usable reply: what decides about the next one, and what to tell the user. */
export interface FailedAttempt {
  readonly fault: Fault;
  readonly error: DocsHostingError;
}
