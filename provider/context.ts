import type { Clock } from "./clock";
import type { ConfigurationSource } from "./configuration";
import type { Reporter } from "./reporter";
import type { Fetch } from "./transport";

/** All that one operation gets from the outside: behind it, nothing reads the machine's clock, network or environment. */
export interface Context {
  readonly configuration: ConfigurationSource;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Aborts when the user stops the operation; its reason is a `CancelledError`. */
  readonly signal: AbortSignal;
}
