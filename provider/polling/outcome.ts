/** How a job stands: still to come, or over. Decided where a reply is read, and nowhere else. */
export type Outcome = "pending" | "success" | "failure";
