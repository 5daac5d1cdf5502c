// What the service saw, as a scenario writes it down.
import type { LoggedRequest } from "../../examples/reference-service/index.ts";

/** Where export jobs are. */
export const JOBS = "/v1/static-export/jobs";

/** The request that starts a job. */
export const START = `POST ${JOBS}`;

/** A look at a job. */
export const poll = (jobId: unknown): string => `GET ${JOBS}/${String(jobId)}`;

/** The request for a fresh link to a job. */
export const bundle = (jobId: unknown): string => `${START}/${String(jobId)}/bundle`;

/** Everything that one export asks for, from its start to its link. */
export const wholeExport = (jobId: unknown): string[] => [START, poll(jobId), bundle(jobId)];

/** A look at an agent's job of project p1. */
export const look = (id = "a1"): string => `GET /v2/agent/p1/job/${id}`;

/** The starts of export jobs among these. */
export const startsOf = (requests: readonly LoggedRequest[]): LoggedRequest[] =>
  requests.filter(({ method, path }) => `${method} ${path}` === START);

/** Which requests count. */
export type RequestFilter = (request: LoggedRequest) => boolean;

/** "METHOD path" of each request, polls in a row counted once. */
export function readRequests(
  requests: readonly LoggedRequest[],
  filter: RequestFilter = () => true,
): string[] {
  const seen = requests.filter(filter).map(({ method, path }) => `${method} ${path}`);
  return seen.filter((request, index) => request !== seen[index - 1]);
}

/** "METHOD path" of the requests for resources that are made side by side, in no order; looks at one job counted once. */
export function readSideBySide(requests: readonly LoggedRequest[]): string[] {
  const seen = requests.map(({ method, path }) => `${method} ${path}`);
  return seen
    .filter((request, index) => !request.startsWith("GET ") || seen.indexOf(request) === index)
    .sort();
}
