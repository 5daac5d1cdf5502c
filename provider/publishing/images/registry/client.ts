import { isLoopback } from "../../../base/http/address";
import type { HttpReply } from "../../../base/http/attempt";
import { type Peer, Retries } from "../../../base/http/retries";
import type { FailedAttempt, Fault } from "../../../base/http/retryPolicy";
import { DestinationError, type DocsHostingError } from "../../../base/runtime/messages/errors";
import { exchange, type RegistryContext, type RegistryRequest } from "./exchange";
import { isRefusal, readUnwanted } from "./failedRequest";
import { Login, type Rights } from "./login";
import type { Repository } from "./reference";
import { isWebPage } from "./webPage";

/** A request to a registry. */
interface RegistryCall extends Pick<RegistryRequest, "method" | "body"> {
  /** A path below the API's root, or an address that the registry named. */
  readonly to: string | URL;
  readonly headers?: RegistryRequest["headers"];
  /** Statuses that the reader handles. */
  readonly accepted: readonly number[];
  /** Other repositories of the registry that the request reads. */
  readonly alsoReads?: readonly string[];
  /** Stops the request instead of the operation's signal. */
  readonly signal?: AbortSignal;
}

/** Reads a reply whose status it accepts. */
type Reader<T> = (reply: HttpReply) => T | Promise<T>;

/** What a client may do with its repository. */
export type Actions = "pull" | "pull,push" | "pull,push,delete";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** How many redirects are followed for one request. */
const MAX_REDIRECTS = 5;
/** How often one request is repeated with another credential. */
const MAX_REFUSALS = 3;

/** Docker's registry has another host for its API than for its images' names. */
const API_HOSTS: Readonly<Record<string, string>> = { "docker.io": "registry-1.docker.io" };
/** What a server with TLS answers to a request without it, unless it closes the connection. */
const BAD_REQUEST = 400;

/**
 * Requests to a registry about one repository, for one operation. The client logs in when the registry requires it, follows
 * redirects and retries temporary failures. It sends a credential only to the registry and to its token service.
 */
export class RegistryClient {
  readonly repository: Repository;
  readonly context: RegistryContext;
  readonly #actions: Actions;
  readonly #isPlain: boolean;
  readonly login: Login;
  #origin: Promise<string> | undefined;
  #isRegistry: Promise<boolean> | undefined;
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
    this.login = new Login(repository, context);
    // nothing is lost if a read ends early: where nothing listens, it does not wait for a registry that may restart
    this.#peer = { name: "the registry", isKnown: actions !== "pull", wasAnswered: false };
  }

  /** The path of an object in the repository. */
  path(...rest: string[]): string {
    return [this.repository.path, ...rest].join("/");
  }

  /**
   * Sends a request until the reader can handle the reply.
   *
   * @throws DestinationError; DeadlineExceededError; the signal's reason
   */
  async send<T>(call: RegistryCall, read: Reader<T>): Promise<T> {
    const attempted = await this.attempt(call, read);
    if ("refusal" in attempted) throw attempted.refusal;
    return attempted.value;
  }

  /**
   * Sends a request like {@link send}, but a refusal for good is not an error, not even that of a token for the request.
   *
   * @param isFinal whether a failure is such a refusal
   * @throws DestinationError; DeadlineExceededError; the signal's reason
   */
  async attempt<T>(
    call: RegistryCall,
    read: Reader<T>,
    isFinal: (fault: Fault) => boolean = isRefusal,
  ): Promise<{ value: T } | { refusal: DocsHostingError; status: number | undefined }> {
    const retries = this.retries();
    for (;;) {
      const outcome = await this.sendOnce(call, read);
      if ("value" in outcome) return outcome;
      const { fault, error } = outcome;
      if (isFinal(fault)) return { refusal: error, status: "status" in fault ? fault.status : undefined };
      await retries.pause(outcome);
    }
  }

  retries(): Retries {
    const name = `a request to the registry ${this.repository.host}`;
    return new Retries(this.#peer, this.context, { name, repetition: "repeatable" });
  }

  /** Sends a request once: logs in, and follows redirects. @throws DestinationError; the signal's reason */
  async sendOnce<T>(call: RegistryCall, read: Reader<T>): Promise<{ value: T } | FailedAttempt> {
    const { method, headers, body, accepted, signal = this.context.signal } = call;
    const rights = this.#rightsFor(call);
    const root = await this.#root();
    const start = typeof call.to === "string" ? await this.url(call.to) : call.to;
    let [url, hops, refusals] = [start, 0, 0];
    for (;;) {
      const isRegistry = url.origin === root;
      const authorization = isRegistry ? await this.login.authorization(rights) : undefined;
      if (typeof authorization === "object") return authorization;
      const outcome = await exchange(
        { method, url, headers: { ...headers, ...(authorization !== undefined && { authorization }) }, body },
        { ...this.context, signal },
        async (reply) => {
          this.#peer.wasAnswered = true;
          if (accepted.includes(reply.status)) return { value: await read(reply) };
          const location = reply.headers.get("location");
          if (REDIRECTS.has(reply.status) && location !== null) {
            return { next: await this.located(location, url) };
          }
          const unwanted = await readUnwanted(reply);
          if (reply.status === 401 && isRegistry) return { unauthorized: unwanted };
          const mayNeedLogin = reply.status === 403 && isRegistry && authorization === undefined;
          if (mayNeedLogin) return { forbidden: unwanted };
          return this.login.refused({ method, url }, unwanted);
        },
      );
      if ("fault" in outcome) return outcome;
      const reply = outcome.value;
      if ("next" in reply) {
        if (hops++ === MAX_REDIRECTS) {
          throw new DestinationError(
            `the registry ${this.repository.host} redirects more than ${MAX_REDIRECTS} times`,
            "Report it to the registry's operator.",
          );
        }
        url = reply.next;
      } else if ("unauthorized" in reply) {
        // the credential was refused, or there is none
        const isFresh = refusals > 0 && authorization !== undefined;
        const challenge = reply.unauthorized.headers.get("www-authenticate") ?? "";
        const canLogIn =
          refusals++ < MAX_REFUSALS && (await this.login.learn(challenge, rights, isFresh, new URL(root)));
        if (!canLogIn) return this.login.refused({ method, url: start }, reply.unauthorized);
        [url, hops] = [start, 0];
      } else if ("forbidden" in reply) {
        // the registry let everybody do what was asked before, and never asked for a login
        const canLogIn =
          refusals++ < MAX_REFUSALS &&
          (await this.login.volunteer(() => this.#challenge(root), rights, new URL(root)));
        if (!canLogIn) return this.login.refused({ method, url: start }, reply.forbidden);
        [url, hops] = [start, 0];
      } else return reply;
    }
  }

  /** Whether a registry answers at the API's root: not a page, and nothing that has no such address. */
  isRegistry(): Promise<boolean> {
    return (this.#isRegistry ??= this.#root()
      .then((root) => this.#ask(root))
      .then((reply) => reply !== undefined && [200, 401].includes(reply.status) && !isWebPage(reply)));
  }

  /** How the API's root asks for a login; empty if it does not. */
  async #challenge(root: string): Promise<string> {
    return (await this.#ask(root))?.headers.get("www-authenticate") ?? "";
  }

  /** Asks for the API's root, once and without a credential. */
  async #ask(root: string): Promise<Pick<HttpReply, "status" | "headers"> | undefined> {
    const request = { method: "GET", url: new URL("/v2/", root), headers: {} } as const;
    const outcome = await exchange(request, this.context, ({ status, headers }) =>
      Promise.resolve({ status, headers }),
    );
    return "value" in outcome ? outcome.value : undefined;
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
    return (this.#origin ??= this.#findRoot());
  }

  /**
   * Finds the root of the registry's API: `https://registry.internal`.
   *
   * @throws DestinationError if a registry on this machine does not answer; DeadlineExceededError; the signal's reason
   */
  async #findRoot(): Promise<string> {
    const { host } = this.repository;
    const secure = `https://${API_HOSTS[host] ?? host}`;
    const plain = `http://${host}`;
    if (this.#isPlain) return plain;
    if (!isLoopback(new URL(secure).hostname)) return secure;
    const retries = this.retries();
    const ask = (root: string): Promise<{ value: number } | FailedAttempt> =>
      exchange({ method: "GET", url: new URL("/v2/", root), headers: {} }, this.context, ({ status }) =>
        Promise.resolve(status),
      );
    // on this machine both are common, as docker assumes, too
    for (;;) {
      const overTls = await ask(secure);
      if ("value" in overTls || overTls.fault.kind === "untrusted") return secure;
      // a failed connection does not show that the registry has no TLS: it may be busy
      const withoutTls = await ask(plain);
      if ("value" in withoutTls && withoutTls.value !== BAD_REQUEST) return plain;
      await retries.pause(overTls);
    }
  }
}
