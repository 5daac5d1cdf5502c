// What the words of a status mean: which ones end a job, and which clearly do not.
import { REMOVED } from "../base/runtime/messages/plainText";
import type { JobOutcome } from "./polling/jobWait";

/** Words of a success. */
const SUCCESS = "completed complete succeeded success successful successfully done finished passed";
/** Words of an end without one. */
const FAILURE =
  "fail failed failure error errors errored abort aborted cancel canceled cancelled expired timeout timedout oom terminated killed crash " +
  "crashed rejected refused declined denied exceeded stopped halted interrupted preempted evicted abandoned dead lost deleted removed " +
  "discarded revoked superseded skipped invalid unsuccessful unsuccessfully";

/** Statuses that clearly mean «not yet»: they need no warning. Every status that has no meaning here does, with a warning. */
export const PENDING: readonly string[] =
  "active created in_progress in-progress packaging pending processing queued rendering running started".split(
    " ",
  );

/** The meaning of a status by its last word. */
const BY_LAST_WORD = new Map<string, JobOutcome>([
  ...SUCCESS.split(" ").map((word) => [word, "success"] as const),
  ...FAILURE.split(" ").map((word) => [word, "failure"] as const),
]);

/** Words before the last one that say that the end is not there (yet): `not_completed`, `to_be_cancelled`, `half done`. */
const NOT_YET = new Set(
  "not no never be being almost nearly partly half until before when if cancel retry retrying waiting pending".split(
    " ",
  ),
);
/** Words that begin an addition: `completed_with_warnings`, `CANCELLED_BY_USER`. */
const ADDITION = /\b(?:with|without|by|after|due|because|in|during|for|at|on|of)\b.*/;
/** Words at the end that change no meaning: `failed_permanently`, `COMPLETED_V2`. */
const SURPLUS = /(?: (?:permanently|finally|unexpectedly|fatally|ok|already|now|v?\d+))+$/;

/** A status in words of lower case: `JOB_STATUS_COMPLETED`, `jobTimedOut`, `timed-out`. What was taken out of it is not a word. */
function wordsOf(status: string): string[] {
  const text = inLowerCase(status.replaceAll(REMOVED, " "))
    .replace(/\(.*\)/g, " ")
    .replace(/[^a-z0-9%]+/g, " ")
    .replace(/\bout of memory\b/g, "oom")
    .replace(/\btimed? out\b/g, "timedout")
    .replace(/\berrored out\b/g, "errored")
    .trim()
    .replace(ADDITION, "")
    .trim()
    .replace(SURPLUS, "")
    .replace(/([a-z])\d+$/, "$1")
    .replace(/ ?\b100 ?%/, "");
  return text.trim().split(" ");
}

/**
 * The meaning of a status that the API does not name, by its last word: a service that writes `succeeded`, `canceled` or
 * `JOB_STATUS_COMPLETED` will not write anything else later. `undefined` for every other one. Before a colon, an end counts, too: what
 * follows is its reason.
 *
 * @param status as the service wrote it
 */
export function endInWords(status: string): JobOutcome | undefined {
  const [first = "", ...others] = status.split(/:\s/);
  return (others.length > 0 ? endOf(first) : undefined) ?? endOf(status);
}

function endOf(status: string): JobOutcome | undefined {
  const words = wordsOf(status);
  const last = words.pop();
  if (last === undefined || words.some((word) => NOT_YET.has(word) || word.endsWith("%"))) return undefined;
  return BY_LAST_WORD.get(last);
}

/** A status in lower case, with its words kept apart: `jobCompleted` is `job_completed`, `OOMKilled` is `oom_killed`. */
export function inLowerCase(status: string): string {
  return status
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]{2,})([A-Z][a-z]{2,})/g, "$1_$2")
    .toLowerCase();
}
