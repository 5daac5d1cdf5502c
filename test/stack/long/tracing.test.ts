// The spans of a run in Pulumi's own tracing: OpenTelemetry's own packages send them, over a real connection. On the engine of
// test/engine only, which passes on its own span as the real one does; the CLI receives spans itself.
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { formsOf } from "../../simulation/secretForms.ts";
import { docs } from "../programFolder.ts";
import { type ReceivedSpan, type SpanReceiver, startSpanReceiver } from "../spanReceiver.ts";
import { buildWorld, CANARY_KEY, type World } from "../world.ts";

const PATIENT = { NODE_OPTIONS: `--import ${join(import.meta.dirname, "../patientExit.ts")}` };
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

async function receiver(context: Pick<TestContext, "onTestFinished">, options = {}): Promise<SpanReceiver> {
  const started = await startSpanReceiver(options);
  context.onTestFinished(() => started.close());
  return started;
}

function world(
  context: Pick<TestContext, "onTestFinished">,
  endpoint: string,
  env: Record<string, string> = {},
): Promise<World> {
  return buildWorld(context, "local", {
    ownProcesses: true,
    jobDurationMs: 300,
    env: {
      PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      TRACEPARENT: `00-${TRACE}-${SPAN}-01`,
      ...env,
    },
  });
}

/** Each span, with its ancestors, from the outermost. */
const paths = (spans: ReceivedSpan[]): string[] =>
  spans.map((span) => {
    const around = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return `${around ? `${paths([around, ...ancestors(around, spans)])[0] ?? ""} > ` : ""}${span.name}`;
  });
const ancestors = (span: ReceivedSpan, spans: ReceivedSpan[]): ReceivedSpan[] => {
  const around = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return around ? [around, ...ancestors(around, spans)] : [];
};

test.concurrent(
  "an export and a copy arrive as spans below the engine's own, complete, with URN, job and code, and without key or link",
  async (context) => {
    const collector = await receiver(context);
    const tested = await world(context, collector.endpoint, PATIENT);
    const { text } = await tested.up(
      `const docs = ${docs()} new BundleCopy("copy", { source: docs, destination: { folder: "./copies" } });`,
    );
    const { urn, outputs } = await tested.exported();
    const spans = collector.spansOf("pulumi-docs-hosting");
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const roots = spans.filter(({ name }) => name === "docs_hosting.create");
    expect(roots.map(({ parentSpanId }) => parentSpanId)).toEqual([SPAN, SPAN]);
    const ofExport = spans.filter(({ attributes }) => attributes["pulumi.urn"] === urn);
    expect(new Set(paths(ofExport))).toEqual(
      new Set([
        "docs_hosting.create",
        "docs_hosting.create > docs_hosting.export.start",
        "docs_hosting.create > docs_hosting.export.start > POST",
        "docs_hosting.create > docs_hosting.export.wait",
        "docs_hosting.create > docs_hosting.export.wait > docs_hosting.export.look",
        "docs_hosting.create > docs_hosting.export.wait > docs_hosting.export.look > GET",
        "docs_hosting.create > docs_hosting.link.mint",
        "docs_hosting.create > docs_hosting.link.mint > POST",
      ]),
    );
    expect(ofExport.find(({ name }) => name === "docs_hosting.create")?.attributes).toEqual({
      "pulumi.urn": urn,
      "docs_hosting.domain": "docs.example.com",
      "docs_hosting.decision": "NEW",
      "docs_hosting.job.id": outputs["jobId"],
    });
    const ofCopy = spans.filter((span) => !ofExport.includes(span)).map(({ name }) => name);
    expect(ofCopy).toEqual(
      expect.arrayContaining([
        "docs_hosting.create",
        "docs_hosting.bundle_copy",
        "docs_hosting.bundle.download",
      ]),
    );

    const sent = collector.everything().toString("latin1");
    const query = new URL(String(outputs["bundleUrl"])).search.slice(1);
    expect(query.length).toBeGreaterThan(20);
    for (const form of [CANARY_KEY, query, ...query.split("&")].flatMap(formsOf)) {
      expect(sent).not.toContain(form);
    }
    expect(text).not.toMatch(/OpenTelemetry|otel|span/i);
    expect(await tested.everythingWritten()).not.toContain("OTEL");
  },
);
