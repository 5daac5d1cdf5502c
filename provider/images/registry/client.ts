import { isLoopback } from "../../http/address";
import type { HttpReply } from "../../http/attempt";
import { type Peer, Retries } from "../../http/retries";
import { allowedRepeats, type FailedAttempt } from "../../http/retryPolicy";
import { DestinationError, type DocsHostingError } from "../../runtime/messages/errors";
import { exchange, type RegistryContext, type RegistryRequest } from "./exchange";
import { readUnwanted, refused, unconnected, type UnwantedReply } from "./failedRequest";
import { Login, type Rights } from "./login";
import type { Repository } from "./reference";

/** A request to a registry. */
export interface RegistryCall {
  readonly method: RegistryRequest["method"];
  /** A path below the API's root, or an address that the registry named. */
  readonly to: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RegistryRequest["body"];
  /** Statuses that the reader handles. */
  readonly accepted: readonly number[];
  /** Other repositories of the registry that the request reads. */
  readonly alsoReads?: readonly string[];
  /** Stops the request instead of the operation's signal. */
  readonly signal?: AbortSignal;
}

/** What a client may do with its repository. */
export type Actions = "pull" | "pull,push" | "pull,push,delete";

/** The answer to a request that the registry may refuse. */
export type Attempted<T> =
  { readonly value: T } | { readonly refusal: DocsHostingError; readonly status: number };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** How many redirects are followed for one request. */
const MAX_REDIRECTS = 5;
/** How often one request is repeated with another credential. */
const MAX_REFUSALS = 3;

/**
 * Requests to a registry about one repository, for one operation. The client logs in when the registry requires it, follows
 * redirects and retries temporary failures. It sends a credential only to the registry and to its token service.
 */
export class RegistryClient {
  readonly repository: Repository;
  readonly context: RegistryContext;
  readonly #actions: Actions;
  readonly #isPlain: boolean;
  readonly #login: Login;
  #origin: Promise<string> | undefined;
  readonly #peer: Peer;

  /** @param plainHttp the registry has no TLS; for a registry on this machine, the client detects whether it has */
  constructor(
    repository: Repository,
    context: RegistryContext,
    { actions, plainHttp = false }: { actions: Actions; plainHttp?: boolean | undefined },
  ) {
    this.repository = repository;
    this.context = context;
    this.#actions = actions;
    this.#isPlain = plainHttp;
    this.#login = new Login(repository, context);
    // nothing is lost if a read ends early: where nothing listens, it does not wait for a registry that may restart
    this.#peer = { name: "the registry", isKnown: actions !== "pull", wasAnswered: false };
  }

  /** The path of an object in the repository. */
  path(...rest: string[]): string {
    return [this.repository.path, ...rest].join("/");
  }

  /**
   * Sends a request until the reader can handle the response.
   *
   * @throws DestinationError; DeadlineExceededError; the signal's reason
   */
  async send<T>(call: RegistryCall, read: (reply: HttpReply) => T | Promise<T>): Promise<T> {
    const attempted = await this.attempt(call, read);
    if ("refusal" in attempted) throw attempted.refusal;
    return attempted.value;
  }

  /**
   * Sends a request like {@link send}, but a refusal for good is no error, not even that of a token for the request.
   *
   * @throws DestinationError; DeadlineExceededError; the signal's reason
   */
  async attempt<T>(call: RegistryCall, read: (reply: HttpReply) => T | Promise<T>): Promise<Attempted<T>> {
    const retries = this.retries();
    for (;;) {
      const outcome = await this.sendOnce(call, read);
      if ("value" in outcome) return outcome;
      const { fault, error } = outcome;
      if (fault.kind === "status" && allowedRepeats(fault, "repeatable") === 0) {
        return { refusal: error, status: fault.status };
      }
      await retries.pause(outcome);
    }
  }

  /** Whether a credential for the registry was found. */
  get hasCredential(): boolean {
    return this.#login.hasCredential;
  }

  retries(): Retries {
    const name = `a request to the registry ${this.repository.host}`;
    return new Retries(this.#peer, this.context, { name, repetition: "repeatable" });
  }

  /** Sends a request once, including the login. @throws DestinationError; the signal's reason */
  async sendOnce<T>(
    call: RegistryCall,
    read: (reply: HttpReply) => T | Promise<T>,
  ): Promise<{ value: T } | FailedAttempt> {
    const rights = this.#rightsFor(call);
    const url = typeof call.to === "string" ? await this.url(call.to) : call.to;
    for (let refusals = 0; ; refusals++) {
      const authorization = await this.#login.authorization(rights, await this.#root());
      if (typeof authorization === "object") return authorization;
      const outcome = await this.#follow(call, url, authorization, read);
      if ("value" in outcome || "fault" in outcome) return outcome;
      // the credential was refused, or there is none
      const isFresh = refusals > 0 && authorization !== undefined;
      const challenge = outcome.unauthorized.headers.get("www-authenticate") ?? "";
      const canLogIn = refusals < MAX_REFUSALS && (await this.#login.learn(challenge, rights, isFresh));
      if (!canLogIn) return this.#refused(call, url, outcome.unauthorized);
    }
  }

  /** What a token for the request must allow. */
  #rightsFor({ method, to, alsoReads = [] }: RegistryCall): Rights {
    // an upload is cancelled with the right to push
    const isRemoval = method === "DELETE" && typeof to === "string" && to.includes("/manifests/");
    // a removal also reads, and writes marks
    const others = method === "GET" || method === "HEAD" ? "pull" : "pull,push";
    const actions = this.#actions === "pull,push,delete" && !isRemoval ? others : this.#actions;
    return {
      scopes: [
        `repository:${this.repository.path}:${actions}`,
        ...alsoReads.map((other) => `repository:${other}:pull`),
      ],
      // registries do not agree on the right that a removal needs: delete, push, or all
      asChallenged: isRemoval,
    };
  }

  /** Resolves an address that the registry names. @throws DestinationError for an address that is not allowed */
  async located(location: string | null, from: URL): Promise<URL> {
    const url = location === null ? null : URL.parse(location, from.href);
    if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
      throw new DestinationError(
        `the registry ${this.repository.host} named no usable address to continue at`,
        "Report it to the registry's operator.",
      );
    }
    this.context.secrets.addLink(url);
    const root = new URL(await this.#root());
    if (root.protocol === "https:" && url.protocol === "http:") {
      // the registry is not aware of the TLS proxy before it
      if (url.hostname !== root.hostname) {
        throw new DestinationError(
          `the registry ${this.repository.host} leads from https: to http: at ${url.host}, which is not followed`,
          "Configure the registry so that its addresses begin with https:.",
        );
      }
      url.protocol = "https:";
      url.port = root.port;
    }
    return url;
  }

  /** The URL of a path below the API's root, which may have another host than the images' names. */
  async url(path: string): Promise<URL> {
    return new URL(`/v2/${path}`, await this.#root());
  }

  #root(): Promise<string> {
    this.#origin ??= findApiRoot(this.repository.host, this.#isPlain, this.context, this.retries());
    return this.#origin;
  }

  /** Sends a request, and follows redirects. */
  async #follow<T>(
    call: RegistryCall,
    start: URL,
    authorization: string | undefined,
    read: (reply: HttpReply) => T | Promise<T>,
  ): Promise<{ value: T } | { unauthorized: UnwantedReply } | FailedAttempt> {
    const { context } = this;
    const root = await this.#root();
    let url = start;
    for (let hops = 0; ; hops++) {
      const isRegistry = url.origin === root;
      const answer = await exchange(
        {
          method: call.method,
          url,
          headers: { ...call.headers, ...(isRegistry && authorization !== undefined && { authorization }) },
          ...(call.body && { body: call.body }),
        },
        { ...context, ...(call.signal && { signal: call.signal }) },
        async (reply) => {
          this.#peer.wasAnswered = true;
          const { status, headers } = reply;
          if (call.accepted.includes(status)) return { value: await read(reply) };
          if (REDIRECTS.has(status) && headers.has("location")) {
            return { next: await this.located(headers.get("location"), url) };
          }
          const unwanted = await readUnwanted(reply);
          if (status === 401 && isRegistry) return { unauthorized: unwanted };
          return this.#refused(call, url, unwanted);
        },
      );
      if ("fault" in answer) return unconnected(answer, url);
      if (!("next" in answer.value)) return answer.value;
      if (hops === MAX_REDIRECTS) {
        throw new DestinationError(
          `the registry ${this.repository.host} redirects more than ${MAX_REDIRECTS} times`,
          "Report it to the registry's operator.",
        );
      }
      url = answer.value.next;
    }
  }

  #refused({ method }: RegistryCall, url: URL, reply: UnwantedReply): FailedAttempt {
    const { repository, context } = this;
    return refused({ method, url }, reply, repository.host, this.#login.search, context.clock.now());
  }
}

/** Docker's registry has another host for its API than for its images' names. */
const API_HOSTS: Readonly<Record<string, string>> = { "docker.io": "registry-1.docker.io" };
/** What a server with TLS answers to a request without it, unless it closes the connection. */
const BAD_REQUEST = 400;

/**
 * Finds the root of a registry's API: `https://registry.internal`.
 *
 * @param host in the images' names
 * @param isPlain the registry has no TLS; for a registry on this machine, requests detect whether it has
 * @param retries of these requests
 * @throws DestinationError if a registry on this machine does not answer; DeadlineExceededError; the signal's reason
 */
async function findApiRoot(
  host: string,
  isPlain: boolean,
  context: RegistryContext,
  retries: Retries,
): Promise<string> {
  const secure = `https://${API_HOSTS[host] ?? host}`;
  const plain = `http://${host}`;
  if (isPlain) return plain;
  if (!isLoopback(new URL(secure).hostname)) return secure;
  // on this machine both are common, as docker assumes, too
  for (;;) {
    const overTls = await statusOf(secure, context);
    if (typeof overTls === "number" || overTls.fault.kind === "untrusted") return secure;
    // a failed connection does not show that the registry has no TLS: it may be busy
    const withoutTls = await statusOf(plain, context);
    if (typeof withoutTls === "number" && withoutTls !== BAD_REQUEST) return plain;
    await retries.pause(unconnected(overTls, new URL(secure)));
  }
}

/** The status with which a registry answers at the root of its API. */
async function statusOf(root: string, context: RegistryContext): Promise<number | FailedAttempt> {
  const request = { method: "GET", url: new URL("/v2/", root), headers: {} } as const;
  const answer = await exchange(request, context, ({ status }) => Promise.resolve(status));
  return "fault" in answer ? answer : answer.value;
}
