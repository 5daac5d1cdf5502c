// What is read of an answer: its text, its time and what it asks for, and where it is too large.
import { Headers } from "node-fetch";
import { expect, test } from "vitest";
import { type ReadReply, readReply } from "../../../../provider/base/http/attempt.ts";
import { MAX_BODY_BYTES } from "../../../../provider/base/http/reply.ts";
import type { FailedAttempt } from "../../../../provider/base/http/retryPolicy.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

const ENDPOINT = { url: "https://a.example/v1", host: "a.example", name: "GET https://a.example/v1" };
const NOON = "Thu, 01 Jan 2026 12:00:00 GMT";

function read(text: string, headers: Record<string, string> = {}): Promise<ReadReply | FailedAttempt> {
  const reply = {
    status: 200,
    headers: new Headers(headers),
    content: () => {
      throw new Error("it is read at once");
    },
    beginning: () => Promise.resolve(Buffer.from(text)),
  };
  return readReply(ENDPOINT, reply, new VirtualClock("2026-01-01T11:00:00Z"));
}

test("an answer has what its headers say, and nothing of those that are missing", async () => {
  expect(await read("{}", { date: NOON, "content-type": "text/plain", "x-request-id": "r1" })).toStrictEqual({
    status: 200,
    text: "{}",
    contentType: "text/plain",
    requestId: "r1",
    hasLocation: false,
    sentAtMs: Date.parse(NOON),
    retryAfterMs: undefined,
  });
  const missing = { hasLocation: false, contentType: null, sentAtMs: undefined, retryAfterMs: undefined };
  expect(await read("{}")).toStrictEqual({ status: 200, text: "{}", requestId: "", ...missing });
});

test("a date of Retry-After counts from the service's own time, without one from the clock here", async () => {
  const at = { "retry-after": "Thu, 01 Jan 2026 12:01:00 GMT" };
  expect(await read("", { ...at, date: NOON })).toMatchObject({ retryAfterMs: 60_000 });
  const soon = { "retry-after": "Thu, 01 Jan 2026 11:00:30 GMT" };
  expect(await read("", soon)).toMatchObject({ retryAfterMs: 30_000 });
});

test("an answer of the largest size is read, and a larger one is refused", async () => {
  expect(await read("x".repeat(MAX_BODY_BYTES))).toMatchObject({ status: 200 });
  const refused = (await read("x".repeat(MAX_BODY_BYTES + 1))) as FailedAttempt;
  expect(refused.fault).toEqual({ kind: "oversized" });
  expect(refused.error.message).toContain(`more than ${(MAX_BODY_BYTES / 1024).toString()} KiB`);
  expect(refused.error.message).toContain("GET https://a.example/v1");
  expect(refused.error.remedy).toBe("Check that the base URL is that of the service.");
});
