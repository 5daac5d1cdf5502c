import { Client } from "../service/client";
import { isApiKeyPadded, serviceSettings } from "../service/configuration";
import type { Context } from "./context";
import { startDeadline, type Deadline } from "../time/deadline";

/** What asking the service needs of an operation's context. */
export type ConnectionContext = Pick<Context, "configuration" | "fetch" | "clock" | "reporter" | "signal">;

/**
 * The service, for one operation.
 *
 * @param limitMs time limit of the operation in milliseconds, from now on
 * @throws ConfigurationError
 */
export function connect(
  context: ConnectionContext,
  inputs: { baseUrl?: string; apiKeyEnv?: string },
  limitMs: number,
): { client: Client; deadline: Deadline } {
  const { clock, fetch, reporter, signal, configuration } = context;
  const deadline = startDeadline(clock, limitMs);
  const service = serviceSettings(configuration, inputs);
  if (isApiKeyPadded(configuration, inputs.apiKeyEnv)) {
    reporter.warn(
      `the admin API key in ${service.apiKeyName} has white space around it, such as a line end: it is sent without`,
    );
  }
  return { client: new Client({ service, fetch, clock, reporter, signal, deadline }), deadline };
}
