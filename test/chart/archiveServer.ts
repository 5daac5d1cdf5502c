import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** Bytes. Longer links are not expected. */
const LONGEST_LINK = 65_536;

/** Answers one request; the number of the request counts from 0. */
export type Answer = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** A store on the loopback that answers as a test says, and records the requests. */
export interface ArchiveServer {
  /** `http://127.0.0.1:port` */
  url: string;
  requests: { target: string; headers: IncomingMessage["headers"]; timeMs: number }[];
  answer: Answer;
  close(): Promise<void>;
}

export async function startArchiveServer(
  answer: Answer,
  tls?: { key: string; cert: string },
): Promise<ArchiveServer> {
  const requests: ArchiveServer["requests"] = [];
  const listener: RequestListener = (request, response) => {
    requests.push({ target: request.url ?? "", headers: request.headers, timeMs: performance.now() });
    started.answer(request, response, requests.length - 1);
  };
  const server = tls
    ? createTlsServer(tls, listener)
    : createServer({ maxHeaderSize: LONGEST_LINK + 16_384 }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const started: ArchiveServer = {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    requests,
    answer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return started;
}

/** The whole archive, with a true length. */
export function send(archive: Buffer, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-length": archive.length, ...headers });
    response.end(archive);
  };
}

/** A true length, but the connection is closed after this number of bytes. */
export function cutOff(
  archive: Buffer,
  bytes: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-length": archive.length, ...headers });
    response.flushHeaders();
    response.write(archive.subarray(0, bytes), () => setTimeout(() => response.socket?.destroy(), 20));
  };
}

/** Sends this number of bytes a second, and resumes by RFC 9110. `sent` counts the bytes. */
export function slowly(
  archive: Buffer,
  etag: string,
  bytesPerSecond: number,
  sent: { bytes: number },
): Answer {
  return ({ headers }, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    if (headers["if-match"] !== undefined && headers["if-match"] !== etag) {
      response.writeHead(412).end();
      return;
    }
    response.writeHead(start > 0 ? 206 : 200, {
      etag,
      "content-length": archive.length - start,
      ...(start > 0 && { "content-range": `bytes ${start}-${archive.length - 1}/${archive.length}` }),
    });
    const TICKS = 50;
    let at = start;
    const timer = setInterval(() => {
      const part = archive.subarray(at, at + bytesPerSecond / TICKS);
      at += part.length;
      sent.bytes += part.length;
      response.write(part);
      if (at < archive.length) return;
      clearInterval(timer);
      response.end();
    }, 1000 / TICKS);
    response.on("close", () => {
      clearInterval(timer);
    });
  };
}

export function refuse(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (request, response) => {
    response.writeHead(status, headers);
    // storage services do quote the request in their errors
    response.end(`<Error><Request>${request.url ?? ""}</Request></Error>`);
  };
}

/** The replies in turn, then the last one repeatedly. */
export function inTurn(...answers: readonly Answer[]): Answer {
  return (request, response, number) => {
    answers[Math.min(number, answers.length - 1)]?.(request, response, number);
  };
}
