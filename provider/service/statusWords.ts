import type { Outcome } from "./polling/progress";

/** Words of a success. */
const SUCCESS = "completed complete succeeded success successful successfully done finished passed";
/** Words of an end without one. */
const FAILURE =
  "failed failure error errored aborted canceled cancelled expired timeout timedout terminated killed crashed rejected exceeded " +
  "stopped interrupted preempted evicted abandoned dead denied unsuccessful unsuccessfully";

/** The meaning of a status by its last word. */
const BY_LAST_WORD = new Map<string, Outcome>([
  ...SUCCESS.split(" ").map((word) => [word, "success"] as const),
  ...FAILURE.split(" ").map((word) => [word, "failure"] as const),
]);

/** Words before the last one that say that the end is not there (yet): `not_completed`, `to_be_cancelled`. */
const NOT_YET = new Set([
  "not",
  "no",
  "never",
  "be",
  "being",
  "almost",
  "nearly",
  "until",
  "before",
  "when",
  "if",
]);

/** A status in words of lower case: `JOB_STATUS_COMPLETED`, `jobTimedOut`, `timed-out`. */
function wordsOf(status: string): string[] {
  const text = inLowerCase(status).replace(/[^a-z0-9]+/g, " ");
  const words = text
    .replace(/\btimed out\b/g, "timedout")
    .trim()
    .split(" ");
  // `completed_with_warnings`
  const extra = words.indexOf("with");
  return extra > 0 ? words.slice(0, extra) : words;
}

/**
 * The meaning of a status that the API does not name, by its last word: a service that writes `succeeded`, `canceled` or
 * `JOB_STATUS_COMPLETED` will not write anything else later. `undefined` for every other one.
 *
 * @param status as the service wrote it
 */
export function endInWords(status: string): Outcome | undefined {
  const words = wordsOf(status);
  const last = words.pop();
  if (last === undefined || words.some((word) => NOT_YET.has(word))) return undefined;
  return BY_LAST_WORD.get(last);
}

/** A status in lower case, with its words kept apart: `jobCompleted` is `job_completed`. */
export function inLowerCase(status: string): string {
  return status.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}
