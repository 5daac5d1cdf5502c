import { FetchError, Headers, type RequestInit, type Response } from "node-fetch";
import type { Fetch } from "../../provider/base/http/attempt.ts";

/** One reply of the script: a body is sent as JSON unless it is text; an error is a broken connection. */
export type ScriptedReply =
  | { status?: number; headers?: Record<string, string>; body?: unknown; text?: string | Uint8Array }
  | { error: string }
  | "never";

/** A request as the service would have received it. */
export interface SeenRequest {
  method: string;
  url: string;
  path: string;
  body: unknown;
  headers: Record<string, string>;
}

/** A `fetch` that answers by a function of the request, at once, and records the requests. */
export function scriptedFetch(answer: (request: SeenRequest, number: number) => ScriptedReply): {
  fetch: Fetch;
  requests: SeenRequest[];
} {
  const requests: SeenRequest[] = [];
  const fetch: Fetch = (url, init) => {
    const request: SeenRequest = {
      method: init.method ?? "GET",
      url,
      path: new URL(url).pathname,
      body: typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : undefined,
      headers: init.headers as Record<string, string>,
    };
    requests.push(request);
    const reply = answer(request, requests.length);
    if (reply === "never") return untilAborted(init);
    if ("error" in reply) {
      const systemError = { message: reply.error, code: reply.error } as unknown as Record<string, unknown>;
      return Promise.reject(new FetchError(`request to ${url} failed`, "system", systemError));
    }
    return Promise.resolve(response(reply));
  };
  return { fetch, requests };
}

function untilAborted(init: RequestInit): Promise<Response> {
  return new Promise((_, reject) => {
    init.signal?.addEventListener("abort", () => {
      reject(Object.assign(new Error("The operation was aborted."), { name: "AbortError" }));
    });
  });
}

/** The part of a Response that the transport uses, without node-fetch's streams, which take turns of the event loop. */
function response(reply: Exclude<ScriptedReply, { error: string } | "never">): Response {
  const status = reply.status ?? 200;
  const text = reply.text ?? JSON.stringify(reply.body ?? {});
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: new Headers(reply.headers ?? {}),
    body: {
      on: (event: string, listener: (piece?: Uint8Array) => void) => {
        if (event === "data") listener(bytes);
        if (event === "end") listener();
      },
      resume: () => undefined,
    },
    arrayBuffer: () => Promise.resolve(Uint8Array.from(bytes).buffer),
  } as unknown as Response;
}
