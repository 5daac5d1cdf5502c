// The link from the service: U01 to U05, U08, U10 to U12 of the faults. These tests never open it, they only pass it on.
import { afterEach, beforeEach, expect, test } from "vitest";
import { nothing, SimulatedExport, unfinished } from "../simulation/simulatedExport.ts";

let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
  site.service.durationMs = 0;
});

afterEach(() => {
  site.expectNoSecretShown();
});

/** The outputs of an export with this link. */
async function exported(bundleUrl: string): Promise<Record<string, unknown>> {
  site.answer("bundle", () => ({ body: { bundleUrl, expiresAt: "2026-01-01T01:00:00Z" } }));
  return { ...(await site.create()).outputs };
}

test.each([
  ["U01", "is missing", undefined, 'without a "bundleUrl"'],
  ["U01", "is null", null, 'without a "bundleUrl"'],
  ["U01", "is empty", "", 'without a "bundleUrl"'],
  ["U01", "is a number", 7, 'without a "bundleUrl"'],
  ["U01", "is a list", ["https://store.example.test/a?c4n4ry"], 'without a "bundleUrl"'],
  ["U02", "is relative", "/bundles/7?X-Signature=c4n4ry", "not an absolute URL"],
  ["U02", "has no scheme", "//store.example.test/a?X-Signature=c4n4ry", "not an absolute URL"],
  ["U02", "is no URL", "c4n4ry", "not an absolute URL"],
  ["U02", "has no slashes", "https:store.example.test/a?X-Signature=c4n4ry", "not an absolute URL"],
  ["U02", "ends its line", "https://store.example.test/a?X-Signature=c4n4ry\n", "not an absolute URL"],
  ["U02", "ends a line within", "https://store.example.test/a\r\nc4n4ry: 1", "not an absolute URL"],
  [
    "U02",
    "is read differently",
    "https://a\\@store.example.test/a?X-Signature=c4n4ry",
    "not an absolute URL",
  ],
  ["U02", "hides characters", "https://store.example.test/a?X-Signature=\u202ec4n4ry", "not an absolute URL"],
  ["U02", "ends with half a character", "https://store.example.test/a?c4n4ry=\ud83d", "not an absolute URL"],
  ["U03", "uses http:", "http://store.example.test/a?X-Signature=c4n4ry", "begins with http:"],
  ["U03", "uses http: to this machine", "http://127.0.0.1:1/a?X-Signature=c4n4ry", "begins with http:"],
  ["U04", "uses file:", "file:///c4n4ry/passwd", "begins with file:"],
  ["U04", "uses ftp:", "ftp://store.example.test/c4n4ry", "begins with ftp:"],
  ["U04", "uses data:", "data:text/plain,c4n4ry", "begins with data:"],
  ["U04", "uses s3:", "s3://bucket/c4n4ry", "begins with s3:"],
  ["U04", "uses javascript:", "javascript:alert('c4n4ry')", "begins with javascript:"],
  ["U05", "holds a password", "https://u:c4n4ry@store.example.test/a", "user name or password"],
  ["U05", "holds a user name", "https://c4n4ry@store.example.test/a", "user name or password"],
  ["U08", "has a port that there is not", "https://store.example.test:99999/c4n4ry", "not an absolute URL"],
])("%s a link that %s is an error that does not show it, and the job is kept", async (...row) => {
  const [, , bundleUrl, problem] = row;
  site.answer("bundle", () => ({ body: { bundleUrl } }));
  const { message, state } = await unfinished(site.create());
  expect(message).toContain(
    `/v1/static-export/jobs/job-1/bundle answered ${problem.startsWith("without") ? "" : "a bundleUrl"}`,
  );
  expect(message).toContain(problem);
  expect(message).toContain("Nothing is lost: job job-1");
  expect(state.outputs.bundleUrl).toBeUndefined();
  expect(site.requests()).toEqual(["POST /jobs", "GET /jobs/job-1", "POST /jobs/job-1/bundle"]);
  site.service.fault = () => undefined;
  expect((await site.update(state)).outputs.bundleUrl).toContain("https://store.example.test/job-1.tar.gz");
  expect(site.requests()).toEqual(["POST /jobs/job-1/bundle"]);
});

test.each([
  ["the service itself is on this machine", { baseUrl: "http://127.0.0.1:4010" }, {}],
  ["the configuration permits it", {}, { "docs-hosting:allowInsecure": "true" }],
])("U03 http: is accepted when %s", async (_, inputs, stackConfig) => {
  Object.assign(site.inputs, inputs);
  Object.assign(site.stackConfig, stackConfig);
  const bundleUrl = "http://store.example.test:4010/b.tgz?X-Signature=c4n4ry";
  expect(await exported(bundleUrl)).toMatchObject({ bundleUrl });
});

test.each([
  ["U08", "an international host", "https://bücher.example/b.tgz?X-Signature=c4n4ry"],
  ["U08", "a host in punycode", "https://xn--bcher-kva.example/b.tgz?X-Signature=c4n4ry"],
  ["U08", "a dot at the end of its host", "https://store.example.test./b.tgz?X-Signature=c4n4ry"],
  ["U08", "a port", "https://store.example.test:8443/b.tgz?X-Signature=c4n4ry"],
  ["U08", "the usual port", "https://store.example.test:443/b.tgz?X-Signature=c4n4ry"],
  ["U08", "capital letters", "HTTPS://Store.Example.TEST/b.tgz?X-Signature=c4n4ry"],
  [
    "U10",
    "64 kilobytes",
    `https://store.example.test/?X-Signature=c4n4ry&t=${"0123456789abcdef".repeat(4_096)}`,
  ],
  ["U11", "an order", "https://store.example.test/b.tgz?b=2&a=1&b=1&sig=A%2B/,{}\\'$(x)&empty=&n"],
  [
    "U11",
    "an encoding",
    "https://store.example.test/a/../b.tgz?x=%7E~%2f%2F+%20 é%C3%A9&X-Signature=c4n4ry#part",
  ],
  ["U11", "no path", "https://store.example.test?X-Signature=c4n4ry"],
])("%s a link with %s is passed on unchanged, byte for byte", async (_row, _what, bundleUrl) => {
  expect((await exported(bundleUrl))["bundleUrl"]).toBe(bundleUrl);
});

test("U12 another link at every request is no difference: up and refresh request none", async () => {
  const state = await site.create();
  const other = await site.create({ ...site.inputs, jobId: "job-1" });
  expect(other.outputs.bundleUrl).not.toBe(state.outputs.bundleUrl);
  site.requests();
  expect(site.verdict(state)).toEqual(nothing);
  const seen = await site.read(state);
  expect(seen).toEqual(state);
  expect(site.verdict(state)).toEqual(nothing);
  expect(site.requests()).toEqual(["GET /jobs/job-1"]);
});
