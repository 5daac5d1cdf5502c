import * as api from "@opentelemetry/api";
import { beforeEach, describe, expect, test } from "vitest";
import { ExportFailedError } from "../../../../provider/base/runtime/messages/errors.ts";
import type { Tracer } from "../../../../provider/base/runtime/tracing/tracer.ts";
import { UnfinishedError } from "../../../../provider/resource/lifeCycle.ts";
import { RecordedSpans } from "../../../simulation/recordedSpans.ts";
import { caught } from "../../../simulation/simulatedExport.ts";
import { URN } from "../../../simulation/testContext.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const nothing = (): Promise<void> => Promise.resolve();

let clock: VirtualClock;
let recorded: RecordedSpans;

beforeEach(() => {
  clock = new VirtualClock();
  recorded = new RecordedSpans(clock);
});

describe("an operation", () => {
  test("is a span with the URN, within that of the engine's call", async () => {
    const result = await recorded.operation(() => Promise.resolve(7), {
      name: "update",
      ofRun: `00-${TRACE}-${SPAN}-01`,
    });
    expect(result).toBe(7);
    const [span] = recorded.finished;
    expect(span?.spanContext().traceId).toBe(TRACE);
    expect(span?.parentSpanContext).toMatchObject({ spanId: SPAN, isRemote: true });
    expect(recorded.tree).toEqual({
      name: "docs_hosting.update",
      attributes: { "pulumi.urn": URN },
      within: [],
    });
    expect(span?.kind).toBe(api.SpanKind.INTERNAL);
    expect(clock.pending).toBe(0);
  });

  test.each([
    undefined,
    "",
    "no trace",
    `00-${TRACE}-${SPAN}`,
    `x00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01x`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ])("is a trace of its own where the span of the run is %j", async (ofRun) => {
    await recorded.operation(nothing, { ...(ofRun !== undefined && { ofRun }) });
    const [span] = recorded.finished;
    expect(span?.parentSpanContext).toBeUndefined();
    expect(span?.spanContext().traceId).not.toBe(TRACE);
  });

  test("has no span where the engine's trace is not sampled", async () => {
    await recorded.operation(nothing, { ofRun: `00-${TRACE}-${SPAN}-00` });
    expect(recorded.finished).toEqual([]);
  });

  test("fails as it would without tracing, and records class and message, without texts that look like a key or a query", async () => {
    const error = new ExportFailedError("svc_secret: see https://store.example/b?X-Signature=secret", "");
    expect(await caught(recorded.operation(() => Promise.reject(error)))).toBe(error);
    expect(recorded.tree).toEqual({
      name: "docs_hosting.create",
      attributes: { "pulumi.urn": URN, "error.type": "ExportFailedError" },
      error: "[removed]: see https://store.example/b?[removed]",
      within: [],
    });
  });

  test("with an unfinished result records why it is unfinished", async () => {
    const unfinished = new UnfinishedError(new ExportFailedError("why", ""), {});
    expect(await caught(recorded.operation(() => Promise.reject(unfinished)))).toBe(unfinished);
    expect(recorded.tree).toMatchObject({ attributes: { "error.type": "ExportFailedError" }, error: "why" });
  });

  test("that throws no error records only its kind", async () => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what foreign code may do
    await expect(recorded.operation(() => Promise.reject("svc_secret"))).rejects.toBe("svc_secret");
    expect(recorded.tree).toMatchObject({ attributes: { "error.type": "Error" }, error: "string" });
  });
});

describe("spans within", () => {
  test("follow the calls, also side by side", async () => {
    const steps: (() => void)[] = [];
    const step = (): Promise<void> => new Promise((resolve) => steps.push(resolve));
    const one = (tracer: Tracer, name: string): Promise<void> =>
      tracer.span(name, {}, async () => {
        await step();
        await tracer.span(`${name} within`, {}, nothing);
      });
    await recorded.operation(async (tracer) => {
      const both = [one(tracer, "a"), one(tracer, "b")];
      steps.forEach((go) => go());
      await Promise.all(both);
    });
    expect(recorded.outline).toEqual(["docs_hosting.create", "  a", "    a within", "  b", "    b within"]);
  });

  test("have the earlier attributes of their ancestors, but not those of a single span", async () => {
    await recorded.operation(async (tracer) => {
      await tracer.span("before", { "docs_hosting.bundle.size": 1 }, nothing);
      tracer.note({ "docs_hosting.domain": "docs.example.com" });
      await tracer.span("outer", { "docs_hosting.bundle.size": 2 }, async () => {
        tracer.note({ "docs_hosting.job.id": "7" });
        await tracer.span("inner", {}, nothing);
      });
      await tracer.span("after", {}, nothing);
    });
    const domain = { "pulumi.urn": URN, "docs_hosting.domain": "docs.example.com" };
    expect(recorded.tree.attributes).toEqual(domain);
    expect(recorded.tree.within.map(({ attributes }) => attributes)).toEqual([
      { "pulumi.urn": URN, "docs_hosting.bundle.size": 1 },
      { ...domain, "docs_hosting.bundle.size": 2, "docs_hosting.job.id": "7" },
      domain,
    ]);
    expect(recorded.named("inner").attributes).toEqual({ ...domain, "docs_hosting.job.id": "7" });
  });

  test("fail by a recorded failure, without an error", async () => {
    await recorded.operation((tracer) =>
      tracer.span("GET", { "http.request.method": "GET" }, () => {
        tracer.note({ "http.response.status_code": 503, "error.type": "503" });
        return Promise.resolve();
      }),
    );
    expect(recorded.tree).not.toHaveProperty("error");
    expect(recorded.named("GET")).toMatchObject({ attributes: { "error.type": "503" }, error: "" });
    expect(recorded.finished.map(({ kind }) => kind)).toEqual([api.SpanKind.CLIENT, api.SpanKind.INTERNAL]);
  });

  test("are separate spans outside of an operation, where attributes are ignored", async () => {
    recorded.spans.note({ "docs_hosting.domain": "docs.example.com" });
    await recorded.spans.span("alone", {}, nothing);
    expect(recorded.tree).toEqual({ name: "alone", attributes: {}, within: [] });
  });
});

describe("a span that cannot be sent", () => {
  const never = (): Promise<void> => new Promise(() => undefined);
  const refused = (): Promise<void> => Promise.reject(new Error("svc_secret refused"));

  test.each([
    ["never", never, 1_000, "Error: not within 1000 ms"],
    ["not", refused, 0, "Error: [removed] refused"],
  ])("delays one operation, a second at most, and no other one: %s", async (_when, flush, heldUpMs, why) => {
    recorded = new RecordedSpans(clock, flush);
    const two = Promise.all([1, 2].map((each) => recorded.operation(() => Promise.resolve(each))));
    expect(await clock.run(two)).toEqual([1, 2]);
    expect(clock.monotonic()).toBe(heldUpMs);
    expect(await clock.run(recorded.operation(() => Promise.resolve(3)))).toBe(3);
    expect(clock.monotonic()).toBe(heldUpMs);
    expect(recorded.debugged).toEqual([
      `spans could not be sent; operations do not wait for spans until sending works again (${why})`,
    ]);
    expect(recorded.finished).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  test("is waited for again once something has arrived", async () => {
    const answers = [never(), Promise.resolve(), never()];
    recorded = new RecordedSpans(clock, () => answers.shift() ?? never());
    for (const passedMs of [1_000, 1_000, 2_000, 2_000]) {
      await clock.run(recorded.operation(nothing));
      expect(clock.monotonic()).toBe(passedMs);
    }
  });

  test("is not the cause of an operation's failure", async () => {
    recorded = new RecordedSpans(clock, refused);
    const error = new Error("the cause");
    expect(await caught(recorded.operation(() => Promise.reject(error)))).toBe(error);
  });
});
