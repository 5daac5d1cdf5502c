import type { FastifyInstance, FastifyReply } from "fastify";

/** Ends a request with a status and the body `{ error }`. */
export class Refusal extends Error {
  readonly statusCode: number;
  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** Every error body of the service has the one shape that the API shows: `{ error: string }`. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `there is no ${request.method} ${request.url.split("?")[0] ?? ""}` }),
  );
}

/**
 * Also handles errors before there is a route: a path that is not properly encoded. Unexpected errors of the service are only for
 * its operator: their messages name files of the machine.
 */
export function answerError(
  error: Error & { statusCode?: number },
  _request: unknown,
  reply: FastifyReply,
): void {
  const status = error.statusCode ?? 500;
  const isExpected = error instanceof Refusal || status < 500;
  if (!isExpected) console.error("reference-service:", error);
  void reply.code(status).send({
    error: isExpected ? error.message : "the service failed; what happened is in its own output",
  });
}
