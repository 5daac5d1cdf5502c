import { MalformedResponseError } from "../messages/errors";

/** What to do about a reply that may be another program's. */
const CHECK_BASE_URL =
  "Check that the base URL is that of the service; if it is, report this to the service's support.";

/**
 * A reply that is not as it should be, in the one form in which that is said.
 *
 * @param endpoint method and URL
 * @param what goes on after «answered»: `without a "status"`
 * @param remedy what to do about it
 */
export function malformed(endpoint: string, what: string, remedy = CHECK_BASE_URL): MalformedResponseError {
  return new MalformedResponseError(`${endpoint} answered ${what}`, remedy);
}
