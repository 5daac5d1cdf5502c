import { type FailedAttempt, allowedRepeats } from "../../http/retryPolicy";
import { DestinationError } from "../../runtime/messages/errors";
import { type Challenge, parseChallenges, basic, readToken, type Token, tokenRequest } from "./tokens";
import {
  credentialPlaces,
  type CredentialSearch,
  findCredential,
  type FoundCredential,
  type Credential,
} from "./credentials";
import { exchange, type RegistryContext, wholeBody } from "./exchange";
import { readUnwanted, refused, unconnected } from "./failedRequest";
import type { Repository } from "./reference";

/** What a token must allow. */
export interface Rights {
  readonly scopes: readonly string[];
  /** The registry's challenge decides which scopes are requested; {@link scopes} only if it names none. */
  readonly asChallenged: boolean;
}

/**
 * Logs in to a repository's registry when it requires that, by the scheme it requests: with user name and password, or with a
 * token from its token service. It sends the credential only to the token service, and returns the header for the registry.
 */
export class Login {
  readonly #repository: Repository;
  readonly #context: RegistryContext;
  #found: Promise<FoundCredential | undefined> | undefined;
  /** Where the credential is from. */
  #place: string | undefined;
  /** The challenge that requested a token. */
  #bearer: Challenge | undefined;
  #basic: string | undefined;
  readonly #tokens = new Map<string, Token>();
  /** The scopes that the registry's challenge to a request with these rights named. */
  readonly #named = new Map<string, readonly string[]>();
  /** The rights whose own scopes the registry does not accept. */
  readonly #insufficient = new Set<string>();

  constructor(repository: Repository, context: RegistryContext) {
    this.#repository = repository;
    this.#context = context;
  }

  get hasCredential(): boolean {
    return this.#place !== undefined;
  }

  /** Where a credential was searched for, and found. */
  get search(): CredentialSearch {
    return { places: credentialPlaces(this.#context.environment), place: this.#place };
  }

  /**
   * The `Authorization` header for the registry; `undefined` until the registry requests one.
   *
   * @param root of the registry's API
   * @returns the failure of a request for a token
   * @throws DestinationError; the signal's reason
   */
  async authorization(rights: Rights, root: string): Promise<string | undefined | FailedAttempt> {
    if (this.#basic !== undefined) return this.#basic;
    if (this.#bearer === undefined) return undefined;
    const key = keyOf(rights);
    const known = this.#tokens.get(key);
    if (known && known.endsAtMs > this.#context.clock.monotonic()) return `Bearer ${known.text}`;
    const named = this.#named.get(key);
    // without a token, the registry says what it needs
    if (rights.asChallenged && named === undefined) return undefined;
    const token = await this.#tokenFor(this.#bearer, rights, new URL(root));
    if ("fault" in token) return token;
    this.#tokens.set(key, token);
    this.#context.secrets.add(token.text);
    return `Bearer ${token.text}`;
  }

  /**
   * Stores the authentication that the registry requests.
   *
   * @param header its `WWW-Authenticate`
   * @param isFresh whether the refused request had a credential that was made for it
   * @returns whether another login is possible
   */
  async learn(header: string, rights: Rights, isFresh: boolean): Promise<boolean> {
    const challenges = parseChallenges(header);
    const bearer = challenges.find(
      ({ scheme, parameters }) => scheme === "bearer" && URL.canParse(parameters["realm"] ?? ""),
    );
    if (bearer) {
      const key = keyOf(rights);
      const before = this.#named.get(key);
      const named = scopesIn(bearer, this.#repository);
      this.#named.set(key, named);
      if (isFresh) {
        const asked = rights.asChallenged || this.#insufficient.has(key) ? before : rights.scopes;
        if (named.length === 0 || named.join(" ") === asked?.join(" ")) return false;
        this.#insufficient.add(key);
      }
      this.#bearer = bearer;
      this.#tokens.delete(key);
      return true;
    }
    if (isFresh) return false;
    const credential = await this.#findCredential();
    const isBasic = challenges.some(({ scheme }) => scheme === "basic");
    if (!isBasic || credential === undefined || "identityToken" in credential) return false;
    this.#basic = basic(credential);
    return true;
  }

  async #findCredential(): Promise<Credential | undefined> {
    this.#found ??= findCredential(this.#repository, this.#context);
    const found = await this.#found;
    if (found === undefined) return undefined;
    const { credential, place } = found;
    this.#place = place;
    this.#context.secrets.add("password" in credential ? credential.password : credential.identityToken);
    return credential;
  }

  /** A token with the usual scopes of a request, or with those that the registry named if the token service refuses the usual ones. */
  async #tokenFor(bearer: Challenge, rights: Rights, root: URL): Promise<Token | FailedAttempt> {
    const key = keyOf(rights);
    const named = this.#named.get(key) ?? [];
    const own = rights.scopes;
    if (named.length === 0) return this.#newToken(bearer, own, root);
    if (rights.asChallenged || this.#insufficient.has(key)) return this.#newToken(bearer, named, root);
    const token = await this.#newToken(bearer, own, root);
    const isRefused =
      "fault" in token && token.fault.kind === "status" && allowedRepeats(token.fault, "repeatable") === 0;
    // 401: it is the credential that is refused
    if (!isRefused || token.fault.status === 401 || named.join(" ") === own.join(" ")) return token;
    return this.#newToken(bearer, named, root);
  }

  async #newToken(bearer: Challenge, scopes: readonly string[], root: URL): Promise<Token | FailedAttempt> {
    const { clock } = this.#context;
    const request = tokenRequest(bearer, scopes, await this.#findCredential());
    const { method, url, headers } = request;
    if (url.protocol !== "https:" && !(url.protocol === "http:" && root.protocol === "http:")) {
      throw new DestinationError(
        `the registry ${root.host} requires the credential to be sent to ${url.protocol}//${url.host}, which anyone on the network path can read`,
        "Let the registry name an address with https: for its tokens.",
      );
    }
    const answer = await exchange(
      { ...request, headers: { ...headers, accept: "application/json" } },
      this.#context,
      async (reply) => {
        if (reply.status !== 200) {
          const { host } = this.#repository;
          return refused(request, await readUnwanted(reply), host, this.search, clock.now());
        }
        return (
          readToken(await wholeBody(reply), clock) ?? {
            fault: { kind: "malformed" as const },
            error: new DestinationError(
              `${method} ${url.origin}${url.pathname} answered without a token`,
              "Check the registry: it named this address for its tokens.",
            ),
          }
        );
      },
    );
    return "fault" in answer ? unconnected(answer, url) : answer.value;
  }
}

const keyOf = ({ scopes, asChallenged }: Rights): string =>
  `${asChallenged ? "as challenged " : ""}${scopes.join(" ")}`;

/** The scopes of a challenge that are about the repository: some registries name other ones. */
function scopesIn({ parameters }: Challenge, { path }: Repository): string[] {
  return (parameters["scope"] ?? "").split(" ").filter((scope) => scope.startsWith(`repository:${path}:`));
}
