import { createRequire } from "node:module";
import { engineServers, type EngineServer, type EngineStream } from "./engineServers";

/** Calls that are operations, and the messages that they bring. */
const OPERATION = /^\/pulumirpc\.ResourceProvider\/(Create|Read|Update|Delete)$/;
/** Of a gRPC message, in bytes: whether it is compressed, and its length. */
const HEAD_BYTES = 5;

type Messages = Partial<Record<string, { deserializeBinary(bytes: Uint8Array): { getUrn(): string } }>>;

/**
 * The spans that the engine has of its calls. It names them in the header `traceparent` of each call, which the
 * dynamic-provider process passes over, as it does the URN: both are read where they arrive. Best effort: where something of
 * this is missing, the provider's spans are a trace of their own.
 */
export class CallerSpans {
  readonly #watched = new WeakSet<EngineServer>();
  /** By URN: of the operation that is about to begin. */
  readonly #spans = new Map<string, string>();

  /** From now on calls are noticed. Listening twice changes nothing. */
  listen(): void {
    for (const server of engineServers()) {
      if (this.#watched.has(server)) continue;
      this.#watched.add(server);
      server.on("stream", (stream, headers) => {
        const { ":path": path, traceparent } = headers;
        const method = OPERATION.exec(String(path))?.[1];
        if (method === undefined || typeof traceparent !== "string") return;
        onMessage(stream, (message) => {
          const urn = urnIn(method, message);
          if (urn !== undefined) this.#spans.set(urn, traceparent);
        });
      });
    }
  }

  /** The span of the last operation that the engine asked for of a resource, as `traceparent` has it; each is given out once. */
  take(urn: string): string | undefined {
    const span = this.#spans.get(urn);
    this.#spans.delete(urn);
    return span;
  }
}

/** Calls back with the only message of a call as soon as it is there: before the host begins with it. */
function onMessage(stream: EngineStream, use: (message: Buffer) => void): void {
  let chunks: Buffer[] = [];
  let received = 0;
  let expected = Infinity;
  stream.on("data", (bytes) => {
    chunks.push(bytes);
    received += bytes.length;
    if (expected === Infinity && received >= HEAD_BYTES) {
      expected = HEAD_BYTES + Buffer.concat(chunks).readUInt32BE(1);
    }
    if (received < expected) return;
    use(Buffer.concat(chunks).subarray(HEAD_BYTES, expected));
    chunks = [];
    received = -Infinity;
  });
}

/** Read by the host's own modules, which are already loaded in this process. */
function urnIn(method: string, message: Buffer): string | undefined {
  try {
    const hostRequire = createRequire(process.argv[1] ?? "");
    const messages = hostRequire("@pulumi/pulumi/proto/provider_pb") as Messages;
    return messages[`${method}Request`]?.deserializeBinary(message).getUrn();
  } catch {
    return undefined;
  }
}
