import type { FastifyInstance } from "fastify";
import { subjectOf } from "./requestLog.ts";

/** A request that has passed the key check, before it is handled. */
export interface InterceptedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly body: unknown;
  readonly domain?: string;
  readonly jobId?: string;
}

export interface InterceptorReply {
  /** @default 200 */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when it is a string. */
  body?: unknown;
  /**
   * Closes the connection without a reply, before the request is handled or after; a client cannot distinguish the two. Other
   * fields are then ignored.
   */
  hangUp?: "unprocessed" | "processed";
}

/** Decides whether something else than the service answers a request; undefined lets it through. */
export type Interceptor = (
  request: InterceptedRequest,
) => InterceptorReply | undefined | Promise<InterceptorReply | undefined>;

/** Calls the interceptors before each request, in the order they were added; the first reply counts. */
export function interceptRequests(
  app: FastifyInstance,
  interceptors: ReadonlySet<Interceptor>,
  domainOfJob: (jobId: string) => string | undefined,
): void {
  const hangingUp = new WeakSet();
  app.addHook("preHandler", async (request, reply) => {
    const path = request.url.split("?")[0] ?? "";
    const subject = subjectOf(request, domainOfJob);
    for (const interceptor of interceptors) {
      const answer = await interceptor({ method: request.method, path, body: request.body, ...subject });
      if (answer === undefined) continue;
      if (answer.hangUp === "processed") {
        hangingUp.add(request);
        return;
      }
      if (answer.hangUp === "unprocessed") {
        reply.hijack();
        request.raw.socket.destroy();
        return;
      }
      void reply
        .code(answer.status ?? 200)
        .headers({ "content-type": "application/json", ...answer.headers });
      return reply.send(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? ""));
    }
  });
  app.addHook("onSend", async (request, reply) => {
    if (!hangingUp.has(request)) return;
    reply.hijack();
    request.raw.socket.destroy();
    await new Promise(() => undefined); // the connection is closed: nothing can be sent
  });
}
