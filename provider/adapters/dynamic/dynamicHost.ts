import type { Http2Server } from "node:http2";
import { createRequire } from "node:module";
import { type EngineLine, filled, linesInOrder, rowReporter } from "../session/rowReporter";
import { type Host, thisProcess, watchEngineAt } from "../session/session";

// Every private part of Pulumi's dynamic-provider process that this package uses. No release of Pulumi guarantees them. Each
// comment names what is lost if a part is missing; no operation fails because of it.

const CANCEL_PATH = "/pulumirpc.ResourceProvider/Cancel";

/** The HTTP/2 servers that receive the engine's calls. */
const watched = new WeakSet<Http2Server>();

/**
 * Calls `onCancel` at each `Cancel` call (Ctrl-C) from now on. The host answers this call without notifying its providers, so
 * this function watches the host's server. Watching a server twice has no effect. The engine also sends `Cancel` at the normal
 * end of every operation. If no server is found, Ctrl-C waits for the job as for any other resource.
 */
function watchForCancel(onCancel: () => void): void {
  const list = (process as { _getActiveHandles?: () => unknown[] })._getActiveHandles;
  // all servers: a closed server stays in the list for a while
  for (const server of (typeof list === "function" ? list.call(process) : []).filter(isHttp2Server)) {
    if (watched.has(server)) continue;
    watched.add(server);
    server.on("stream", (_stream, headers) => {
      if (headers[":path"] === CANCEL_PATH) onCancel();
    });
  }
}

function isHttp2Server(handle: unknown): handle is Http2Server {
  const { constructor, on } = Object(handle) as { constructor?: { name?: unknown }; on?: unknown };
  return constructor?.name === "Http2Server" && typeof on === "function";
}

/**
 * The engine's address: the last argument of the process. If it is wrong, lines are lost and the engine's end is not detected.
 */
export function engineAddress(): string {
  return process.argv.at(-1) ?? "";
}

/** The used part of the engine's client. */
interface EngineClient {
  log(request: object, done: () => void): void;
}

let send: ((line: EngineLine) => void) | undefined;

/** Sends a line to the engine, through modules that the host has loaded. If they are missing, lines are lost. */
export function sendLine(line: EngineLine): void {
  try {
    send ??= connectToEngine();
    send(line);
  } catch {
    send ??= () => undefined; // a host without these modules does not get them later
  }
}

function connectToEngine(): (line: EngineLine) => void {
  const hostRequire = createRequire(process.argv[1] ?? "");
  const { credentials } = hostRequire("@grpc/grpc-js") as { credentials: { createInsecure(): unknown } };
  const { EngineClient } = hostRequire("@pulumi/pulumi/proto/engine_grpc_pb") as {
    EngineClient: new (address: string, credentials: unknown) => EngineClient;
  };
  const { LogRequest } = hostRequire("@pulumi/pulumi/proto/engine_pb") as {
    LogRequest: new () => object;
  };
  const client = new EngineClient(engineAddress(), credentials.createInsecure());
  return linesInOrder((line, done) => client.log(filled(new LogRequest(), line), done));
}

/** The time limits of calls, by the properties that the host passes on. */
const callLimits = new WeakMap<object, { readonly limitMs: number | undefined }>();
let isReadingLimits = false;

/** A message of the host with the properties of a call. */
interface CallMessage {
  getTimeout(): number;
}
interface PropertiesMessage {
  toJavaScript(): object;
}

/**
 * The time limit that the engine gives a call of create or update: `customTimeouts` as transforms left them, and as the state shows
 * them. The host passes only properties on, so this reads the limit with them, from the classes of the host's messages.
 *
 * @param properties the object that the host passed to the call
 * @returns undefined if these classes have changed: then a `customTimeouts` of a transform is not noticed
 */
export function limitOfCall(properties: object): { readonly limitMs: number | undefined } | undefined {
  return callLimits.get(properties);
}

/** Begins to read the time limits of calls. Each call of create or update follows one of check, so none is missed. */
function readLimitsOfCalls(): void {
  if (isReadingLimits) return;
  isReadingLimits = true;
  try {
    const messages = createRequire(process.argv[1] ?? "")("@pulumi/pulumi/proto/provider_pb") as Record<
      string,
      { prototype: Record<string, unknown> }
    >;
    readLimits(messages["CreateRequest"]?.prototype, "getProperties");
    readLimits(messages["UpdateRequest"]?.prototype, "getNews");
  } catch {
    // a host without these classes
  }
}

function readLimits(message: Record<string, unknown> | undefined, getter: string): void {
  const get = message?.[getter];
  if (message === undefined || typeof get !== "function") return;
  message[getter] = function (this: CallMessage, ...given: unknown[]): unknown {
    const properties = Reflect.apply(get, this, given) as PropertiesMessage | undefined;
    if (typeof properties?.toJavaScript !== "function" || typeof this.getTimeout !== "function") {
      return properties;
    }
    const seconds = this.getTimeout();
    const limit = { limitMs: seconds > 0 ? seconds * 1_000 : undefined };
    const toJavaScript = properties.toJavaScript.bind(properties);
    properties.toJavaScript = () => {
      const plain = toJavaScript();
      callLimits.set(plain, limit);
      return plain;
    };
    return properties;
  };
}

/** Pulumi's dynamic-provider process. */
export const dynamicHost: Host = {
  ...thisProcess,
  reporter: (urn, isOneOfMany) => rowReporter(sendLine, urn, thisProcess.clock, isOneOfMany),
  watchForCancel: (onCancel) => {
    readLimitsOfCalls();
    watchForCancel(onCancel);
  },
  watchEngine: (onGone) => watchEngineAt(engineAddress(), onGone),
};
