/** Whether a job is pending or final. Only the code that reads a reply decides this. */
export type Outcome = "pending" | "success" | "failure";
