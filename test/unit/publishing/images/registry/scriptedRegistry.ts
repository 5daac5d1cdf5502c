import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { FetchError, Response } from "node-fetch";
import type { Fetch } from "../../../../../provider/base/http/attempt.ts";
import { Secrets } from "../../../../../provider/base/runtime/messages/secrets.ts";
import { type Clock, startDeadline } from "../../../../../provider/base/runtime/time/clock.ts";
import { type Actions, RegistryClient } from "../../../../../provider/publishing/images/registry/client.ts";
import { noPauses } from "../../../../simulation/noPauses.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";

/** A request as the registry received it. */
export interface Asked {
  readonly method: string;
  /** The whole address. */
  readonly url: string;
  /** Method and address; of the repository `docs/site` only what follows its name. */
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A reply, or a connection that breaks before it, after the body or after some bytes of it. */
export type Reply =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Content, text, or a value that is sent as JSON. */
      readonly body?: Buffer | string | object;
      /** Breaks the connection after the body. */
      readonly isCut?: boolean;
    }
  | { readonly error: string; readonly after?: number };

export interface ScriptedRegistry {
  readonly client: RegistryClient;
  readonly requests: readonly Asked[];
  /** The lines of all requests. */
  readonly lines: () => string[];
  readonly reporter: ReturnType<typeof recordingReporter>;
  readonly secrets: Secrets;
}

/** A client of the repository `docs/site` of `registry.internal`, whose answers are a function of the request. */
export function scriptedRegistry(
  answer: (request: Asked, number: number) => Reply,
  {
    actions = "pull,push",
    clock = noPauses,
    signal = new AbortController().signal,
    environment = {},
  }: {
    actions?: Actions;
    clock?: Clock;
    signal?: AbortSignal;
    environment?: Readonly<Record<string, string>>;
  } = {},
): ScriptedRegistry {
  const requests: Asked[] = [];
  const fetch: Fetch = async (url, init) => {
    const method = init.method ?? "GET";
    const line = `${method} ${url.replace("https://registry.internal/v2/docs/site/", "")}`;
    const asked = { method, url, line, headers: init.headers as Record<string, string> };
    const number = requests.push({ ...asked, body: Buffer.alloc(0) });
    const body = init.body as Buffer | AsyncIterable<Buffer> | undefined;
    const expected = said(answer({ ...asked, body: Buffer.alloc(0) }, number));
    if ("error" in expected) {
      let left = expected.after ?? Infinity;
      if (body !== undefined && !Buffer.isBuffer(body)) {
        for await (const chunk of body) if ((left -= chunk.length) <= 0) break;
      }
      throw broken(expected.error);
    }
    const whole = body === undefined || Buffer.isBuffer(body) ? body : await buffer(body);
    requests[number - 1] = { ...asked, body: whole ?? Buffer.alloc(0) };
    return replied(expected, method);
  };
  const reporter = recordingReporter();
  const secrets = new Secrets();
  const context = {
    fetch,
    clock,
    reporter,
    secrets,
    signal,
    deadline: startDeadline(clock, 30 * 60_000),
    environment: (name: string) => environment[name],
  };
  const repository = { host: "registry.internal", path: "docs/site" };
  const client = new RegistryClient(repository, context, { actions });
  return { client, requests, lines: () => requests.map(({ line }) => line), reporter, secrets };
}

/** As distribution says what there is not: a 404 that has no more than its status is the registry's own. */
function said(reply: Reply): Reply {
  const isOwn = "status" in reply && reply.status === 404 && !reply.headers && reply.body === undefined;
  if (!isOwn) return reply;
  const headers = { "docker-distribution-api-version": "registry/2.0" };
  return { status: 404, headers, body: { errors: [{ code: "MANIFEST_UNKNOWN" }] } };
}

function replied(
  { status = 200, headers = {}, body = "", isCut = false }: Exclude<Reply, { error: string }>,
  method: string,
): Response {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  async function* content(): AsyncGenerator<Buffer> {
    yield bytes;
    await new Promise((resolve) => setImmediate(resolve)); // the bytes arrive first
    if (isCut) throw broken("ECONNRESET");
  }
  return new Response(method === "HEAD" ? undefined : Readable.from(content(), { objectMode: false }), {
    status,
    headers,
  });
}

function broken(code: string): FetchError {
  const systemError = { message: code, code } as unknown as Record<string, unknown>;
  return new FetchError("the connection broke", "system", systemError);
}
