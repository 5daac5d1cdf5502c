import { beforeEach, expect, test, vi } from "vitest";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import {
  noTracer,
  type SpanMaker,
  type Tracer,
  tracingTo,
} from "../../../../provider/base/runtime/tracing/tracer.ts";
import { URN } from "../../../simulation/testContext.ts";

const ENDPOINT = "localhost:4317";
const tracer: Tracer = { ...noTracer };
let debugged: string[];
/** The calls of the maker of spans, and the operations that ran. */
let asked: unknown[];
const operation = {
  name: "create",
  urn: URN,
  debug: (line: string): void => void debugged.push(line),
  secrets: new Secrets(),
};
const maker: SpanMaker = {
  operation: (given, run) => {
    asked.push(given.name);
    return run(tracer);
  },
};
const run = (given: Tracer): Promise<unknown> => Promise.resolve(given === tracer ? "traced" : "untraced");

beforeEach(() => {
  debugged = [];
  asked = [];
  vi.clearAllMocks();
});

test.each([undefined, ""])("without an endpoint nothing is loaded: %j", async (endpoint) => {
  const load = vi.fn(() => Promise.resolve(maker));
  const tracing = tracingTo(endpoint, load);
  tracing.listen();
  expect(await tracing.operation(operation, run)).toBe("untraced");
  expect(load).not.toHaveBeenCalled();
  expect(debugged).toEqual([]);
});

test("with one, the maker of spans is loaded once, and gets each operation", async () => {
  const load = vi.fn(() => Promise.resolve(maker));
  const tracing = tracingTo(ENDPOINT, load);
  expect(load).not.toHaveBeenCalled();
  tracing.listen();
  tracing.listen();
  expect(load).toHaveBeenCalledTimes(1);
  expect(await tracing.operation(operation, run)).toBe("traced");
  expect(await tracing.operation({ ...operation, name: "read", urn: undefined }, run)).toBe("traced");
  expect(asked).toEqual(["create", "read"]);
  expect(load.mock.calls).toEqual([[ENDPOINT]]);
});

test.each([
  [Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }), "ERR_MODULE_NOT_FOUND"],
  [
    new TypeError("resourceFromAttributes is not a function"),
    "TypeError: resourceFromAttributes is not a function",
  ],
])(
  "where OpenTelemetry is absent or too old, operations run as usual, with one debug line: %s",
  async (error, why) => {
    const tracing = tracingTo(ENDPOINT, () => Promise.reject(error));
    tracing.listen();
    expect(await Promise.all([tracing.operation(operation, run), tracing.operation(operation, run)])).toEqual(
      ["untraced", "untraced"],
    );
    expect(debugged).toEqual([`no spans are sent: OpenTelemetry could not be loaded (${why})`]);
    const failure = new Error("its own");
    await expect(tracing.operation(operation, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(debugged).toHaveLength(1);
  },
);

test("without tracing, spans still run and attributes are ignored", async () => {
  const tracing = tracingTo("", () => expect.fail("there is no endpoint"));
  tracing.listen();
  const result = tracing.operation(operation, (given) => {
    given.note({ "docs_hosting.job.id": "7" });
    return given.span("a", {}, () => Promise.resolve("done"));
  });
  expect(await result).toBe("done");
});
