import { LINK_QUERY } from "./canary.ts";
import type { Answer, RawRequest } from "./scriptedServer.ts";

/** A reply as it is sent. Its headers may contradict the body. */
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

/** When its links end. */
export const LINK_END = "2030-01-01T00:00:00Z";

/** The replies of a working service to each of the three calls. */
export function goodBody({ method, path }: Pick<RawRequest, "method" | "path">): Record<string, unknown> {
  if (method === "GET") return { status: "running", progress: 20 };
  if (!path.endsWith("/bundle")) return { jobId: "job-1" };
  return {
    bundleUrl: `https://store.example.test/job-1.tar.gz?${LINK_QUERY}`,
    expiresAt: LINK_END,
  };
}

export const good: Answer = (socket, request) => socket.end(reply(200, goodBody(request)));

/** The first `times` requests get a fault, the others a working service. */
export const atFirst =
  (fault: Answer, times = 1): Answer =>
  (socket, request, number) =>
    (number <= times ? fault : good)(socket, request, number);

/** An error reply whose text repeats secrets, as in the request and in other forms. */
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
