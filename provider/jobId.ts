/** What can be an id: visible ASCII, short enough for a path. The API does not say more, see `spec.md`, Static export job. */
const JOB_ID = /^[\x21-\x7e]{1,512}$/;

/** Whether a text can be the id of a job and be sent as one segment of a path. */
export function isJobId(value: unknown): value is string {
  return typeof value === "string" && JOB_ID.test(value) && value !== "." && value !== "..";
}
