import { Client } from "../service/client";
import { isApiKeyPadded, serviceSettings } from "../service/configuration";
import { startDeadline, type Deadline } from "../runtime/time/deadline";
import type { Context } from "./context";

/** The parts of an operation's context that requests to the service need. */
export type ClientContext = Pick<
  Context,
  "configuration" | "fetch" | "clock" | "pacers" | "reporter" | "tracer" | "secrets" | "signal"
>;

/** A context with a client of the service and a deadline. */
export type ServiceContext<Given extends ClientContext = Context> = Given & {
  readonly client: Client;
  readonly deadline: Deadline;
};

/**
 * Opens a client of the service for one operation.
 *
 * @param limit of the operation: in milliseconds from now on, or the deadline of an operation that has begun
 * @throws ConfigurationError
 */
export function openClient<Given extends ClientContext>(
  context: Given,
  inputs: { baseUrl?: string; apiKeyEnv?: string },
  limit: number | Deadline,
): ServiceContext<Given> {
  const { configuration, reporter } = context;
  const deadline = typeof limit === "number" ? startDeadline(context.clock, limit) : limit;
  const service = serviceSettings(configuration, inputs);
  if (isApiKeyPadded(configuration, inputs.apiKeyEnv)) {
    reporter.warn(
      `the admin API key in ${service.apiKeyName} has white space around it, such as a line break: the white space is not sent`,
    );
  }
  return { ...context, deadline, client: new Client({ ...context, service, deadline }) };
}
