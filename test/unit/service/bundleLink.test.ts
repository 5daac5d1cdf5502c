import { describe, expect, test } from "vitest";
import { parseExpiry, readBundleLink, type BundleLink } from "../../../provider/service/bundleLink.ts";
import { MalformedResponseError } from "../../../provider/words/errors.ts";

const NOON_MS = Date.parse("2026-01-01T12:00:00Z");

/** What a service at `https://api.example.test` is understood to have minted. */
const read = (
  bundleUrl: string,
  { expiresAt, allowInsecure = false }: Record<string, unknown> = {},
): BundleLink =>
  readBundleLink(
    { endpoint: "POST", dateMs: NOON_MS, body: { bundleUrl, expiresAt } },
    { baseUrl: "https://api.example.test", allowInsecure: allowInsecure === true },
  );

function refusal(...given: Parameters<typeof read>): MalformedResponseError {
  try {
    read(...given);
  } catch (error) {
    if (error instanceof MalformedResponseError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

test.each([
  " https://store.example.test/a",
  "https://store.example.test/a ",
  "http:store.example.test/a",
  "HTTPS:/store.example.test/a",
])("«%s» is no absolute URL as it is written: what the parser would mend is reported", (url) => {
  const { message, remedy } = refusal(url, { allowInsecure: true });
  expect(message).toBe("POST answered a bundleUrl that is not an absolute URL");
  expect(remedy).toBe("Report this to the service's support.");
});

test("a URL without slashes within the query is the store's own business", () => {
  const url = "https://store.example.test/a?from=https:b";
  expect(read(url).url).toBe(url);
});

test("permission for http: permits http: only, and the refusal says how to give it", () => {
  expect(read("http://store.example.test/a", { allowInsecure: true }).url).toBe(
    "http://store.example.test/a",
  );
  expect(refusal("http://store.example.test/a").remedy).toContain("docs-hosting:allowInsecure");
  expect(refusal("ftp://store.example.test/a", { allowInsecure: true }).message).toContain(
    "begins with ftp:",
  );
});

describe("an expiry", () => {
  test.each([
    ["2026-01-01T12:00:00"],
    [" 2026-01-01 12:00 \n"],
    ["2026-01-01T12:00:00 z"],
    ["2026-01-01T14:00+02"],
    ["2026-01-01T06:30:00-0530"],
    ["2026-01-01T06:30-05:30"],
    ["+002026-01-01T12:00:00.000Z"],
    ["1767268800"],
    ["1767268800000"],
    [1_767_268_800],
    [1_767_268_800_000],
  ])("«%s» is noon", (value) => {
    expect(parseExpiry(value)).toBe(NOON_MS);
  });

  test("keeps its fraction of a second", () => {
    expect(parseExpiry("2026-01-01T12:00:00.25Z")).toBe(NOON_MS + 250);
    expect(parseExpiry("2026-01-01T12:00:59.5Z")).toBe(NOON_MS + 59_500);
  });

  test("is in seconds up to eleven digits, from then on in milliseconds", () => {
    expect(parseExpiry(1e9)).toBe(1e12);
    expect(parseExpiry(1e11 - 1)).toBe((1e11 - 1) * 1_000);
    expect(parseExpiry(1e11)).toBe(1e11);
  });

  test("after the year 9999 is the end of that year", () => {
    for (const value of ["10000-01-01T00:00:00Z", "+012026-01-01T00:00Z", "999999-01-01 00:00"]) {
      expect(parseExpiry(value)).toBe(Date.parse("9999-12-31T23:59:59Z"));
    }
    expect(parseExpiry("9999-01-01T00:00:00Z")).toBe(Date.parse("9999-01-01T00:00:00Z"));
  });

  test.each([
    [["1767268800"]],
    ["17672688001"],
    ["1767268800000000"],
    ["at 1767268800"],
    ["at 2026-01-01T12:00:00Z"],
    ["2026-01-01T12:00:00Z or so"],
    ["12026-01-01"],
    ["2026-01-01T12:00:00+1"],
    ["2026-01-01T12:00:61Z"],
    [999_999_999],
  ])("«%s» is not guessed at", (value) => {
    expect(parseExpiry(value)).toBeUndefined();
  });
});

describe("the query of a link", () => {
  const expiry = (query: string): number | undefined =>
    read(`https://store.example.test/a?${query}`).expiresAtMs;

  test("tells when it ends: so many seconds after it was signed", () => {
    expect(expiry("X-Amz-Date=20260101T110000Z&X-Amz-Expires=3600")).toBe(NOON_MS);
    expect(expiry("X-Goog-Date=20251231T235959Z&X-Goog-Expires=43201")).toBe(NOON_MS);
  });

  test.each([
    "X-Amz-Date=on20260101T110000Z&X-Amz-Expires=3600",
    "X-Amz-Date=20260101T110000Z07&X-Amz-Expires=3600",
    "X-Amz-Date=20260101T110000Z&X-Amz-Expires=3600s",
    "X-Amz-Date=20260101T110000Z&X-Amz-Expires=in3600",
    "X-Amz-Date=20260101T110000Z&X-Goog-Expires=3600",
  ])("%s tells nothing", (query) => {
    expect(expiry(query)).toBeUndefined();
  });

  test("counts only where the service does not say it", () => {
    const link = read("https://store.example.test/a?X-Amz-Date=20260101T110000Z&X-Amz-Expires=60", {
      expiresAt: "2026-01-01T12:00:00Z",
    });
    expect(link).toMatchObject({ expiresAtMs: NOON_MS, mintedAtMs: NOON_MS });
  });
});

describe("a reply with a link", () => {
  const reply = (body: Record<string, unknown>, baseUrl = "https://api.example.test"): BundleLink =>
    readBundleLink({ endpoint: "POST", dateMs: NOON_MS, body }, { baseUrl, allowInsecure: false });
  const bundleUrl = "https://store.example.test/a";

  test("may say how large the bundle is, and need not", () => {
    expect(reply({ bundleUrl })).toEqual({ url: bundleUrl, mintedAtMs: NOON_MS });
    expect(reply({ bundleUrl, sizeBytes: 0, expiresAt: 1e14 })).toEqual({
      url: bundleUrl,
      mintedAtMs: NOON_MS,
      sizeBytes: 0,
      expiresAtMs: 1e14,
    });
    expect(reply({ bundleUrl, sizeBytes: -1 })).not.toHaveProperty("sizeBytes");
    expect(reply({ bundleUrl, expiresAt: 1e18 }).expiresAtMs).toBe(Date.parse("9999-12-31T23:59:59Z"));
  });

  test.each([
    [undefined, 'without a "bundleUrl"'],
    ["", 'without a "bundleUrl"'],
    [7, 'without a "bundleUrl"'],
    ["/a", "a bundleUrl that is not an absolute URL"],
    ["https://store.example.test/a\nb", "a bundleUrl that is not an absolute URL"],
    ["https://good\\@store.example.test/a", "a bundleUrl that is not an absolute URL"],
    ["https://me@store.example.test/a", "a bundleUrl with a user name or password in it"],
    ["https://:c4n4ry@store.example.test/a", "a bundleUrl with a user name or password in it"],
  ])("the link %j is an error to report", (url, what) => {
    expect(() => reply({ bundleUrl: url })).toThrow(
      expect.objectContaining({
        message: `POST answered ${what}`,
        remedy: "Report this to the service's support.",
      }),
    );
  });

  test("a backslash within the query is the store's own business", () => {
    for (const url of [`${bundleUrl}?a=\\b`, `${bundleUrl}#\\b`]) {
      expect(reply({ bundleUrl: url }).url).toBe(url);
    }
  });

  test("may be of http: where the service is this machine", () => {
    const url = "http://store.example.test/a";
    expect(reply({ bundleUrl: url }, "http://localhost:4010").url).toBe(url);
    expect(() => reply({ bundleUrl: url })).toThrow("POST answered a bundleUrl that begins with http:");
    expect(() => reply({ bundleUrl: "ftp://store.example.test/a" }, "http://localhost")).toThrow("ftp:");
  });
});

test("the query of a link in Azure's store tells when it ends", () => {
  const expiry = (query: string): number | undefined =>
    read(`https://store.example.test/a?${query}`).expiresAtMs;
  expect(expiry("se=2026-01-01T12%3A00%3A00Z&sig=x")).toBe(NOON_MS);
  expect(expiry("se=2026-01-01T12%3A00%3A00Z")).toBeUndefined();
  expect(expiry("sig=x&X-Amz-Date=20260101T110000Z&X-Amz-Expires=3600")).toBeUndefined();
  expect(expiry("X-Amz-Expires=3600")).toBeUndefined();
  expect(expiry("X-Amz-Date=20260101T110000Z")).toBeUndefined();
  expect(expiry("X-Amz-Date=20260101T110000Z&X-Amz-Expires=12345678901")).toBeUndefined();
});
