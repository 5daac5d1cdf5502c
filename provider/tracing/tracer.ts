/** All that a span may say: ids, figures and words of our own. No key and no link has a name here. */
export interface Attributes {
  /** URN of the resource that the operation is about. */
  readonly "pulumi.urn"?: string | undefined;
  readonly "docs_hosting.domain"?: string | undefined;
  /** Why the operation does what it does: a `ReasonCode`. */
  readonly "docs_hosting.decision"?: string;
  readonly "docs_hosting.job.id"?: string | undefined;
  /** Project of an agent's job. */
  readonly "docs_hosting.project.id"?: string;
  /** How a job stood when it was looked at, in the service's words. */
  readonly "docs_hosting.job.status"?: string;
  /** What that means: an `Outcome`. */
  readonly "docs_hosting.job.outcome"?: string;
  /** Percent done. */
  readonly "docs_hosting.job.progress"?: number | undefined;
  readonly "docs_hosting.job.pages"?: number | undefined;
  /** When a link ends: ISO 8601. */
  readonly "docs_hosting.link.expires_at"?: string | undefined;
  /** SHA-256 of a bundle's archive: hexadecimal digits. */
  readonly "docs_hosting.bundle.sha256"?: string;
  /** Size of a bundle's archive in bytes. */
  readonly "docs_hosting.bundle.size"?: number;
  /** Files of the site in a bundle. */
  readonly "docs_hosting.bundle.files"?: number;
  /** DestinationInputs of a copy or of kits. */
  readonly "docs_hosting.destination"?: string;
  /** Class of the error that a span ended with, or the status that a request was refused with. */
  readonly "error.type"?: string | undefined;
  /** Of a request: with it, a span is that of a client. */
  readonly "http.request.method"?: string;
  readonly "http.response.status_code"?: number;
  /** How often the request was sent before. */
  readonly "http.request.resend_count"?: number;
  /** Address of the request. Of the service only, whose addresses have no query. */
  readonly "url.full"?: string;
  readonly "server.address"?: string;
  readonly "server.port"?: number;
}

/** Tells tracing what is going on, from where it begins to where it ends. Never fails. */
export interface Tracer {
  /**
   * Runs as a span within the one that it is called in. What it throws is told by class and message.
   *
   * @param name one of few: what tells one from another is in the attributes
   */
  span<T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T>;
  /** Tells more of the span that it is called in. Those that begin within it from now on have it, too. */
  note(attributes: Attributes): void;
}

/** Nobody is told anything. */
export const noTracer: Tracer = {
  span: (_name, _attributes, run) => run(),
  note: () => undefined,
};
