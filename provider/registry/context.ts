import type { Fetch } from "../http/attempt";
import type { Clock } from "../time/clock";
import type { Deadline } from "../time/deadline";
import type { Reporter } from "../words/reporter";
import type { Secrets } from "../words/secrets";

/** What talking to a registry gets from the outside. */
export interface RegistryContext {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Gets credentials, tokens and what addresses of the registry hold. */
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  /** Environment variables, for credentials and proxies: read anew whenever one is needed. */
  readonly environment: (name: string) => string | undefined;
}
