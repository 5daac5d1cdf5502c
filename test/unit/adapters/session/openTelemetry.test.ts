// OpenTelemetry's own packages, and a receiver of their spans, on this machine.
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openTelemetrySpans } from "../../../../provider/adapters/session/openTelemetry.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { URN } from "../../../simulation/testContext.ts";
import { type SpanReceiver, startSpanReceiver } from "../../../stack/spanReceiver.ts";

let receiver: SpanReceiver;
const debug = vi.fn();
/** No busy machine is too slow for a limit that never passes; and one that passes at once needs no time. */
const patient = { after: () => () => undefined };
const impatient = {
  after(_delayMs: number, callback: () => void) {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

beforeEach(async () => {
  debug.mockReset();
  receiver = await startSpanReceiver();
  onTestFinished(() => receiver.close());
});

const secrets = new Secrets();
const received = (): unknown[] =>
  receiver.spansOf("pulumi-docs-hosting").map(({ name, attributes }) => [name, attributes]);

test.each([
  ["as Pulumi gives it", ""],
  ["with a scheme", "http://"],
])("spans have reached the endpoint when their operation ends: its address %s", async (_how, scheme) => {
  const spans = openTelemetrySpans(`${scheme}${receiver.endpoint}`, undefined, patient);
  const name = "create";
  const result = spans.operation({ name, urn: URN, debug, secrets }, (tracer) =>
    tracer.span("within", { "docs_hosting.bundle.size": 7 }, () => Promise.resolve("done")),
  );
  expect(await result).toBe("done");
  expect(received()).toEqual([
    ["within", { "pulumi.urn": URN, "docs_hosting.bundle.size": 7 }],
    ["docs_hosting.create", { "pulumi.urn": URN }],
  ]);
  expect(debug).not.toHaveBeenCalled();
});

test("an invalid endpoint drops the spans without further effect", async () => {
  const spans = openTelemetrySpans("localhost:0", undefined, impatient);
  const operation = { name: "create", urn: URN, debug, secrets };
  expect(await spans.operation(operation, () => Promise.resolve(7))).toBe(7);
  expect(debug.mock.calls).toEqual([[expect.stringContaining("spans could not be sent")]]);
});
