// The requests that the service received, as scenarios write them.
import type { LoggedRequest } from "../../examples/reference-service/index.ts";

/** Path of export jobs. */
export const JOBS = "/v1/static-export/jobs";

/** The request that starts a job. */
export const START = `POST ${JOBS}`;

/** A poll of a job. */
export const poll = (jobId: unknown): string => `GET ${JOBS}/${String(jobId)}`;

/** The request for a new link to a job. */
export const bundle = (jobId: unknown): string => `${START}/${String(jobId)}/bundle`;

/** All requests of one export, from its start to its link. */
export const wholeExport = (jobId: unknown): string[] => [START, poll(jobId), bundle(jobId)];

/** A poll of an agent job of project p1. */
export const readAgentJob = (id = "a1"): string => `GET /v2/agent/p1/job/${id}`;

/** The starts of export jobs among these. */
export const startsOf = (requests: readonly LoggedRequest[]): LoggedRequest[] =>
  requests.filter(({ method, path }) => `${method} ${path}` === START);

/** Selects the counted requests. */
export type RequestFilter = (request: LoggedRequest) => boolean;

/** "METHOD path" of each request, consecutive polls once. */
export function readRequests(
  requests: readonly LoggedRequest[],
  filter: RequestFilter = () => true,
): string[] {
  const seen = requests.filter(filter).map(({ method, path }) => `${method} ${path}`);
  return seen.filter((request, index) => request !== seen[index - 1]);
}

/** "METHOD path" of the requests for concurrent resources, sorted; polls of one job once. */
export function readSideBySide(requests: readonly LoggedRequest[]): string[] {
  const seen = requests.map(({ method, path }) => `${method} ${path}`);
  return seen
    .filter((request, index) => !request.startsWith("GET ") || seen.indexOf(request) === index)
    .sort();
}
