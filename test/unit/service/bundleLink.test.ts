import { describe, expect, test } from "vitest";
import { parseExpiry, readBundleLink, type BundleLink } from "../../../provider/service/bundleLink.ts";
import { MalformedResponseError } from "../../../provider/runtime/messages/errors.ts";
import { Secrets } from "../../../provider/runtime/messages/secrets.ts";

const NOON_MS = Date.parse("2026-01-01T12:00:00Z");

/** The parsed link of a service at `https://api.example.test`. */
const read = (
  bundleUrl: string,
  { allowInsecure = false, publicStorageOnly = false, ...more }: Record<string, unknown> = {},
): BundleLink =>
  readBundleLink(
    { endpoint: "POST", dateMs: NOON_MS, body: { bundleUrl, ...more }, secrets: new Secrets() },
    {
      baseUrl: "https://api.example.test",
      allowInsecure: allowInsecure === true,
      publicStorageOnly: publicStorageOnly === true,
    },
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
  "https:///store.example.test/a",
  "https:////store.example.test/a",
  "https://\\store.example.test/a",
  "https:///169.254.169.254/a",
])("«%s» is no absolute URL as written: corrections of the parser are errors", (url) => {
  const { message, remedy } = refusal(url, { allowInsecure: true });
  expect(message).toBe("POST answered a bundleUrl that is not an absolute URL");
  expect(remedy).toBe("Report this to the service's support.");
});

test.each([
  ["https://169.254.169.254/latest/meta-data", "link-local or metadata"],
  ["https://2852039166/a", "link-local or metadata"],
  ["https://169.254.169.254./a", "link-local or metadata"],
  ["https://[fe80::1]/a", "link-local or metadata"],
  ["https://[::ffff:169.254.169.254]:8443/a", "link-local or metadata"],
  ["https://metadata.google.internal/a", "name of a metadata address"],
  ["https://METADATA.google.internal./a", "name of a metadata address"],
  ["https://store.example.test:0/a", "the port 0"],
])("the output never leads pods to %s", (url, why) => {
  const { message, remedy } = refusal(`${url}?X-Amz-Signature=c4n4ry`);
  expect(message).toContain(why);
  expect(message).not.toContain("c4n4ry");
  expect(remedy).toContain("operator");
});

test("an output leads into the user's own network unless only public storage is allowed", () => {
  for (const host of ["10.0.0.7", "localhost", "[::1]", "192.168.1.1:9000"]) {
    expect(read(`https://${host}/a`).url).toContain(host);
    expect(refusal(`https://${host}/a`, { publicStorageOnly: true }).message).toContain(
      "not a public address",
    );
  }
  expect(read("https://93.184.216.34/a", { publicStorageOnly: true }).url).toContain("93");
});

test.each(["?from=https:b", "?a=\\b", "#\\b"])("the contents of «%s» are the store's own", (query) => {
  const url = `https://store.example.test/a${query}`;
  expect(read(url).url).toBe(url);
});

test("a password without a user name is one, too", () => {
  expect(refusal("https://:c4n4ry@store.example.test/a").message).toContain("user name or password");
});

test("permission for http: permits http: only, and the refusal says how to give it", () => {
  expect(refusal("http://store.example.test/a").remedy).toContain("docs-hosting:allowInsecure");
  const permitted = { allowInsecure: true };
  expect(refusal("ftp://store.example.test/a", permitted).message).toContain("begins with ftp:");
});

test("the size of the bundle is optional", () => {
  const url = "https://store.example.test/a";
  expect(read(url)).toEqual({ url, mintedAtMs: NOON_MS });
  expect(read(url, { sizeBytes: 0 })).toEqual({ url, mintedAtMs: NOON_MS, sizeBytes: 0 });
  expect(read(url, { sizeBytes: -1 }).sizeBytes).toBeUndefined();
});

describe("an expiry", () => {
  test.each([
    [" 2026-01-01 12:00 \n"],
    ["2026-01-01T12:00:00 z"],
    ["2026-01-01T14:00+02"],
    ["2026-01-01T06:30-05:30"],
    ["+002026-01-01T12:00:00.000Z"],
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
    const expiresAt = 1e18; // milliseconds
    const link = read("https://store.example.test/a", { expiresAt });
    expect(link.expiresAtMs).toBe(Date.parse("9999-12-31T23:59:59Z"));
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
  ])("«%s» is not guessed", (value) => {
    expect(parseExpiry(value)).toBeUndefined();
  });
});

describe("the query of a link", () => {
  test.each([
    "X-Amz-Date=on20260101T110000Z&X-Amz-Expires=3600",
    "X-Amz-Date=20260101T110000Z07&X-Amz-Expires=3600",
    "X-Amz-Date=20260101T110000Z&X-Amz-Expires=3600s",
    "X-Amz-Date=20260101T110000Z&X-Amz-Expires=in3600",
    "X-Amz-Date=20260101T110000Z&X-Goog-Expires=3600",
    "X-Amz-Date=20260101T110000Z&X-Amz-Expires=12345678901",
    "sig=x&X-Amz-Date=20260101T110000Z&X-Amz-Expires=3600",
  ])("%s has no end", (query) => {
    expect(read(`https://store.example.test/a?${query}`).expiresAtMs).toBeUndefined();
  });

  test("counts only where the service does not report the end", () => {
    const link = read("https://store.example.test/a?X-Amz-Date=20260101T110000Z&X-Amz-Expires=60", {
      expiresAt: "2026-01-01T12:00:00Z",
    });
    expect(link).toMatchObject({ expiresAtMs: NOON_MS, mintedAtMs: NOON_MS });
  });
});
