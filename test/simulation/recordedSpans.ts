import * as api from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { type SpanBackend, Spans } from "../../provider/adapters/session/spans.ts";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import type { Clock } from "../../provider/base/runtime/time/clock.ts";
import type { Tracer } from "../../provider/base/runtime/tracing/tracer.ts";
import { URN } from "./testContext.ts";

/** A span as it was exported, with its child spans. */
export interface RecordedSpan {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The error of the span. */
  readonly error?: string;
  readonly within: readonly RecordedSpan[];
}

/** The real spans of OpenTelemetry, exported to memory. */
export class RecordedSpans {
  readonly #exporter = new InMemorySpanExporter();
  readonly spans: Spans;
  readonly #exit: SpanBackend;
  /** Warnings about missing spans. */
  readonly debugged: string[] = [];

  /** @param flush in place of that of an endpoint */
  constructor(clock: Pick<Clock, "after">, flush = (): Promise<void> => Promise.resolve()) {
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.#exporter)] });
    this.#exit = { tracer: provider.getTracer("test"), flush, clock };
    this.spans = new Spans(this.#exit);
  }

  /** Texts that no span may contain. */
  readonly secrets = new Secrets();

  /** Runs an operation of the resource {@link URN}. @param ofRun the span of the run, where the engine passes it on */
  operation<T>(
    run: (tracer: Tracer) => Promise<T>,
    { name = "create", ofRun }: { name?: string; ofRun?: string } = {},
  ): Promise<T> {
    const debug = (line: string): void => void this.debugged.push(line);
    const spans = ofRun === undefined ? this.spans : new Spans({ ...this.#exit, run: ofRun });
    return spans.operation({ name, urn: URN, debug, secrets: this.secrets }, run);
  }

  /** As OpenTelemetry has them, in the order in which they ended. */
  get finished(): readonly ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  /** The spans of the only operation. */
  get tree(): RecordedSpan {
    const spans = [...this.finished].reverse();
    const ids = new Set(spans.map((span) => span.spanContext().spanId));
    const roots = spans.filter(({ parentSpanContext }) => !ids.has(parentSpanContext?.spanId ?? ""));
    if (roots.length !== 1 || !roots[0]) throw new Error(`${roots.length} operations were recorded`);
    const recorded = (span: ReadableSpan): RecordedSpan => {
      const { name, attributes, status } = span;
      const children = this.finished.filter(
        ({ parentSpanContext }) => parentSpanContext?.spanId === span.spanContext().spanId,
      );
      return {
        name,
        attributes,
        ...(status.code === api.SpanStatusCode.ERROR && { error: status.message ?? "" }),
        within: children.map(recorded),
      };
    };
    return recorded(roots[0]);
  }

  /** Their names, those of each indented below its parent's, consecutive polls once. */
  get outline(): string[] {
    const lines = (span: RecordedSpan, depth: number): string[] => [
      "  ".repeat(depth) + span.name,
      ...span.within.flatMap((child) => lines(child, depth + 1)),
    ];
    return lines(this.tree, 0);
  }

  /** The only one of this name, or the last of them. */
  named(name: string): RecordedSpan {
    const all = (span: RecordedSpan): RecordedSpan[] => [span, ...span.within.flatMap(all)];
    const found = all(this.tree).findLast((span) => span.name === name);
    if (!found) throw new Error(`no span ${name} among ${this.outline.join(", ")}`);
    return found;
  }
}
