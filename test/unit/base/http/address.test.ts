// The hosts of links that are refused by their name, and links that programs read differently. The tests of addresses are those of
// stores (test/unit/publishing/download/storeAddress.test.ts).
import { expect, test } from "vitest";
import { isReadDifferently, refusedHost } from "../../../../provider/base/http/address.ts";

const anywhere = { publicStorageOnly: false };

test.each([
  ...["metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"],
  ...["METADATA.GOOG", "metadata."],
])("a link to %s is refused, because cloud machines get their credentials there", (host) => {
  expect(refusedHost(new URL(`https://${host}/latest`), anywhere)).toBe("is the name of a metadata address");
});

test.each(["metadata.example.com", "www.metadata.goog.example.com", "store.example.com"])(
  "a link to %s is allowed",
  (host) => {
    expect(refusedHost(new URL(`https://${host}/b`), anywhere)).toBeUndefined();
  },
);

test.each([
  ...[" https://store.example.com/b", "https://store.example.com/b ", "https://store.example.com/b\u00a0"],
  ...[
    "https://store.exam\nple.com/b",
    "https://store.example.com/\u202eb",
    "https://store.example.com/\ud800",
  ],
  ...["https:store.example.com/b", "https:/store.example.com/b", "https:///store.example.com/b"],
  ...["http:store.example.com/b", "HTTP:/store.example.com/b", "http:\\\\store.example.com/b"],
  ...["https://store.example.com\\@evil.example/b", "http://store.example.com\\@evil.example/b"],
  "https://\\store.example.com/b",
])("programs disagree about the host of %j", (url) => {
  expect(isReadDifferently(url)).toBe(true);
});

test.each([
  ...["https://store.example.com", "http://me:secret@store.example.com:8443/b?x=1#y", "https://[::1]/b"],
  "https://store.example.com/ä/b%20c",
  // after the host, a backslash or another address changes nothing
  ...["https://store.example.com/a\\b", "https://store.example.com?a\\b", "https://store.example.com#a\\b"],
  ...["https://store.example.com/?to=https:b", "https://store.example.com/?to=https://other.example\\b"],
])("programs agree about the host of %j", (url) => {
  expect(isReadDifferently(url)).toBe(false);
});
