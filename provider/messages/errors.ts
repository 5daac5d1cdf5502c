/** What an error knows beside its words. */
export interface ErrorDetails {
  /** The error that this one tells more about: of this family, so that it can be shown. */
  readonly cause?: DocsHostingError | undefined;
  /** HTTP status code of the answer. */
  readonly status?: number;
  /** By what the service's support finds the request in its logs. */
  readonly requestId?: string;
}

/**
 * What can go wrong between us and the service: one class per thing a caller would do differently.
 *
 * Messages are built from an allow list (host, path, status, ids, the service's own redacted text), so that neither
 * the API key nor a link's query can get into them. `message` says what happened; `remedy` what to do about it; `cause` is
 * the error before it was told as a whole.
 */
export abstract class DocsHostingError extends Error {
  /** What the person who reads this should do next: one or more whole sentences. Empty where `message` says it. */
  readonly remedy: string;

  constructor(message: string, remedy: string, { cause }: ErrorDetails = {}) {
    super(message, cause && { cause });
    this.name = new.target.name;
    this.remedy = remedy;
  }

  /** An error of the same class, with the same details, in other words: this one is its `cause`. */
  withMessage(message: string, remedy = this.remedy): DocsHostingError {
    const SameClass = this.constructor as new (
      message: string,
      remedy: string,
      details: ErrorDetails,
    ) => DocsHostingError;
    return new SameClass(message, remedy, { ...this.details(), cause: this });
  }

  /** What a withMessage error knows, too. */
  protected details(): ErrorDetails | undefined {
    return undefined;
  }
}

/** An argument is wrong. Found before any request. */
export class InputError extends DocsHostingError {}

/** What nobody foresaw. To be reported. */
export class InternalError extends DocsHostingError {}

/** The base URL or the API key is missing or malformed. Found before any request. */
export class ConfigurationError extends DocsHostingError {}

/** No usable answer arrived: the host was not found, the connection broke, or the answer took too long. */
export class ConnectionError extends DocsHostingError {}

/** The service answered with an error status. */
export class ResponseError extends DocsHostingError {
  /** HTTP status code of the answer. */
  readonly status: number;
  /** By what the service's support finds the request, from the header `X-Request-Id`. Empty when there was none. */
  readonly requestId: string;

  constructor(message: string, remedy: string, details: ErrorDetails & { readonly status: number }) {
    super(message, remedy, details);
    this.status = details.status;
    this.requestId = details.requestId ?? "";
  }

  protected override details(): ErrorDetails {
    const { status, requestId } = this;
    return { status, requestId };
  }
}

/** 401: the service does not accept the API key. */
export class KeyRejectedError extends ResponseError {}

/** 403: the key is known but may not do this, for example because the site is not on the enterprise plan. */
export class NotAllowedError extends ResponseError {}

/** 404: the service proves that the thing asked for does not exist. */
export class NotFoundError extends ResponseError {}

/** 409: the service is not ready for this yet, for example for the bundle of a job that still runs. */
export class NotReadyError extends ResponseError {}

/** The service answered with success, but not with what it promises. */
export class MalformedResponseError extends DocsHostingError {}

/** The export job ended with the status `failed`. Final: a failed job is never continued. */
export class ExportFailedError extends DocsHostingError {}

/** An agent job ended with the status `failed`, which is not accepted. Final. */
export class AgentFailedError extends DocsHostingError {}

/** The store of a bundle did not give it, or not as it promised: the link leads nowhere, the archive is another one, or too large. */
export class DownloadError extends DocsHostingError {}

/** A bundle is not what may be published: a broken archive, an unsafe name, too much of it, another digest. Final for that bundle. */
export class BundleRefusedError extends DocsHostingError {}

/** The place of a copy (a folder, bucket or registry) cannot be read or written as it has to be. */
export class DestinationError extends DocsHostingError {}

/** The operation's time limit (`customTimeouts`) passed. A started job goes on at the service. */
export class DeadlineExceededError extends DocsHostingError {}

/** The time limit passed while an answer was awaited: that says nothing of the network or the service. */
export class AnswerCutOffError extends DeadlineExceededError {}

/** The user stopped the operation (Ctrl-C), and nobody else: not the service. A started job goes on there. */
export class RunCancelledError extends DocsHostingError {}
