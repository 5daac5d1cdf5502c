import { AsyncLocalStorage } from "node:async_hooks";
import * as api from "@opentelemetry/api";
import { redact } from "../../base/runtime/messages/plainText";
import { Secrets } from "../../base/runtime/messages/secrets";
import { type Clock, endsWithin } from "../../base/runtime/time/clock";
import type { Attributes, SpanMaker, TracedOperation, Tracer } from "../../base/runtime/tracing/tracer";
import { UnfinishedError } from "../../resource/lifeCycle";

/** How long an operation waits at its end until its spans are sent, in milliseconds. */
const FLUSH_LIMIT_MS = 1_000;

/** https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The parts of OpenTelemetry that create and send spans. */
export interface SpanBackend {
  readonly tracer: api.Tracer;
  /** Resolves when all ended spans are delivered. */
  readonly flush: () => Promise<void>;
  readonly clock: Pick<Clock, "after">;
  /** The span of the run, from the variable `TRACEPARENT`: the parent of all operations' spans. */
  readonly run?: string | undefined;
}

/** A running span. */
interface Frame {
  readonly span: api.Span;
  /** Attributes that its child spans inherit. */
  inherited: Attributes;
  readonly secrets: Secrets;
}

/** The frame outside any operation: no attributes and no secrets. */
const NO_FRAME: Partial<Frame> & Omit<Frame, "span"> = { inherited: {}, secrets: new Secrets() };

/** Creates OpenTelemetry spans. Spans nest as the traced calls nest. */
export class Spans implements SpanMaker, Tracer {
  readonly #backend: SpanBackend;
  readonly #frames = new AsyncLocalStorage<Frame>();
  /** Whether the last spans could not be sent in time. Operations then do not wait for spans until sending works again. */
  #isLate = false;

  constructor(backend: SpanBackend) {
    this.#backend = backend;
  }

  async operation<T>(
    { name, urn, debug, secrets, traceParent }: TracedOperation,
    run: (tracer: Tracer) => Promise<T>,
  ): Promise<T> {
    const parent = this.#parentOf(traceParent ?? this.#backend.run ?? "");
    const frame = { inherited: { "pulumi.urn": urn }, secrets };
    try {
      return await this.#run(`docs_hosting.${name}`, {}, frame, parent, () => run(this));
    } finally {
      await this.#flush(debug);
    }
  }

  span<T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T> {
    const { span, ...frame } = this.#frames.getStore() ?? NO_FRAME;
    const parent = span ? api.trace.setSpan(api.ROOT_CONTEXT, span) : api.ROOT_CONTEXT;
    return this.#run(name, attributes, frame, parent, run);
  }

  note(attributes: Attributes): void {
    const frame = this.#frames.getStore();
    if (!frame) return;
    frame.inherited = { ...frame.inherited, ...attributes };
    frame.span.setAttributes(cleaned(attributes, frame.secrets));
    if (attributes["error.type"] !== undefined) frame.span.setStatus({ code: api.SpanStatusCode.ERROR });
  }

  async #run<T>(
    name: string,
    attributes: Attributes,
    frame: Omit<Frame, "span">,
    parent: api.Context,
    run: () => Promise<T>,
  ): Promise<T> {
    const isRequest = attributes["http.request.method"] !== undefined;
    const options = {
      kind: isRequest ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL,
      attributes: cleaned({ ...frame.inherited, ...attributes }, frame.secrets),
    };
    const span = this.#backend.tracer.startSpan(name, options, parent);
    try {
      return await this.#frames.run({ ...frame, span }, run);
    } catch (error) {
      const cause = error instanceof UnfinishedError ? error.cause : error;
      const { name: type, message } = cause instanceof Error ? cause : new Error(typeof cause);
      span.setAttribute("error.type", type);
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: redact(frame.secrets.removeFrom(message)) });
      throw error;
    } finally {
      span.end();
    }
  }

  #parentOf(traceParent: string): api.Context {
    const found = TRACEPARENT.exec(traceParent);
    if (!found) return api.ROOT_CONTEXT;
    const [, traceId, spanId, flags] = found as string[] as [string, string, string, string];
    const traceFlags = parseInt(flags, 16);
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }

  async #flush(debug: (line: string) => void): Promise<void> {
    const { flush, clock } = this.#backend;
    const flushing = flush().then(() => void (this.#isLate = false));
    flushing.catch(() => undefined); // it may reject after the wait has ended
    const wasLate = this.#isLate;
    if (wasLate) return;
    const why = await endsWithin(flushing, clock, FLUSH_LIMIT_MS).then(
      (isInTime) => (isInTime ? "" : `Error: not within ${FLUSH_LIMIT_MS} ms`),
      String,
    );
    if (why === "" || this.#isLate) return; // or another operation has reported it
    this.#isLate = true;
    debug(
      `spans could not be sent; operations do not wait for spans until sending works again (${redact(why)})`,
    );
  }
}

function cleaned(attributes: Attributes, secrets: Secrets): api.Attributes {
  const clean = Object.entries(attributes).map(([name, value]: [string, api.AttributeValue | undefined]) => [
    name,
    typeof value === "string" ? secrets.removeFrom(value) : value,
  ]);
  return Object.fromEntries(clean) as api.Attributes;
}
