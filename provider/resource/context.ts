import type { Lookup } from "../base/http/address";
import type { NetworkContext } from "../base/http/attempt";
import type { Pacers } from "../base/http/pacer";
import type { Tracer } from "../base/runtime/tracing/tracer";
import type { ConfigurationSource } from "../service/configuration";
import type { JobsSeen } from "../service/jobsSeen";
import type { ResumeFolder } from "./resumeRecords";

/** Every external dependency of one operation: no other code reads the machine's clock, network or environment. */
export interface Context extends Omit<NetworkContext, "deadline"> {
  readonly configuration: ConfigurationSource;
  /** Resolves the hosts of links. */
  readonly lookup: Lookup;
  /** Pace the requests to the service, for all operations of this process. */
  readonly pacers: Pacers;
  /** The jobs that the operations of this process asked for. */
  readonly jobsSeen: JobsSeen;
  /** Traces the operation. */
  readonly tracer: Tracer;
  /** Stores started jobs until the state has them. */
  readonly resumeRecords: Omit<ResumeFolder, "operationEnded">;
  /** The resource's URN. Without it no job is stored outside of the state. */
  readonly urn?: string;
  /** The resource's URN in the state, if the resource was renamed since. */
  readonly formerUrn?: string;
  /** Name of this machine, see `Machine`. */
  readonly machine: string;
  /** Number of operations that this process is running, including this one: they share the request rate. */
  readonly runningOperations: () => number;
}
