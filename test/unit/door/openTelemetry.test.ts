// OpenTelemetry's own packages, and what takes their spans, on this machine.
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openTelemetrySpans } from "../../../provider/door/openTelemetry.ts";
import { Session } from "../../../provider/door/session.ts";
import { startSpanReceiver, type SpanReceiver } from "../../stack/spanReceiver.ts";
import { URN } from "../../simulation/testContext.ts";

let receiver: SpanReceiver;
const debug = vi.fn();

beforeEach(async () => {
  debug.mockReset();
  receiver = await startSpanReceiver();
  onTestFinished(() => receiver.close());
});

const received = (): unknown[] =>
  receiver.spansOf("pulumi-docs-hosting").map(({ name, attributes }) => [name, attributes]);

test.each([
  ["as Pulumi gives it", ""],
  ["with a scheme", "http://"],
])("spans are with the endpoint when their operation ends: its address %s", async (_how, scheme) => {
  const spans = await openTelemetrySpans(`${scheme}${receiver.endpoint}`);
  const name = "create";
  const result = spans.operation({ name, urn: URN, debug }, undefined, (tracer) =>
    tracer.span("within", { "docs_hosting.bundle.size": 7 }, () => Promise.resolve("done")),
  );
  expect(await result).toBe("done");
  expect(received()).toEqual([
    ["within", { "pulumi.urn": URN, "docs_hosting.bundle.size": 7 }],
    ["docs_hosting.create", { "pulumi.urn": URN }],
  ]);
  expect(debug).not.toHaveBeenCalled();
});

test("an endpoint that is none costs the spans and nothing else", async () => {
  const spans = await openTelemetrySpans("localhost:0");
  const operation = { name: "create", urn: URN, debug };
  expect(await spans.operation(operation, undefined, () => Promise.resolve(7))).toBe(7);
  expect(debug.mock.calls).toEqual([[expect.stringContaining("no more spans are sent")]]);
});

test.each([
  ["is traced where Pulumi gives an endpoint", () => receiver.endpoint, [["docs_hosting.read", {}]]],
  ["is not traced where it gives none", () => undefined, []],
])("this process %s", async (_what, endpoint, spans) => {
  vi.stubEnv("PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT", endpoint());
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.resetModules(); // the environment is read once
  const { thisProcess } = await import("../../../provider/door/thisProcess.ts");
  const session = new Session(thisProcess);
  session.configure({ get: () => undefined });
  expect(await session.operation("read", {}, () => Promise.resolve(7))).toBe(7);
  expect(received()).toEqual(spans);
});
