// All that is private to Pulumi's dynamic-provider process and used here. No release of Pulumi promises any of it: each
// access says what is missing where it is gone, and nothing fails for it.
import { createRequire } from "node:module";
import { connect } from "node:net";

const CANCEL_PATH = "/pulumirpc.ResourceProvider/Cancel";

/** The HTTP/2 server on which the engine's calls arrive, as much of it as is used. */
interface EngineServer {
  on(
    event: "stream",
    listener: (stream: unknown, headers: Readonly<Record<string, unknown>>) => void,
  ): unknown;
}

const watched = new WeakSet<EngineServer>();

/**
 * Calls `onCancel` at each `Cancel` call (Ctrl-C) from now on, which the host answers without telling its providers: it is seen on
 * the host's own server. Watching the same server again changes nothing. The engine also sends one at the normal end of every
 * operation. Where the server is not found, Ctrl-C only waits for the job as it would for any other resource.
 */
export function watchForCancel(onCancel: () => void): void {
  const list = (process as { _getActiveHandles?: () => unknown[] })._getActiveHandles;
  // every one: a server that was closed stays in the list for a while
  for (const server of (typeof list === "function" ? list.call(process) : []).filter(isHttp2Server)) {
    if (watched.has(server)) continue;
    watched.add(server);
    server.on("stream", (_stream, headers) => {
      if (headers[":path"] === CANCEL_PATH) onCancel();
    });
  }
}

function isHttp2Server(handle: unknown): handle is EngineServer {
  return (
    typeof handle === "object" &&
    handle !== null &&
    (handle as { constructor?: { name?: unknown } }).constructor?.name === "Http2Server" &&
    typeof (handle as { on?: unknown }).on === "function"
  );
}

/** The engine's address, which is the last argument of the process. Where it is another one, lines are lost, and its end is not noticed. */
function engineAddress(): string {
  return process.argv.at(-1) ?? "";
}

/** How long after a lost connection the engine is asked again, in milliseconds. */
const AGAIN_MS = 500;

let isEngineWatched = false;

/**
 * Calls back once when the engine is gone: a connection to it ends, and a next one is refused. The host itself lives on then, as
 * does what it waits for. An address where nobody ever listened is not watched.
 */
export function watchEngine(onGone: () => void, address = engineAddress()): void {
  if (isEngineWatched) return;
  isEngineWatched = true;
  const colon = address.lastIndexOf(":");
  const port = Number(address.slice(colon + 1));
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) return;
  const ours = engineAddress();
  let wasThere = false;
  const watch = (): void => {
    let reason: string | undefined;
    const connection = connect({ host: address.slice(0, Math.max(0, colon)) || "127.0.0.1", port }, () => {
      wasThere = true;
    });
    connection.unref();
    connection.on("error", ({ code }: NodeJS.ErrnoException) => (reason = code));
    connection.resume(); // else its end is not seen
    connection.once("close", () => {
      // a process that serves another engine by now stays: tests use processes again
      if (!wasThere || engineAddress() !== ours) return;
      if (reason === "ECONNREFUSED") onGone();
      else setTimeout(watch, AGAIN_MS).unref();
    });
  };
  watch();
}

/** `LogRequest` of Pulumi's engine protocol, see https://github.com/pulumi/pulumi/blob/master/proto/pulumi/engine.proto */
interface LogRequest {
  setSeverity(severity: number): void;
  setMessage(message: string): void;
  setUrn(urn: string): void;
  setEphemeral(ephemeral: boolean): void;
}
interface EngineClient {
  log(request: LogRequest, done: (error: unknown) => void): void;
}

/** A line for the engine. @param urn of the resource on whose row it is shown; "" for the stack's */
export interface EngineLine {
  readonly severity: number;
  readonly message: string;
  readonly urn: string;
  readonly ephemeral: boolean;
}

let send: ((line: EngineLine) => void) | undefined;

/** Sends a line to the engine, by modules of the host that are already loaded. Where they are gone, lines are lost. */
export function sendLine(line: EngineLine): void {
  try {
    send ??= connectToEngine();
    send(line);
  } catch {
    send ??= () => undefined; // a host without them has none later
  }
}

function connectToEngine(): (line: EngineLine) => void {
  const hostRequire = createRequire(process.argv[1] ?? "");
  const { credentials } = hostRequire("@grpc/grpc-js") as { credentials: { createInsecure(): unknown } };
  const { EngineClient } = hostRequire("@pulumi/pulumi/proto/engine_grpc_pb") as {
    EngineClient: new (address: string, credentials: unknown) => EngineClient;
  };
  const { LogRequest } = hostRequire("@pulumi/pulumi/proto/engine_pb") as {
    LogRequest: new () => LogRequest;
  };
  const client = new EngineClient(engineAddress(), credentials.createInsecure());
  return ({ severity, message, urn, ephemeral }) => {
    const request = new LogRequest();
    request.setSeverity(severity);
    request.setMessage(message);
    request.setUrn(urn);
    request.setEphemeral(ephemeral);
    client.log(request, () => undefined);
  };
}
