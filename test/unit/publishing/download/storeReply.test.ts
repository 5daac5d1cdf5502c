import { describe, expect, test } from "vitest";
import {
  readStoreReply,
  type RequestedRange,
  storeReason,
  type StoreReply,
} from "../../../../provider/publishing/download/storeReply.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");
/** The request for the end of a bundle of 100 bytes. */
const REST: RequestedRange = { from: 40, etag: '"1"', totalBytes: 100 };

function read(
  status: number,
  headers: Record<string, string> = {},
  requested: RequestedRange = { from: 0 },
  reason = "",
): StoreReply {
  return readStoreReply({ status, headers: new Headers(headers) }, requested, reason, NOW_MS);
}

const restart = (why: string): StoreReply => ({ kind: "restart", why });

describe("an answer with the whole bundle", () => {
  const whole = { kind: "bytes", from: 0 };

  test.each<[string, Record<string, string>, object]>([
    ["a length", { "content-length": "100" }, { totalBytes: 100, until: 100, endIsUnknown: false }],
    ["no length", {}, { totalBytes: undefined, until: undefined, endIsUnknown: true }],
    ["no length, in chunks", { "transfer-encoding": "gzip, Chunked" }, { endIsUnknown: false }],
    ["another transfer encoding", { "transfer-encoding": "unchunked" }, { endIsUnknown: true }],
    ["a strong ETag", { etag: '"1"' }, { etag: '"1"' }],
    ["a weak ETag", { etag: 'W/"1"' }, { etag: undefined }],
    ["the coding that changes nothing", { "content-encoding": "Identity" }, { endIsUnknown: true }],
    ["an empty coding", { "content-encoding": " " }, { endIsUnknown: true }],
  ])("may have %s", (_what, headers, expected) => {
    expect(read(200, headers)).toMatchObject({ ...whole, ...expected });
    expect(read(200, headers, REST)).toMatchObject({ ...whole, ...expected });
  });

  test.each(["1e3", "-1", "1,1", "0x10", " ", "1".repeat(16)])("has no length in %j", (length) => {
    expect(read(200, { "content-length": length })).toMatchObject({
      totalBytes: undefined,
      endIsUnknown: true,
    });
  });
});

describe("an answer with a part", () => {
  const range = (text: string, further: Record<string, string> = {}): Record<string, string> => ({
    "content-range": text,
    etag: '"1"',
    ...further,
  });

  test.each<[string, Record<string, string>, number]>([
    ["to its end", range("bytes 40-99/100"), 100],
    ["of one byte", range("Bytes 40-40/100"), 41],
    ["of the stated length", range("bytes 40-59/100", { "content-length": "20" }), 60],
  ])("continues the bundle, %s", (_what, headers, until) => {
    const expected = { kind: "bytes", from: 40, until, totalBytes: 100, etag: '"1"', endIsUnknown: false };
    expect(read(206, headers, REST)).toEqual(expected);
    expect(read(206, headers, { ...REST, totalBytes: undefined })).toEqual(expected);
  });

  test.each<[string, Record<string, string>, string]>([
    ["no range", { etag: '"1"' }, "the store does not say which bytes it sends"],
    [
      "no ETag",
      { "content-range": "bytes 40-99/100" },
      "the store sends the rest without a strong ETag, so it may be of another bundle",
    ],
    ["more than a range", range("bytes 40-99/100, 0"), "the store does not say which bytes it sends"],
    ["something before its range", range("x bytes 40-99/100"), "the store does not say which bytes it sends"],
    [
      "a number too large",
      range(`bytes 40-99/1${"0".repeat(15)}`),
      "the store does not say which bytes it sends",
    ],
    ["another unit", range("lines 40-99/100"), "the store does not say which bytes it sends"],
    ["an earlier start", range("bytes 39-99/100"), "the store sends other bytes than requested"],
    ["a later start", range("bytes 41-99/100"), "the store sends other bytes than requested"],
    [
      "another size",
      range("bytes 40-99/101"),
      "the store gives another size for the same bundle than before",
    ],
    ["another size and ETag", range("bytes 40-99/101", { etag: '"2"' }), "the bundle has changed"],
    ["an end before its start", range("bytes 40-39/100"), "the store contradicts itself"],
    ["an end beyond the bundle", range("bytes 40-100/100"), "the store contradicts itself"],
    ["another length", range("bytes 40-99/100", { "content-length": "59" }), "the store contradicts itself"],
    ["another ETag", range("bytes 40-99/100", { etag: '"2"' }), "the bundle has changed"],
    [
      "a weak ETag",
      range("bytes 40-99/100", { etag: 'W/"1"' }),
      "the store sends the rest without a strong ETag, so it may be of another bundle",
    ],
  ])("and %s starts the download again", (_what, headers, why) => {
    expect(read(206, headers, REST)).toEqual(restart(why));
  });

  test("is useless where none was requested, because no ETag is known", () => {
    const headers = { "content-range": "bytes 0-99/100" };
    const why = "the store sends the rest without a strong ETag, so it may be of another bundle";
    expect(read(206, headers)).toEqual(restart(why));
  });
});

test("that a link has expired is read in any letter case, and a pause by the store's clock", () => {
  expect(read(400, {}, REST, "AccessDenied: Request has EXPIRED")).toEqual({ kind: "refused" });
  const headers = { "retry-after": "Thu, 01 Jan 2026 01:00:09 GMT", date: "Thu, 01 Jan 2026 01:00:00 GMT" };
  const fault = { kind: "status", status: 429, retryAfterMs: 9_000 };
  expect(read(429, headers, REST, "busy")).toEqual({ kind: "later", fault });
});

describe("a store that has no more bytes", () => {
  test.each<[string, string | undefined, number | undefined]>([
    ["of the known size", "bytes */100", 100],
    ["of a size that only the store knows", "BYTES */100", undefined],
    ["and does not repeat the size", undefined, 100],
  ])("%s has sent all", (_what, range, totalBytes) => {
    const headers: Record<string, string> = range === undefined ? {} : { "content-range": range };
    expect(read(416, headers, { from: 100, etag: '"1"', totalBytes })).toEqual({ kind: "complete" });
  });

  test.each<[string, string | undefined, RequestedRange]>([
    ["has a shorter bundle", "bytes */99", { from: 100, totalBytes: 100 }],
    ["has another bundle", "bytes */100", { from: 100, totalBytes: 200 }],
    ["was asked for an earlier byte", "bytes */100", REST],
    ["knows no size", undefined, { from: 100 }],
    ["was asked for all", "bytes */0", { from: 0 }],
    ["says something else", "x bytes */100", { from: 100 }],
    ["says more", "bytes */100 or so", { from: 100 }],
    ["says too large a number", `bytes */${"1".repeat(16)}`, { from: Number("1".repeat(16)) }],
  ])("and %s starts the download again", (_what, range, requested) => {
    const headers: Record<string, string> = range === undefined ? {} : { "content-range": range };
    expect(read(416, headers, requested)).toMatchObject({ kind: "restart" });
  });

  test("has changed only if it says so", () => {
    const shorter = { "content-range": "bytes */99" };
    expect(read(416, shorter, { from: 100 })).toEqual(restart("the store has fewer bytes than have arrived"));
    expect(read(416, {}, { from: 100 })).toEqual(restart("the store refuses to send the rest"));
  });
});

describe("an archive with a Content-Encoding in the store", () => {
  test.each([
    ["sent with it", { "content-encoding": "gzip" }],
    ["decompressed by Google's store", { "x-goog-stored-content-encoding": "gzip" }],
    ["decompressed, with a warning", { warning: '214 UploadServer "gunzipped"' }],
  ])("%s is refused with the command that mends it", (_what, headers) => {
    expect(read(200, headers)).toMatchObject({
      kind: "never",
      remedy: expect.stringContaining(
        "gcloud storage objects update gs://BUCKET/OBJECT --clear-content-encoding",
      ) as string,
    });
  });

  test("is not meant where Google's store names none", () => {
    expect(read(200, { "x-goog-stored-content-encoding": "identity" })).toMatchObject({ kind: "bytes" });
  });
});

test.each([
  ["<Error><Code>NoSuchKey</Code><Message> gone\n</Message><Key>secret</Key></Error>", "NoSuchKey: gone"],
  ["<?xml version='1.0'?>\n<error><CODE>NoSuchKey</CODE></error>", "NoSuchKey"],
  ["<Error><Message>gone</Message></Error>", "gone"],
  ["<Error><Code> </Code><StringToSign>secret</StringToSign></Error>", ""],
  [" \n<html>a page</html>", ""],
  ["no < here", "no < here"],
  ["", ""],
])("of the error %j the user reads %j", (text, reason) => {
  expect(storeReason(text)).toBe(reason);
});

test("a long error is cut", () => {
  expect(storeReason("word ".repeat(1_000)).length).toBeLessThan(210);
  expect(storeReason("word ".repeat(1_000)).length).toBeGreaterThan(190);
});
