import { describe, expect, test } from "vitest";
import {
  allowedRepeats,
  countedAs,
  MAX_RETRY_AFTER_MS,
  mayHaveBeenProcessed,
  parseRetryAfter,
  retryDelayMs,
  type Fault,
} from "../../../provider/http/retryPolicy.ts";

const status = (code: number, retryAfterMs?: number): Fault => ({
  kind: "status",
  status: code,
  retryAfterMs,
});

describe("a start that may have been processed", () => {
  test.each([500, 502, 504])("is sent once more after %i", (code) => {
    expect(allowedRepeats(status(code), "start")).toBe(1);
    expect(mayHaveBeenProcessed(status(code))).toBe(true);
  });
  test("is sent once more after a broken connection", () => {
    expect(allowedRepeats({ kind: "interrupted", code: "ECONNRESET" }, "start")).toBe(1);
  });
  test("is not sent again when its reply could not be read", () => {
    expect(allowedRepeats({ kind: "malformed" }, "start")).toBe(0);
  });
});

test.each([408, 425, 429, 503])(
  "%i means that nothing was processed: even a start is tried until the deadline",
  (code) => {
    expect(allowedRepeats(status(code), "start")).toBe(Infinity);
    expect(mayHaveBeenProcessed(status(code))).toBe(false);
  },
);

test.each([400, 401, 403, 404, 409, 410, 418, 451, 501, 505, 301])("%i is final", (code) => {
  for (const repetition of ["read", "repeatable", "start"] as const) {
    expect(allowedRepeats(status(code), repetition)).toBe(0);
  }
});

test("what only reads, and what may be called again, is tried until the deadline", () => {
  for (const repetition of ["read", "repeatable"] as const) {
    expect(allowedRepeats(status(502), repetition)).toBe(Infinity);
    expect(allowedRepeats({ kind: "interrupted", code: "ECONNRESET" }, repetition)).toBe(Infinity);
  }
});

test("a host that does not exist is asked for four times in all, one that refuses until the deadline", () => {
  expect(allowedRepeats({ kind: "unreachable", code: "ENOTFOUND" }, "read")).toBe(3);
  expect(allowedRepeats({ kind: "unreachable", code: "ECONNREFUSED" }, "start")).toBe(Infinity);
});

test("an untrusted certificate is final, and so is what is too large", () => {
  expect(allowedRepeats({ kind: "untrusted", code: "CERT_HAS_EXPIRED" }, "read")).toBe(0);
  expect(allowedRepeats({ kind: "oversized" }, "read")).toBe(0);
});

test("what speaks neither TLS nor HTTP is asked six times in all, for a start twice", () => {
  for (const fault of [
    { kind: "notHttp" },
    { kind: "interrupted", code: "ERR_SSL_WRONG_VERSION_NUMBER" },
  ] as const) {
    expect(allowedRepeats(fault, "repeatable")).toBe(5);
    expect(allowedRepeats(fault, "start")).toBe(1);
  }
  expect(allowedRepeats({ kind: "unreachable", code: "EPROTO" }, "start")).toBe(5);
});

describe("what may have been processed", () => {
  const broken = [
    { kind: "interrupted", code: "ECONNRESET" },
    { kind: "interrupted", code: "ETIMEDOUT" },
    { kind: "notHttp" },
    { kind: "malformed" },
    { kind: "oversized" },
    status(500),
  ] as const;
  const refused = [
    { kind: "unreachable", code: "ENOTFOUND" },
    { kind: "unreachable", code: "ECONNREFUSED" },
    { kind: "untrusted", code: "CERT_HAS_EXPIRED" },
    { kind: "refusedByProxy", status: 502 },
    status(400),
  ] as const;

  test("is what left this machine and was not refused", () => {
    expect(broken.map(mayHaveBeenProcessed)).not.toContain(false);
    expect(refused.map(mayHaveBeenProcessed)).not.toContain(true);
  });

  test("is counted together for a start, however it came about, and apart from what was refused", () => {
    expect(new Set(broken.map((fault) => countedAs(fault, "start")))).toEqual(new Set(["of unknown fate"]));
    expect(new Set(refused.map((fault) => countedAs(fault, "start"))).size).toBe(refused.length);
  });

  test("is counted by its kind, and by its code where it has one, for anything else", () => {
    expect(broken.map((fault) => countedAs(fault, "repeatable"))).toEqual([
      "interrupted ECONNRESET",
      "interrupted ETIMEDOUT",
      "notHttp",
      "malformed",
      "oversized",
      "status",
    ]);
  });
});

test("a reply to a read that cannot be understood is asked for six times in all, to anything else once", () => {
  expect(allowedRepeats({ kind: "malformed" }, "read")).toBe(5);
  expect(allowedRepeats({ kind: "malformed" }, "repeatable")).toBe(0);
});

test("a proxy that has no way just now is asked until the deadline, one that forbids it once", () => {
  for (const code of [500, 502, 429]) {
    expect(allowedRepeats({ kind: "refusedByProxy", status: code }, "start")).toBe(Infinity);
  }
  expect(allowedRepeats({ kind: "refusedByProxy", status: 407 }, "read")).toBe(0);
  expect(mayHaveBeenProcessed({ kind: "refusedByProxy", status: 502 })).toBe(false);
});

test("the pause grows from half a second to twenty seconds, anywhere between nothing and its full length", () => {
  expect([1, 2, 3, 9, 99].map((failures) => retryDelayMs(status(500), failures, 1))).toEqual([
    500, 1_000, 2_000, 20_000, 20_000,
  ]);
  expect(retryDelayMs(status(500), 9, 0)).toBe(0);
});

test("Retry-After goes before the backoff", () => {
  expect(retryDelayMs(status(429, 2_000), 1, 0)).toBe(2_000);
});

describe("Retry-After", () => {
  const now = Date.parse("Wed, 21 Oct 2026 07:28:00 GMT");
  test.each([
    ["2", 2_000],
    ["0", 0],
    ["86400", MAX_RETRY_AFTER_MS],
    ["9".repeat(400), MAX_RETRY_AFTER_MS],
    ["Wed, 21 Oct 2099 07:28:00 GMT", MAX_RETRY_AFTER_MS],
    ["Wed, 21 Oct 2026 07:28:30 GMT", 30_000],
    ["Wed, 21 Oct 2026 07:00:00 GMT", 0],
  ])("«%s» asks for %i milliseconds", (header, delayMs) => {
    expect(parseRetryAfter(header, now)).toBe(delayMs);
  });
  test.each([null, "", "-5", "abc", "1e9", "1.5", "soon, 5", "in Oct, 5"])("«%s» is ignored", (header) => {
    expect(parseRetryAfter(header, now)).toBeUndefined();
  });
});
