import { describe, expect, test } from "vitest";
import {
  allowedRepeats,
  countedAs,
  type Fault,
  MAX_RETRY_AFTER_MS,
  mayHaveBeenProcessed,
  parseRetryAfter,
  retryDelayMs,
} from "../../../../provider/base/http/retryPolicy.ts";

const status = (code: number, retryAfterMs?: number): Fault => ({
  kind: "status",
  status: code,
  retryAfterMs,
});

const interrupted = (code: string): Fault => ({ kind: "interrupted", code });
const unreachable = (code: string): Fault => ({ kind: "unreachable", code });
const byProxy = (code: number): Fault => ({ kind: "refusedByProxy", status: code });

/** Of Cloudflare, and others of proxies. */
const CDN = [520, 521, 522, 523, 524, 525, 526, 527, 530, 507, 529, 561, 598, 599];
const FINAL = [400, 401, 403, 404, 409, 410, 418, 451, 501, 505, 301, 303, 307, 308];
/** How often each fault is retried: of a read, of a repeatable call, of a start. */
test.each<[string, Fault[], number, number, number]>([
  ["the service broke inside", [500, 502, 504].map((code) => status(code)), Infinity, Infinity, 1],
  ["a CDN does not know what the service did", CDN.map((code) => status(code)), Infinity, Infinity, 1],
  ["nothing was processed", [408, 425, 429, 503].map((code) => status(code)), Infinity, Infinity, Infinity],
  ["the service refused", FINAL.map((code) => status(code)), 0, 0, 0],
  ["the connection broke", [interrupted("ECONNRESET")], Infinity, Infinity, 1],
  ["the connection was refused", [unreachable("ECONNREFUSED")], Infinity, Infinity, Infinity],
  ["there is no such host", [unreachable("ENOTFOUND")], 3, 3, 3],
  ["the certificate is not trusted", [{ kind: "untrusted", code: "CERT_HAS_EXPIRED" }], 0, 0, 0],
  ["it is not TLS", [interrupted("ERR_SSL_WRONG_VERSION_NUMBER")], 5, 5, 1],
  ["TLS was cut off", [unreachable("EPROTO")], 5, 5, 5],
  ["it is not HTTP", [{ kind: "notHttp" }], 5, 5, 1],
  ["the reply could not be read", [{ kind: "malformed" }], 5, 0, 0],
  ["the reply is too large", [{ kind: "oversized" }], 0, 0, 0],
  ["the proxy has no way just now", [500, 502, 429].map(byProxy), Infinity, Infinity, Infinity],
  ["the proxy forbids it", [403, 405, 407, 501, 505, 511].map(byProxy), 0, 0, 0],
])("where %s, it is sent again as often as is safe", (_, faults, read, repeatable, start) => {
  for (const fault of faults) {
    expect(allowedRepeats(fault, "read")).toBe(read);
    expect(allowedRepeats(fault, "repeatable")).toBe(repeatable);
    expect(allowedRepeats(fault, "start")).toBe(start);
  }
});

describe("a request that may have been processed", () => {
  const broken = [
    interrupted("ECONNRESET"),
    interrupted("ETIMEDOUT"),
    { kind: "notHttp" },
    { kind: "malformed" },
    { kind: "oversized" },
    status(500),
    status(502),
    status(504),
    status(303),
    ...CDN.map((code) => status(code)),
  ] satisfies Fault[];
  const refused = [
    unreachable("ENOTFOUND"),
    unreachable("ECONNREFUSED"),
    { kind: "untrusted", code: "CERT_HAS_EXPIRED" },
    byProxy(502),
    ...[301, 302, 307, 308, 400].map((code) => status(code)),
  ] satisfies Fault[];
  const refusedForNow = [408, 425, 429, 503].map((code) => status(code));

  test("is one that left this machine and was not refused", () => {
    expect(broken.map(mayHaveBeenProcessed)).not.toContain(false);
    expect([...refused, ...refusedForNow].map(mayHaveBeenProcessed)).not.toContain(true);
  });

  test("is counted together for a start, for all causes, and apart from refusals", () => {
    expect(new Set(broken.map((fault) => countedAs(fault, "start")))).toEqual(new Set(["of unknown fate"]));
    expect(new Set(refused.map((fault) => countedAs(fault, "start")))).toEqual(
      new Set([
        "unreachable ENOTFOUND",
        "unreachable ECONNREFUSED",
        "untrusted CERT_HAS_EXPIRED",
        "refusedByProxy",
        "status",
      ]),
    );
  });

  test("is counted by its kind, and by its code where it has one, for other calls", () => {
    expect(broken.map((fault) => countedAs(fault, "repeatable"))).toEqual([
      "interrupted ECONNRESET",
      "interrupted ETIMEDOUT",
      "notHttp",
      "malformed",
      "oversized",
      ...Array.from({ length: 4 + CDN.length }, () => "status"),
    ]);
  });
});

test("the pause grows from half a second to twenty seconds, anywhere between zero and its full length", () => {
  expect([1, 2, 3, 9, 99].map((failures) => retryDelayMs(status(500), failures, 1))).toEqual([
    500, 1_000, 2_000, 20_000, 20_000,
  ]);
  expect(retryDelayMs(status(500), 9, 0)).toBe(0);
});

test("a refusal of the rate without a usable Retry-After pauses for a second at least", () => {
  expect([1, 2, 3, 4].map((failures) => retryDelayMs(status(429), failures, 0.5))).toEqual([
    1_000, 1_000, 1_000, 2_000,
  ]);
});

test("Retry-After has priority over the backoff", () => {
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
  ])("«%s» is %i milliseconds", (header, delayMs) => {
    expect(parseRetryAfter(header, now)).toBe(delayMs);
  });
  test.each([
    ["2.5", 2_500],
    ["2.", 2_000],
    [" 2 ", 2_000],
    ['"2"', 2_000],
    ["2, 2", 2_000],
    ["2,7,3", 7_000],
    ["4s", 4_000],
    ["4 seconds", 4_000],
    ["1500ms", 1_500],
    ["1m", 60_000],
    ["soon, 5", 5_000],
    ["Wednesday, 21-Oct-26 07:28:09 GMT", 9_000],
    ["Wed Oct 21 07:28:09 2026", 9_000],
    ["Wed, 21 Oct 2026 07:28:09 GMT, Wed, 21 Oct 2026 07:28:05 GMT", 9_000],
    ["2026-10-21T07:28:09Z", 9_000],
    [String(now / 1_000 + 9), 9_000],
    ["PT4S", 4_000],
    ["P0DT1M4S", 64_000],
    ["1m30s", 90_000],
    ["1m 30s", 90_000],
    ["00:00:04", 4_000],
    ["1:04", 64_000],
    ["in 4 seconds", 4_000],
    ["'4'", 4_000],
    ["4; reason=rate", 4_000],
    ["4 (seconds)", 4_000],
    ["4 seconds, 7 seconds", 7_000],
    ["2, Wed, 21 Oct 2026 07:28:09 GMT", 9_000],
    ["Wed, 21-Oct-2026 07:28:09 GMT", 9_000],
    ["Wed, 21 Oct 2026 07:28:09", 9_000],
    ["Wed, 21 Oct 2026 09:28:09 +0200", 9_000],
  ])("«%s» is understood, too, as %i milliseconds", (header, delayMs) => {
    expect(parseRetryAfter(header, now)).toBe(delayMs);
  });
  test.each([null, "", "-5", "abc", "1e9", "5 apples", "in Oct", "1 2", "P1D", "4s 5"])(
    "«%s» is ignored",
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );
});
