import { describe, expect, test } from "vitest";
import { parseExpiry, readBundleLink, renewAfterMs } from "../../provider/bundleLink.ts";
import { MalformedResponseError } from "../../provider/errors.ts";

const POLICY = { baseUrl: "https://api.example.com", allowInsecure: false };
const MINTED = Date.parse("2026-01-01T00:00:00Z");
const reply = (body: Record<string, unknown>): Parameters<typeof readBundleLink>[0] => ({
  endpoint: "POST https://api.example.com/v1/static-export/jobs/7/bundle",
  body,
  dateMs: MINTED,
});

test("the link is kept byte for byte, whatever its query holds", () => {
  const url = "https://store.example/b.tgz?b=2&a=%7E&sig=A%2B/,{}\\'$(x)&n=1";
  const link = readBundleLink(reply({ bundleUrl: url, expiresAt: "2026-01-01T01:00:00Z" }), POLICY);
  expect(link).toEqual({ url, mintedAtMs: MINTED, expiresAtMs: MINTED + 3_600_000 });
});

test.each([
  ["is missing", undefined],
  ["is null", null],
  ["is empty", ""],
  ["is a number", 7],
  ["is relative", "/bundles/7"],
  ["is no URL", "not a link"],
  ["uses http:", "http://store.example/b.tgz"],
  ["uses file:", "file:///etc/passwd"],
  ["uses data:", "data:text/plain,x"],
  ["uses javascript:", "javascript:alert(1)"],
  ["uses s3:", "s3://bucket/key"],
  ["holds a password", "https://u:p@store.example/b.tgz"],
])("a bundleUrl that %s is refused, and not shown", (_, bundleUrl) => {
  const read = (): unknown => readBundleLink(reply({ bundleUrl }), POLICY);
  expect(read).toThrow(MalformedResponseError);
  if (typeof bundleUrl === "string" && bundleUrl !== "") expect(read).not.toThrow(bundleUrl);
});

test.each([
  ["the service itself is on this machine", { baseUrl: "http://127.0.0.1:4010", allowInsecure: false }],
  ["the configuration allows it", { baseUrl: "https://api.example.com", allowInsecure: true }],
])("an http: link is accepted when %s", (_, policy) => {
  const bundleUrl = "http://127.0.0.1:4010/b.tgz";
  expect(readBundleLink(reply({ bundleUrl }), policy).url).toBe(bundleUrl);
});

test("without expiresAt, the life of an S3 link is read from its query", () => {
  const bundleUrl =
    "https://s3.example/b.tgz?X-Amz-Date=20260101T000000Z&X-Amz-Expires=900&X-Amz-Signature=x";
  expect(readBundleLink(reply({ bundleUrl }), POLICY).expiresAtMs).toBe(MINTED + 900_000);
});

test("a life that nothing tells stays unknown", () => {
  const link = readBundleLink(
    reply({ bundleUrl: "https://store.example/b.tgz", expiresAt: "tomorrow" }),
    POLICY,
  );
  expect(link).not.toHaveProperty("expiresAtMs");
  expect(renewAfterMs(link)).toBeUndefined();
});

describe("expiresAt", () => {
  const hour = Date.parse("2026-01-01T01:00:00Z");
  test.each([
    ["2026-01-01T01:00:00Z", hour],
    ["2026-01-01T01:00:00.000z", hour],
    ["2026-01-01T15:00:00+14:00", hour],
    ["2026-01-01T15:00:00+1400", hour],
    ["2026-01-01T01:00:00", hour],
    ["2026-01-01 01:00:00Z", hour],
    ["2026-01-01T00:59:60Z", hour - 1_000],
    [hour, hour],
    [hour / 1_000, hour],
    [String(hour), hour],
    [String(hour / 1_000), hour],
    ["275760-09-14T00:00:00Z", Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])("%s is understood", (value, expected) => {
    expect(parseExpiry(value)).toBe(expected);
  });
  test.each(["tomorrow", "", "2026-13-01T00:00:00Z", "01/02/2026", null, undefined, NaN, 5, {}, "12345"])(
    "%s is not guessed at",
    (value) => {
      expect(parseExpiry(value)).toBeUndefined();
    },
  );
  test("far beyond the year 9999 is the year 9999", () => {
    const bundleUrl = "https://store.example/b.tgz";
    const link = readBundleLink(reply({ bundleUrl, expiresAt: "+012026-01-01T00:00:00Z" }), POLICY);
    expect(new Date(link.expiresAtMs ?? NaN).toISOString()).toBe("9999-12-31T23:59:59.000Z");
  });
});

test("a link is renewed when a third of its life is left, or less than the user wants", () => {
  const link = { mintedAtMs: 0, expiresAtMs: 90_000 };
  expect(renewAfterMs(link)).toBe(60_000);
  expect(renewAfterMs(link, 10_000)).toBe(80_000);
});
