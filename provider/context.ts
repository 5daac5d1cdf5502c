import type { Clock } from "./clock";
import type { ConfigurationSource } from "./configuration";
import type { Fetch } from "./transport";

/** Tells the user what is going on, on the resource's own row. Never fails. */
export interface Reporter {
  /** A line that replaces the one before. */
  progress(line: string): void;
  /** A line that stays. */
  info(line: string): void;
  /** A line that stays and is marked as a warning. */
  warn(line: string): void;
}

/** All that one operation gets from the outside: behind it, nothing reads the machine's clock, network or environment. */
export interface Context {
  readonly configuration: ConfigurationSource;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Aborts when the user stops the operation; its reason is a `CancelledError`. */
  readonly signal: AbortSignal;
}
