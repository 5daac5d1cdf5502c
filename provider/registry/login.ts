import type { FailedAttempt } from "../http/failedAttempt";
import { DestinationError } from "../messages/errors";
import { parseChallenges, type Challenge } from "./challenge";
import { findCredential } from "./credentials";
import type { Credential } from "./dockerConfiguration";
import { exchange, wholeBody, type RegistryContext } from "./exchange";
import { readUnwanted, refused, unconnected } from "./failedRequest";
import type { Repository } from "./reference";
import { basic, readToken, tokenRequest, type Token } from "./tokens";

/**
 * Logs in to a repository's registry when it requires that, by the scheme it requests: with user name and password, or with a
 * token from its token service. It sends the credential only to the token service, and returns the header for the registry.
 */
export class Login {
  readonly #repository: Repository;
  readonly #context: RegistryContext;
  #credential: Promise<Credential | undefined> | undefined;
  /** The challenge that requested a token. */
  #bearer: Challenge | undefined;
  #basic: string | undefined;
  readonly #tokens = new Map<string, Token>();
  hasCredential = false;

  constructor(repository: Repository, context: RegistryContext) {
    this.#repository = repository;
    this.#context = context;
  }

  /**
   * The `Authorization` header for the registry; `undefined` until the registry requests one.
   *
   * @param root of the registry's API
   * @returns the failure of a request for a token
   * @throws DestinationError; the signal's reason
   */
  async authorization(scopes: readonly string[], root: string): Promise<string | undefined | FailedAttempt> {
    if (this.#basic !== undefined) return this.#basic;
    if (this.#bearer === undefined) return undefined;
    const known = this.#tokens.get(scopes.join(" "));
    if (known && known.endsAtMs > this.#context.clock.monotonic()) return `Bearer ${known.text}`;
    const token = await this.#newToken(this.#bearer, scopes, new URL(root));
    if ("fault" in token) return token;
    this.#tokens.set(scopes.join(" "), token);
    this.#context.secrets.add(token.text);
    return `Bearer ${token.text}`;
  }

  /**
   * Stores the authentication that the registry requests.
   *
   * @param header its `WWW-Authenticate`
   * @returns whether a login is possible
   */
  async learn(header: string, scopes: readonly string[]): Promise<boolean> {
    const challenges = parseChallenges(header);
    const bearer = challenges.find(
      ({ scheme, parameters }) => scheme === "bearer" && URL.canParse(parameters["realm"] ?? ""),
    );
    if (bearer) {
      this.#bearer = bearer;
      this.#tokens.delete(scopes.join(" "));
      return true;
    }
    const credential = await this.#findCredential();
    const isBasic = challenges.some(({ scheme }) => scheme === "basic");
    if (!isBasic || credential === undefined || "identityToken" in credential) return false;
    this.#basic = basic(credential);
    return true;
  }

  async #findCredential(): Promise<Credential | undefined> {
    this.#credential ??= findCredential(this.#repository, this.#context);
    const credential = await this.#credential;
    if (credential) {
      this.hasCredential = true;
      this.#context.secrets.add("password" in credential ? credential.password : credential.identityToken);
    }
    return credential;
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
          return refused(request, await readUnwanted(reply), host, this.hasCredential, clock.now());
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
