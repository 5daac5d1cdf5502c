import {
  KeyRejectedError,
  NotAllowedError,
  NotFoundError,
  NotReadyError,
  ResponseError,
} from "../runtime/messages/errors";
import { redact } from "../runtime/messages/plainText";
import { parseJson } from "../runtime/values/json";
import type { ReadReply } from "./attempt";
import { ONLY_HTTP2 } from "./attemptConnection";
import type { Endpoint, ServiceAccess } from "./endpoint";
import { QUOTE_LENGTH, webPageIn } from "./reply";
import type { FailedAttempt } from "./retryPolicy";

/** The remedy if a web page answered: then the status says nothing about a domain or a job. */
export const NOT_THE_API =
  "A web page answered, not the API of the service. Check the host and the path of the base URL, and that nothing in between (a proxy, a login page) answers in its place.";

/** Statuses that redirect a client to another URL. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Statuses of a server that does not accept this version of HTTP: Upgrade Required, AWS's load balancer, and the standard one. */
const REFUSED_VERSION = new Set([426, 464, 505]);

/** The service answered with an error status, see provider/service/README.md, Errors. */
export function refusal(
  endpoint: Endpoint,
  reply: Pick<ReadReply, "status" | "text" | "requestId"> & Partial<ReadReply>,
  access: ServiceAccess,
): FailedAttempt {
  const { status, retryAfterMs } = reply;
  const reason = serviceReason(reply.text);
  const requestId = redact(reply.requestId, QUOTE_LENGTH);
  const request = requestId && ` (request ${requestId})`;
  const answered = `${endpoint.name} answered ${status}${request}${reason && `: ${reason}`}`;
  const isWebPage = reply.text !== undefined && isOfAnother(status, reply.text);
  const isOfVersion = REFUSED_VERSION.has(status) || (status === 403 && /\bALPN\b/.test(reply.text ?? ""));
  const [Refusal, message, remedy] = isOfVersion
    ? ([ResponseError, answered, ONLY_HTTP2] as const)
    : explanation(status, answered, access, isWebPage);
  const isOfApi = reply.text !== undefined && hasReason(reply.text);
  const error = new Refusal(message, remedy, { status, requestId, isOfApi });
  return { fault: { kind: "status", status, retryAfterMs }, error };
}

/** Whether a page answered, or the router of a proxy, whose 404 is a text: the API's own replies are JSON. */
const isOfAnother = (status: number, text: string): boolean =>
  webPageIn(text) !== undefined || (status === 404 && text.trim() !== "" && parseJson(text) === undefined);

function explanation(
  status: number,
  answered: string,
  { apiKeyName, baseUrl }: ServiceAccess,
  isWebPage: boolean,
): readonly [typeof ResponseError, message: string, remedy: string] {
  if (status === 401) {
    const stored = apiKeyName.includes("the config ") ? LAST_KEY : "";
    const remedy = `Check that ${apiKeyName} holds a current admin API key of the right organization.${stored}`;
    return [KeyRejectedError, `the service rejected the API key (${answered})`, remedy];
  }
  if (status === 403) {
    return [
      NotAllowedError,
      `the service does not allow this (${answered})`,
      `One of three things: ${NOT_ALLOWED} Check the three in the dashboard.`,
    ];
  }
  if (status === 429) {
    return [ResponseError, `the service limits the rate of requests (${answered})`, "Try again later."];
  }
  // only the API itself can say that a job is gone, or not completed
  if (isWebPage && status >= 400 && status < 500) return [ResponseError, answered, NOT_THE_API];
  if (status === 404) {
    return [NotFoundError, answered, `Check the domain, the job id and the base URL.${pathRemedy(baseUrl)}`];
  }
  if (status === 409) return [NotReadyError, answered, "Try again when the job is completed."];
  if (REDIRECTS.has(status)) {
    const problem = `${answered}, a redirect: it is not followed, so that the API key is sent only to the base URL`;
    return [ResponseError, problem, "Set the base URL to the service's real address."];
  }
  if (status >= 500) return [ResponseError, answered, "The service has a problem: try again later."];
  return [ResponseError, answered, "Check the inputs and the base URL."];
}

/** What a key that is known may lack. */
export const NOT_ALLOWED: string =
  "the organization's plan has no static export (it needs the enterprise plan); the API key " +
  "lacks the scope (one that may only read can refresh, but not start); or this machine's address is not one that " +
  "the organization allows.";

/** A hint at the path of a base URL, which is often a page of the dashboard; empty without one. */
export function pathRemedy(baseUrl: string): string {
  const { pathname, origin } = new URL(baseUrl);
  if (pathname === "/") return "";
  return ` The base URL has the path ${pathname}: if the API is not below it, set the base URL to ${origin}.`;
}

/** Whether a reply gives a reason as the API does. Routers of frameworks have an `error`, too: it repeats the status beside it. */
function hasReason(text: string): boolean {
  const { error, status, statusCode } = Object(parseJson(text)) as Record<string, unknown>;
  if (typeof error !== "string" || error === "") return false;
  const isOfRouter = typeof (statusCode ?? status) === "number" && /^not found\W*$/i.test(error);
  return !isOfRouter;
}

/** The service's message: the field `error`, or the beginning of a text that is not JSON; a web page by its title. */
function serviceReason(text: string | undefined): string {
  if (text === undefined) return "";
  const body = parseJson(text);
  if (body === undefined) return webPageIn(text) ?? redact(text, QUOTE_LENGTH);
  const { error: reason } = Object(body) as { error?: unknown };
  return typeof reason === "string" ? redact(reason) : "";
}

/** The engine stores the configuration of a run, and uses it again where no program runs: of a key from the stack's configuration. */
const LAST_KEY =
  " If the key was replaced: `pulumi refresh` and `pulumi destroy --refresh` send the key of the last `pulumi up`. Run `pulumi up` first, or `pulumi refresh --run-program`.";
