import type { Answer, RawRequest } from "./scriptedServer.ts";
import { LINK_QUERY } from "./canary.ts";

/** A reply as it goes over the wire. Headers may be given that contradict the body. */
export function reply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string | number>> = {},
): Buffer {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const fields = { "content-type": "application/json", "content-length": bytes.length, ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Reason\r\n${lines.join("")}\r\n`), bytes]);
}

/** What a service that is well says to each of the three calls. */
export function goodBody({ method, path }: Pick<RawRequest, "method" | "path">): Record<string, unknown> {
  if (method === "GET") return { status: "running", progress: 20 };
  if (!path.endsWith("/bundle")) return { jobId: "job-1" };
  return {
    bundleUrl: `https://store.example.test/job-1.tar.gz?${LINK_QUERY}`,
    expiresAt: "2099-01-01T00:00:00Z",
  };
}

export const good: Answer = (socket, request) => socket.end(reply(200, goodBody(request)));

/** The first `times` requests meet a fault, the others a service that is well. */
export const atFirst =
  (fault: Answer, times = 1): Answer =>
  (socket, request, number) =>
    (number <= times ? fault : good)(socket, request, number);

/** An error reply whose text repeats what nobody may see, as the request carried it and in other forms. */
export const refuse =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (socket, request) => {
    const authorization = request.headers["authorization"] ?? "";
    const key = authorization.replace("Bearer ", "");
    const forms = [
      authorization,
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString("base64"),
      Buffer.from(authorization).toString("base64"),
      `https://store.example.test/job-1.tar.gz?${LINK_QUERY}`,
    ];
    socket.end(reply(status, { error: `the vendor's words, ${forms.join(", ")}, end` }, headers));
  };
