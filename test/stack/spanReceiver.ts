// The receiver of Pulumi's traces: OTLP over gRPC, without TLS. Parses the needed part of the protocol by its public description
// (https://github.com/open-telemetry/opentelemetry-proto).
import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";

const require = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
const grpc = require("@grpc/grpc-js") as typeof Grpc;

/** A message of protobuf, field by field: numbers as numbers, all else as bytes. */
type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it begins a trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Receives spans, and keeps them. */
export interface SpanReceiver {
  /** `localhost:PORT`, as Pulumi gives it. */
  readonly endpoint: string;
  /** Those of a service. */
  spansOf(service: string): ReceivedSpan[];
  /** Every byte that was sent. */
  everything(): Buffer;
  close(): void;
}

/** @param answers from the beginning; else it accepts the data, and never answers */
export async function startSpanReceiver({ answers = true } = {}): Promise<SpanReceiver> {
  const received: Buffer[] = [];
  const asIs = (bytes: Buffer): Buffer => bytes;
  const server = new grpc.Server();
  server.addService(
    {
      export: {
        path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
        requestStream: false,
        responseStream: false,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    },
    {
      export(call: Grpc.ServerUnaryCall<Buffer, Buffer>, done: Grpc.sendUnaryData<Buffer>) {
        received.push(call.request);
        if (answers) done(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("localhost:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    endpoint: `localhost:${port}`,
    spansOf: (service) => received.flatMap(spansIn).filter((span) => span.service === service),
    everything: () => Buffer.concat(received),
    close: () => server.forceShutdown(),
  };
}

function spansIn(request: Buffer): ReceivedSpan[] {
  return within(fields(request), 1).flatMap((resourceSpans) => {
    const [resource] = within(resourceSpans, 1);
    const service = String(attributesIn(resource, 1)["service.name"]);
    return within(resourceSpans, 2)
      .flatMap((scopeSpans) => within(scopeSpans, 2))
      .map((span) => ({
        service,
        traceId: bytesIn(span, 1).toString("hex"),
        spanId: bytesIn(span, 2).toString("hex"),
        parentSpanId: bytesIn(span, 4).toString("hex"),
        name: bytesIn(span, 5).toString(),
        attributes: attributesIn(span, 9),
      }));
  });
}

function attributesIn(message: Fields | undefined, number: number): Record<string, string | number> {
  const pairs = message ? within(message, number) : [];
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value] = within(pair, 2);
      const text = value?.get(1)?.[0];
      return [
        bytesIn(pair, 1).toString(),
        Buffer.isBuffer(text) ? text.toString() : Number(value?.get(3)?.[0]),
      ];
    }),
  );
}

const bytesIn = (message: Fields, number: number): Buffer => {
  const [value] = message.get(number) ?? [];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
};
const within = (message: Fields, number: number): Fields[] =>
  (message.get(number) ?? []).flatMap((value) => (Buffer.isBuffer(value) ? [fields(value)] : []));

/** https://protobuf.dev/programming-guides/encoding/ */
function fields(bytes: Buffer): Fields {
  const found = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, type] = [tag >> 3, tag & 7];
    const value = type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : Number(varint()));
    found.set(number, [...(found.get(number) ?? []), value]);
  }
  return found;
}
