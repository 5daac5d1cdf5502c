import { expect, test } from "vitest";
import { MalformedResponseError } from "../../../provider/base/runtime/messages/errors.ts";
import { Secrets } from "../../../provider/base/runtime/messages/secrets.ts";
import { type BundleLink, readBundleLink } from "../../../provider/service/bundleLink.ts";

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

test("permission for http: permits http: only, and the refusal says how to give it", () => {
  expect(refusal("http://store.example.test/a").remedy).toContain("docs-hosting:allowInsecure");
  const permitted = { allowInsecure: true };
  expect(refusal("ftp://store.example.test/a", permitted).message).toContain("begins with ftp:");
});

test("the size of the bundle is optional", () => {
  const url = "https://store.example.test/a";
  expect(read(url)).toEqual({ url, mintedAtMs: NOON_MS });
  expect(read(url, { sizeBytes: 7 })).toEqual({ url, mintedAtMs: NOON_MS, sizeBytes: 7 });
  expect(read(url, { sizeBytes: 0 }).sizeBytes).toBeUndefined();
  expect(read(url, { sizeBytes: -1 }).sizeBytes).toBeUndefined();
});
