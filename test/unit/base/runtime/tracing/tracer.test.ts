import { expect, test } from "vitest";
import { noTracer } from "../../../../../provider/base/runtime/tracing/tracer.ts";

test("without tracing, spans run their work, and attributes are ignored", async () => {
  const run = noTracer.span("a", {}, () => {
    noTracer.note({ "docs_hosting.job.id": "7" });
    return Promise.resolve("done");
  });
  expect(await run).toBe("done");
  const error = new Error("its own");
  await expect(noTracer.span("a", {}, () => Promise.reject(error))).rejects.toBe(error);
});
