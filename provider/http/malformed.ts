import { MalformedResponseError } from "../runtime/messages/errors";

/** The remedy for a reply that may come from another program. */
const CHECK_BASE_URL =
  "Check that the base URL is that of the service; if it is, report this to the service's support.";

/**
 * The error for a reply that does not match the API.
 *
 * @param endpoint method and URL
 * @param what the text after «answered»: `without a "status"`
 * @param remedy what the user should do
 */
export function malformed(endpoint: string, what: string, remedy = CHECK_BASE_URL): MalformedResponseError {
  return new MalformedResponseError(`${endpoint} answered ${what}`, remedy);
}
