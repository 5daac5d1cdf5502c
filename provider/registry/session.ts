import type { HttpReply } from "../http/attempt";
import type { FailedAttempt } from "../http/failedAttempt";
import { Retries, type Peer } from "../http/retries";
import { DestinationError } from "../messages/errors";
import { findApiRoot } from "./apiRoot";
import { exchange, type RegistryContext, type RegistryRequest } from "./exchange";
import { readUnwanted, refused, unconnected, type UnwantedReply } from "./failedRequest";
import { Login } from "./login";
import type { Repository } from "./reference";

/** What is asked of a registry. */
export interface RegistryCall {
  readonly method: RegistryRequest["method"];
  /** A path below the API's root, or where the registry said that something goes on. */
  readonly to: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RegistryRequest["body"];
  /** Statuses that the reader understands. */
  readonly accepted: readonly number[];
  /** Other repositories of the registry that it reads. */
  readonly alsoReads?: readonly string[];
  /** Ends it in the place of the operation's own. */
  readonly signal?: AbortSignal;
}

/** What a session may do with its repository. */
export type Actions = "pull" | "pull,push" | "pull,delete";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** How many redirects are followed in a row. */
const MAX_REDIRECTS = 5;

/**
 * One operation's conversation with a registry about one repository: it logs in when it is asked to, follows redirects, and
 * repeats what failed for the moment. A credential goes to the registry and to who gives its tokens, and nowhere else.
 */
export class RegistrySession {
  readonly repository: Repository;
  readonly context: RegistryContext;
  readonly #actions: Actions;
  readonly #isPlain: boolean;
  readonly #login: Login;
  #origin: Promise<string> | undefined;
  readonly #peer: Peer = { name: "the registry", isKnown: true, wasAnswered: false };

  /** @param plainHttp the registry has no TLS; one on this machine is asked whether it has */
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
  }

  /** The path of something of the repository. */
  path(...rest: string[]): string {
    return [this.repository.path, ...rest].join("/");
  }

  /**
   * Asks until there is an answer that the reader understands.
   *
   * @throws DestinationError; DeadlineExceededError; the signal's reason
   */
  async send<T>(call: RegistryCall, read: (reply: HttpReply) => Promise<T>): Promise<T> {
    const retries = this.retries();
    for (;;) {
      const outcome = await this.sendOnce(call, read);
      if ("value" in outcome) return outcome.value;
      await retries.pause(outcome);
    }
  }

  retries(): Retries {
    const name = `a request to the registry ${this.repository.host}`;
    return new Retries(this.#peer, this.context, { name, repetition: "repeatable" });
  }

  /** Asks once; logging in is part of it. @throws DestinationError; the signal's reason */
  async sendOnce<T>(
    call: RegistryCall,
    read: (reply: HttpReply) => Promise<T>,
  ): Promise<{ value: T } | FailedAttempt> {
    const scopes = this.#scopes(call);
    const url = typeof call.to === "string" ? await this.url(call.to) : call.to;
    for (let wasAsked = false; ; wasAsked = true) {
      const authorization = await this.#login.authorization(scopes, await this.#root());
      if (typeof authorization === "object") return authorization;
      const outcome = await this.#follow(call, url, authorization, read);
      if ("value" in outcome || "fault" in outcome) return outcome;
      // what was sent did not help, or there is nothing to send
      const isFinal =
        (wasAsked && authorization !== undefined) ||
        !(await this.#login.learn(outcome.unauthorized.headers.get("www-authenticate") ?? "", scopes));
      if (isFinal) return this.#refused(call, url, outcome.unauthorized);
    }
  }

  /** An absolute address that the registry names. @throws DestinationError for one that leads to where it must not */
  async located(location: string | null, from: URL): Promise<URL> {
    const url = location === null ? null : URL.parse(location, from.href);
    if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
      throw new DestinationError(
        `the registry ${this.repository.host} named no usable address to go on at`,
        "Report it to who runs the registry.",
      );
    }
    this.context.secrets.addLink(url);
    const root = new URL(await this.#root());
    if (root.protocol === "https:" && url.protocol === "http:") {
      // a registry that does not know of the TLS before it
      if (url.hostname !== root.hostname) {
        throw new DestinationError(
          `the registry ${this.repository.host} leads from https: to http: at ${url.host}, which is not followed`,
          "Let the registry name addresses with https:.",
        );
      }
      url.protocol = "https:";
      url.port = root.port;
    }
    return url;
  }

  /** The address of a path below the API's root, which may be at another host than images are named by. */
  async url(path: string): Promise<URL> {
    return new URL(`/v2/${path}`, await this.#root());
  }

  #root(): Promise<string> {
    this.#origin ??= findApiRoot(this.repository.host, this.#isPlain, this.context);
    return this.#origin;
  }

  #scopes({ alsoReads = [] }: RegistryCall): string[] {
    return [
      `repository:${this.repository.path}:${this.#actions}`,
      ...alsoReads.map((path) => `repository:${path}:pull`),
    ];
  }

  /** Sends it, and again to where redirects lead. */
  async #follow<T>(
    call: RegistryCall,
    start: URL,
    authorization: string | undefined,
    read: (reply: HttpReply) => Promise<T>,
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
          "Report it to who runs the registry.",
        );
      }
      url = answer.value.next;
    }
  }

  #refused({ method }: RegistryCall, url: URL, reply: UnwantedReply): FailedAttempt {
    const { repository, context } = this;
    return refused({ method, url }, reply, repository.host, this.#login.hasCredential, context.clock.now());
  }
}
