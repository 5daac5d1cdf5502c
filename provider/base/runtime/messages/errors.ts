/** Details of an error beside its message. */
export interface ErrorDetails {
  /** The error that this one explains. Always a `DocsHostingError`, so that it can be shown. */
  readonly cause?: DocsHostingError | undefined;
  /** HTTP status code of the reply. */
  readonly status?: number;
  /** Id by which the service's support finds the request in its logs. */
  readonly requestId?: string;
  /** Class of the unexpected error that this one reports: `TypeError`. */
  readonly kind?: string;
  /** Of a 404: see {@link NotFoundError.isOfApi}. */
  readonly isOfApi?: boolean;
}

/**
 * Base class of all errors of this package. There is one class for each case that a caller handles differently.
 *
 * Messages contain only allowed parts (host, path, status, ids, the service's redacted text), so neither the API key nor a
 * link's query can get into them. `message` describes what happened, `remedy` what to do, and `cause` is the original error
 * without the explanation.
 */
export abstract class DocsHostingError extends Error {
  /** What the user should do next: one or more whole sentences. Empty if `message` already contains it. */
  readonly remedy: string;
  readonly #details: ErrorDetails | undefined;

  constructor(message: string, remedy: string, details?: ErrorDetails) {
    super(message, details?.cause && { cause: details.cause });
    this.name = new.target.name;
    this.remedy = remedy;
    this.#details = details;
  }

  /** An error of the same class and details with another message. This error is its `cause`. */
  withMessage(message: string, remedy: string = this.remedy): DocsHostingError {
    const SameClass = this.constructor as typeof InputError;
    return new SameClass(message, remedy, { ...this.#details, cause: this });
  }
}

/** An argument is wrong. Thrown before any request. */
export class InputError extends DocsHostingError {}

/** An unexpected error. Please report it. */
export class InternalError extends DocsHostingError {
  /** Class of the unexpected error, such as `TypeError`. Empty if this package found the problem itself. */
  readonly kind: string;

  constructor(message: string, remedy: string, details: ErrorDetails = {}) {
    super(message, remedy, details);
    this.kind = details.kind ?? "";
  }
}

/** The base URL or the API key is missing or malformed. Thrown before any request. */
export class ConfigurationError extends DocsHostingError {}

/** No usable reply arrived: the host was not found, the connection broke, or the reply took too long. */
export class ConnectionError extends DocsHostingError {}

/** The service answered with an error status. */
export class ResponseError extends DocsHostingError {
  /** HTTP status code of the reply. */
  readonly status: number;
  /** Id by which the service's support finds the request, from the header `X-Request-Id`. Empty if there was none. */
  readonly requestId: string;

  constructor(message: string, remedy: string, details: ErrorDetails & { readonly status: number }) {
    super(message, remedy, details);
    this.status = details.status;
    this.requestId = details.requestId ?? "";
  }
}

/** 401: the service does not accept the API key. */
export class KeyRejectedError extends ResponseError {}

/** 403: the key is known but may not do this, for example because the site is not on the enterprise plan. */
export class NotAllowedError extends ResponseError {}

/** 404: the service confirms that the requested object does not exist. */
export class NotFoundError extends ResponseError {
  /**
   * Whether the reply gives a reason as the API's errors do: `{ "error": "…" }`. Without it, a gateway may have answered in place of
   * the service: what only this reply calls missing is not forgotten.
   *
   * @default true
   */
  readonly isOfApi: boolean;

  constructor(message: string, remedy: string, details: ErrorDetails & { readonly status: number }) {
    super(message, remedy, details);
    this.isOfApi = details.isOfApi ?? true;
  }
}

/** 409: the service is not ready for this yet, for example for the bundle of a job that still runs. */
export class NotReadyError extends ResponseError {}

/** The service answered with success, but the reply does not match the API. */
export class MalformedResponseError extends DocsHostingError {}

/** The service accepted a start, but its reply has no usable id: a job may run that cannot be found. Nothing starts another one. */
export class UnreadableStartError extends MalformedResponseError {}

/** The export job ended with the status `failed`. Final: a failed job is never continued. */
export class ExportFailedError extends DocsHostingError {}

/** An agent job ended with the status `failed`, and `acceptFailed` is not set. Final. */
export class AgentFailedError extends DocsHostingError {}

/** The download of a bundle failed: the link leads nowhere, or the archive is another one or too large. */
export class DownloadError extends DocsHostingError {}

/** A bundle must not be published: a broken archive, an unsafe name, over a limit, or another digest. Final for that bundle. */
export class BundleRefusedError extends DocsHostingError {}

/** The destination of a copy (a folder, bucket or registry) cannot be read or written as required. */
export class DestinationError extends DocsHostingError {}

/** The operation's time limit (`customTimeouts`) passed. A started job continues at the service. */
export class DeadlineExceededError extends DocsHostingError {}

/** The time limit passed while a request was waiting for its reply. This does not indicate a problem of network or service. */
export class AnswerCutOffError extends DeadlineExceededError {}

/** The user stopped the operation (Ctrl-C); the service did not. A started job continues at the service. */
export class RunCancelledError extends DocsHostingError {}
