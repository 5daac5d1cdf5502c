import type { Lookup } from "../download/storeAddress";
import type { Clock } from "../time/clock";
import type { ConfigurationSource } from "../service/configuration";
import type { Tracer } from "../tracing/tracer";
import type { Reporter } from "../messages/reporter";
import type { Secrets } from "../messages/secrets";
import type { PublicationFolder } from "./publicationRecords";
import type { ResumeFolder } from "./resumeRecords";
import type { Fetch } from "../http/attempt";
import type { Pacers } from "../http/pacers";
import type { Slots } from "../http/slots";

/** All that one operation gets from the outside: behind it, nothing reads the machine's clock, network or environment. */
export interface Context {
  readonly configuration: ConfigurationSource;
  readonly fetch: Fetch;
  /** How the addresses of the hosts that links lead to are found. */
  readonly lookup: Lookup;
  readonly clock: Clock;
  /** When requests to the service go out: of all operations of this process. */
  readonly pacers: Pacers;
  /** How many bundles are downloaded at once by all operations of this process. */
  readonly downloads: Slots;
  readonly reporter: Reporter;
  /** Tells those who trace the run what is going on. */
  readonly tracer: Tracer;
  /** What this operation has read and nobody may see: whoever reads such a value adds it. */
  readonly secrets: Secrets;
  /** Where started jobs are remembered until the state has them. */
  readonly resumeRecords: Omit<ResumeFolder, "operationEnded">;
  /** Where publications are remembered until the state has them. */
  readonly publicationRecords: Omit<PublicationFolder, "operationEnded">;
  /** The resource's URN. Without it no job is remembered outside of the state. */
  readonly urn?: string;
  /** Its URN when the state was stored, where that was another one: it was renamed since. */
  readonly formerUrn?: string;
  /** Tells this machine from others, see `Machine`. */
  readonly machine: string;
  /** How many operations this process waits for at the moment, this one included: they share what may be asked. */
  readonly inFlight: () => number;
  /** Aborts when the user stops the operation; its reason is a `RunCancelledError`. */
  readonly signal: AbortSignal;
}
