import { Metadata, type sendUnaryData, type ServerUnaryCall, status, type StatusObject } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Message } from "google-protobuf";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Secrets } from "../../base/runtime/messages/secrets";
import { filled, type MessageFields, shownFailure } from "../session/rowReporter";

/** Longest details of an error, in bytes: a trailer of more than 16 MiB, as base64, makes the engine close the connection. */
const LONGEST_DETAILS = 10 * 2 ** 20;

export interface PluginCall<Request> {
  readonly request: Request;
  /** Secret values that the call reads: no reply contains them in plain text. */
  readonly secrets: Secrets;
  /** The call's span, in the form of the header `traceparent`. */
  readonly traceParent: string | undefined;
  /** The other end of the connection: an engine has one, and all its calls come by it. */
  readonly peer: string;
}

/** An operation that failed after some progress: the engine stores the resource with these fields. */
export class PartialResult extends Error {
  readonly fields: MessageFields<ErrorResourceInitFailed>;

  constructor(message: string, fields: PartialResult["fields"]) {
    super(message);
    this.fields = fields;
  }
}

/** A call with a missing or malformed property. */
export class InvalidCallError extends Error {}

/** Answers a call. Every failure ends the call with an error, and the process continues. */
export function answering<Request, Reply extends Message>(
  handle: (call: PluginCall<Request>) => Reply | Promise<Reply>,
): (call: ServerUnaryCall<Request, Reply>, callback: sendUnaryData<Reply>) => void {
  return (received, callback) => {
    const { request, metadata } = received;
    const secrets = new Secrets();
    const [traceParent] = metadata.get("traceparent");
    const call = { request, secrets, traceParent: traceParent?.toString(), peer: received.getPeer() };
    void (async () => {
      try {
        callback(null, await handle(call));
      } catch (error) {
        callback(failureOf(error, secrets), null);
      }
    })();
  };
}

function failureOf(error: unknown, secrets: Secrets): Partial<StatusObject> {
  const details = shownFailure(error, secrets);
  const code = error instanceof InvalidCallError ? status.INVALID_ARGUMENT : status.UNKNOWN;
  // without the partial result, the next run finds the started job by its resume record
  const metadata = error instanceof PartialResult ? partialResult(error, details) : undefined;
  return { code, details, ...(metadata && { metadata }) };
}

/** The trailer in which gRPC carries details of an error; the engine finds the partial result there. */
function partialResult({ fields }: PartialResult, message: string): Metadata | undefined {
  const partial = filled(new ErrorResourceInitFailed(), { ...fields, reasonsList: [message] });
  const detail = new Any();
  detail.pack(partial.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const whole = filled(new Status(), { code: status.UNKNOWN, message });
  whole.addDetails(detail);
  const bytes = whole.serializeBinary();
  if (bytes.length > LONGEST_DETAILS) return undefined;
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(bytes));
  return metadata;
}
