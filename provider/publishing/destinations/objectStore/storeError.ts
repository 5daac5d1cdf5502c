import { DestinationError, type ErrorDetails } from "../../../base/runtime/messages/errors";

/** Why a store refused a request, in words that hold for every store. Each implementation translates its own codes. */
export type StoreFailure =
  /** There is no such object or upload. */
  | "missing"
  /** The condition of a write does not hold. */
  | "conflict"
  /** There is no such bucket. */
  | "noBucket"
  /** The credentials lack a right. */
  | "denied"
  /** There are no credentials, or the store does not accept them any more. */
  | "credentials"
  /** The clocks of this machine and of the store differ too much. */
  | "clock"
  /** The bucket is at another address, such as another region's. */
  | "address"
  | "busy"
  /** The data that arrived is not the data that was sent. */
  | "corrupted"
  /** There is no space for the object. */
  | "full"
  /** The store does not implement the request. */
  | "unsupported"
  /** There was no reply. */
  | "unreachable"
  | "other";

type StoreErrorDetails = ErrorDetails & { readonly failure: StoreFailure; readonly code: string };

/** A request that a store refused, or did not answer. */
export class StoreError extends DestinationError {
  readonly failure: StoreFailure;
  /** Of the store's reply. */
  readonly status: number | undefined;
  /** The store's own code. Only its implementation interprets it. */
  readonly code: string;

  constructor(message: string, remedy: string, details: StoreErrorDetails) {
    super(message, remedy, details);
    this.name = DestinationError.name;
    this.failure = details.failure;
    this.status = details.status;
    this.code = details.code;
  }
}

/** The result of work; `undefined` where it fails in one of these ways: kinds of failures, or codes of the store. */
export async function unlessFailed<T>(work: Promise<T>, ...ways: readonly string[]): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError && (ways.includes(error.failure) || ways.includes(error.code))) {
      return undefined;
    }
    throw error;
  }
}
