import type { FailedAttempt } from "../../../base/http/retryPolicy";
import { DestinationError } from "../../../base/runtime/messages/errors";
import { type Challenge, parseChallenges } from "./challenge";
import { credentialPlaces, type CredentialSearch, findCredential, type FoundCredential } from "./credentials";
import { type Credential } from "./dockerConfiguration";
import { exchange, type RegistryContext, type RegistryRequest, wholeBody } from "./exchange";
import { isRefusal, readUnwanted, refused, type UnwantedReply } from "./failedRequest";
import type { Repository } from "./reference";
import { basic, readToken, type Token, tokenRequest } from "./tokens";

/** What a token must allow. */
export interface Rights {
  readonly scopes: readonly string[];
  /** The registry's challenge decides which scopes are requested; {@link scopes} only if it names none. */
  readonly asChallenged: boolean;
}

/** What is known about the tokens for requests with the same rights. */
interface Grant {
  token?: Token | undefined;
  /** The scopes that the registry's challenge to such a request named. */
  named?: readonly string[];
  /** Whether a token has these in place of the rights' own scopes, which the registry does not accept. */
  usesNamed: boolean;
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
  /** By the rights, as JSON. */
  readonly #grants = new Map<string, Grant>();

  constructor(repository: Repository, context: RegistryContext) {
    this.#repository = repository;
    this.#context = context;
  }

  /** Where a credential was searched for, and found. */
  get search(): CredentialSearch {
    return { places: credentialPlaces(this.#context.environment), place: this.#place };
  }

  /**
   * The `Authorization` header for the registry; `undefined` until the registry requests one.
   *
   * @returns the failure of a request for a token
   * @throws DestinationError; the signal's reason
   */
  async authorization(rights: Rights): Promise<string | undefined | FailedAttempt> {
    if (this.#basic !== undefined) return this.#basic;
    const grant = this.#grantFor(rights);
    // without a token, the registry says what it needs
    if (this.#bearer === undefined || (rights.asChallenged && !grant.named)) return undefined;
    if (grant.token === undefined || grant.token.endsAtMs <= this.#context.clock.monotonic()) {
      const token = await this.#tokenFor(this.#bearer, rights.scopes, grant);
      if ("fault" in token) return token;
      grant.token = token;
      this.#context.secrets.add(token.text);
    }
    return `Bearer ${grant.token.text}`;
  }

  /**
   * Stores the authentication that the registry requests.
   *
   * @param header its `WWW-Authenticate`
   * @param isFresh whether the refused request had a credential that was made for it
   * @param root of the registry's API
   * @returns whether another login is possible
   * @throws DestinationError if the credential would be sent without encryption; the signal's reason
   */
  async learn(header: string, rights: Rights, isFresh: boolean, root: URL): Promise<boolean> {
    const challenges = parseChallenges(header);
    const bearer = challenges.find(
      ({ scheme, parameters }) => scheme === "bearer" && URL.canParse(parameters["realm"] ?? ""),
    );
    if (bearer) {
      const { protocol, host } = new URL(bearer.parameters["realm"] ?? "");
      if (protocol !== "https:" && !(protocol === "http:" && root.protocol === "http:")) {
        throw new DestinationError(
          `the registry ${root.host} requires the credential to be sent to ${protocol}//${host}, which anyone on the network path can read`,
          "Let the registry name an address with https: for its tokens.",
        );
      }
      const grant = this.#grantFor(rights);
      const asked = grant.usesNamed ? grant.named : rights.scopes;
      grant.named = scopesIn(bearer, this.#repository);
      if (isFresh) {
        if (grant.named.length === 0 || grant.named.join(" ") === asked?.join(" ")) return false;
        grant.usesNamed = true;
      }
      this.#bearer = bearer;
      grant.token = undefined;
      return true;
    }
    if (isFresh) return false;
    const credential = await this.#findCredential();
    const isBasic = challenges.some(({ scheme }) => scheme === "basic");
    if (!isBasic || credential === undefined || "identityToken" in credential) return false;
    this.#basic = basic(credential);
    return true;
  }

  /**
   * Stores the user's credential for a registry that refuses a request with 403 and never asked for a login: some let everybody read.
   *
   * @param askRoot asks for the `WWW-Authenticate` of the API's root: empty if it has none
   * @returns whether another login is possible
   * @throws as {@link learn}
   */
  async volunteer(askRoot: () => Promise<string>, rights: Rights, root: URL): Promise<boolean> {
    const credential = await this.#findCredential();
    if (credential === undefined || this.#bearer !== undefined || this.#basic !== undefined) return false;
    const challenge = await askRoot();
    if (parseChallenges(challenge).length > 0) return this.learn(challenge, rights, false, root);
    if ("identityToken" in credential) return false;
    this.#basic = basic(credential);
    return true;
  }

  /** The failure of a request that the registry or its token service refused. */
  async refused(
    request: Pick<RegistryRequest, "method" | "url">,
    reply: UnwantedReply,
  ): Promise<FailedAttempt> {
    // the remedy says where the credential is from
    if (reply.status === 401 || reply.status === 403) await this.#findCredential();
    return refused(request, reply, this.#repository.host, this.search, this.#context.clock.now());
  }

  #grantFor(rights: Rights): Grant {
    const key = JSON.stringify(rights);
    const grant = this.#grants.get(key) ?? { usesNamed: rights.asChallenged };
    this.#grants.set(key, grant);
    return grant;
  }

  async #findCredential(): Promise<Credential | undefined> {
    this.#found ??= findCredential(this.#repository, this.#context);
    const { credential, place } = (await this.#found) ?? {};
    this.#place = place;
    if (credential) {
      this.#context.secrets.add("password" in credential ? credential.password : credential.identityToken);
    }
    return credential;
  }

  /** A token with the usual scopes of a request, or with those that the registry named if the token service refuses the usual ones. */
  async #tokenFor(
    bearer: Challenge,
    own: readonly string[],
    { named = [], usesNamed }: Grant,
  ): Promise<Token | FailedAttempt> {
    const asked = usesNamed && named.length > 0 ? named : own;
    const token = await this.#newToken(bearer, asked);
    const hasOthers = named.length > 0 && named.join(" ") !== asked.join(" ");
    if (!hasOthers || !("fault" in token) || !isRefusal(token.fault)) return token;
    // the credential itself is refused
    if ("status" in token.fault && token.fault.status === 401) return token;
    return this.#newToken(bearer, named);
  }

  async #newToken(bearer: Challenge, scopes: readonly string[]): Promise<Token | FailedAttempt> {
    const { clock } = this.#context;
    const request = tokenRequest(bearer, scopes, await this.#findCredential());
    const { method, url, headers } = request;
    const outcome = await exchange(
      { ...request, headers: { ...headers, accept: "application/json" } },
      this.#context,
      async (reply) => {
        if (reply.status !== 200) return this.refused(request, await readUnwanted(reply));
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
    return "fault" in outcome ? outcome : outcome.value;
  }
}

/** The scopes of a challenge that are about the repository: some registries name other ones. */
function scopesIn({ parameters }: Challenge, { path }: Repository): string[] {
  return (parameters["scope"] ?? "").split(" ").filter((scope) => scope.startsWith(`repository:${path}:`));
}
