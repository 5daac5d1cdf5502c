import { describe, expect, test } from "vitest";
import {
  checkDestination,
  destinationChange,
} from "../../../../../../provider/publishing/destinations/inputs.ts";
import { objectAddress } from "../../../../../../provider/publishing/destinations/objectStore/s3/inputs.ts";
import { s3Destination } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";

type Given = Readonly<Record<string, unknown>>;

function problem(given: Given): string | undefined {
  const checked = checkDestination({ bucket: "docs", ...given });
  return "problem" in checked ? `${checked.at} ${checked.problem}` : undefined;
}

test.for<Given>([
  {},
  { bucket: "my.docs-2" },
  { bucket: "abc" },
  { bucket: "a".repeat(63) },
  { prefix: "" },
  { prefix: "docs/größe/v 1" },
  { prefix: "ä".repeat(256) },
  { endpoint: "http://127.0.0.1:9000" },
  { endpoint: "https://s3.example.com/below/", region: "garage" },
  { region: "eu-central-1" },
  { region: "x" },
  { region: "a".repeat(64) },
  { pathStyle: false },
  { pathStyle: true, endpoint: "http://127.0.0.1:9000" },
  { pathStyle: false, endpoint: "https://oss-cn-hangzhou.aliyuncs.com" },
  { encryption: "AES256" },
  { encryption: "aws:kms", kmsKeyId: "arn:aws:kms:eu-west-1:1:key/a-b" },
  { layout: "site" },
  { layout: "site", cleanUrls: false },
  { layout: "archive", linkLife: "168h" },
  { linkLife: "1s" },
])("a destination is right: %j", (given) => {
  expect(problem(given)).toBeUndefined();
});

test.for<[Given, string]>([
  [{ bucket: 7 }, "bucket must be a string"],
  [{ bucket: "s3://docs" }, "bucket must be the bucket's name alone, without s3://"],
  [{ bucket: "arn:aws:s3:::docs" }, "bucket must be the bucket's name alone, without s3://"],
  [{ bucket: "S3:docs" }, "bucket must be the bucket's name alone, without s3://"],
  [{ bucket: "http://docs" }, "bucket must be the bucket's name alone, without s3://"],
  [{ bucket: "docs/site" }, "the `prefix`"],
  [{ bucket: "ab" }, "3 to 63"],
  [{ bucket: "a".repeat(64) }, "3 to 63"],
  [{ bucket: "Docs" }, "a-z"],
  [{ bucket: "docs_1" }, "a-z"],
  [{ bucket: "-docs" }, "a-z"],
  [{ bucket: "docs." }, "a-z"],
  [{ bucket: "a..b" }, "«..»"],
  [{ bucket: "192.168.1.1" }, "IP address"],
  [{ prefix: 1 }, "prefix must be a string"],
  [{ prefix: "/docs" }, "prefix must not begin with «/»: write «docs»"],
  [{ prefix: "docs//" }, "empty segments"],
  [{ prefix: "a//b" }, "empty segments"],
  [{ prefix: "a/../b" }, "«..»"],
  [{ prefix: "./b" }, "«.»"],
  [{ prefix: "a\nb" }, "control characters"],
  [{ prefix: "a\\b" }, "control characters"],
  [{ prefix: "a/.docs-hosting" }, ".docs-hosting"],
  [{ prefix: "ä".repeat(257) }, "512 bytes"],
  [{ pathStyle: "no" }, "pathStyle must be true or false"],
  [{ cleanUrls: "no", layout: "site" }, "cleanUrls must be true or false"],
  [{ cleanUrls: false }, "cleanUrls is for the layout «site» only"],
  [{ pathStyle: false, bucket: "my.docs" }, "pathStyle must be true for a bucket with «.»"],
  [{ pathStyle: false, endpoint: "http://[::1]:9000" }, "pathStyle must be true for an endpoint with an IP"],
  [
    { pathStyle: false, endpoint: "https://docs.oss-cn-hangzhou.aliyuncs.com" },
    "must not contain the bucket: write «https://oss-cn-hangzhou.aliyuncs.com»",
  ],
  [{ encryption: "yes" }, 'encryption must be "AES256" or "aws:kms"'],
  [{ encryption: "AES256", kmsKeyId: "a" }, 'kmsKeyId needs `encryption: "aws:kms"`'],
  [{ kmsKeyId: "a" }, 'kmsKeyId needs `encryption: "aws:kms"`'],
  [{ encryption: "aws:kms", kmsKeyId: "a b" }, "kmsKeyId must be the ID, ARN or alias"],
  [{ endpoint: "s3.example.com" }, "endpoint must be an http(s) URL"],
  [{ endpoint: "ftp://s3.example.com" }, "endpoint must be an http(s) URL"],
  [{ endpoint: 1 }, "endpoint must be an http(s) URL"],
  [{ endpoint: "https://me:secret@s3.example.com" }, "must not contain credentials"],
  [{ endpoint: "https://me@s3.example.com" }, "must not contain credentials"],
  [{ endpoint: "https://:secret@s3.example.com" }, "must not contain credentials"],
  [{ endpoint: "https://s3.example.com/?a=b" }, "query"],
  [{ endpoint: "https://s3.example.com/#a" }, "query"],
  [{ region: "eu central" }, "region must be a region"],
  [{ region: "" }, "region must be a region"],
  [{ region: 1 }, "region must be a region"],
  [{ region: "eu-" }, "region must be a region"],
  [{ region: "-eu" }, "region must be a region"],
  [{ region: "a".repeat(65) }, "region must be a region"],
  [{ layout: "zip" }, "layout must be"],
  [{ linkLife: 24 }, "linkLife must be a duration"],
  [{ linkLife: "a day" }, "linkLife must be a duration"],
  [{ linkLife: "500ms" }, "linkLife must be from"],
  [{ linkLife: "169h" }, "7 days"],
  [{ layout: "site", linkLife: "24h" }, "layout «archive» only"],
])("a destination is wrong: %j", ([given, reason]) => {
  expect(problem(given)).toContain(reason);
});

test("no message repeats a password", () => {
  expect(problem({ endpoint: "https://me:hunter2@s3.example.com" })).not.toContain("hunter2");
});

describe("an object's address", () => {
  test.for([
    [{ bucket: "docs" }, "eu-west-1", "https://docs.s3.eu-west-1.amazonaws.com/a/b.gz"],
    [{ bucket: "my.docs" }, "eu-west-1", "https://s3.eu-west-1.amazonaws.com/my.docs/a/b.gz"],
    [{ bucket: "docs" }, "cn-north-1", "https://docs.s3.cn-north-1.amazonaws.com.cn/a/b.gz"],
    [{ bucket: "docs", endpoint: "https://s3.example.com" }, "x", "https://s3.example.com/docs/a/b.gz"],
    [{ bucket: "docs", endpoint: "http://h:9000/s3/" }, "x", "http://h:9000/s3/docs/a/b.gz"],
  ] as const)("of %j in %s", ([place, region, address]) => {
    expect(objectAddress(place, region, "a/b.gz")).toBe(address);
  });

  test("has no character with a meaning in an address", () => {
    expect(objectAddress({ bucket: "docs" }, "r", "a b/ä?#+('*!)")).toBe(
      "https://docs.s3.r.amazonaws.com/a%20b/%C3%A4%3F%23%2B%28%27%2A%21%29",
    );
  });
});

test.for([
  ["exports/", "exports"],
  ["exports", "exports"],
  ["a/b/", "a/b"],
  ["/", ""],
  ["", ""],
])(
  "the prefix «%s» is stored as «%s», so that both spellings are the same destination",
  ([prefix, stored]) => {
    const checked = checkDestination({ bucket: "docs", prefix });
    expect(checked).toEqual({ value: { bucket: "docs", prefix: stored, layout: "archive" } });
  },
);

test("a destination without a prefix stays without one, and a prefix that is no text is refused", () => {
  expect(checkDestination({ bucket: "docs" })).toEqual({ value: { bucket: "docs", layout: "archive" } });
  expect(checkDestination({ bucket: "docs", prefix: 1 })).toMatchObject({ at: "prefix" });
  expect(checkDestination({ bucket: "docs", prefix: "docs//" })).toMatchObject({ at: "prefix" });
});

test("the place of copies has the bucket, and the prefix if there is one", () => {
  expect(s3Destination({ bucket: "docs" }).id).toBe("s3://docs");
  expect(s3Destination({ bucket: "docs", prefix: "p/q" }).id).toBe("s3://docs/p/q");
});

test("a destination of an earlier version has no new fields, so that its state has no diff", () => {
  const given = { bucket: "docs", endpoint: "https://s3.example.com" };
  expect(checkDestination(given)).toEqual({ value: { ...given, layout: "archive" } });
});

test.each([
  [{ pathStyle: true }, "none"],
  [{ encryption: "AES256" }, "none"],
  [{ encryption: "aws:kms", kmsKeyId: "alias/docs" }, "none"],
])("the setting %j of requests changes no copy that exists", (more, change) => {
  const before = { bucket: "docs", endpoint: "https://s3.example.com", layout: "site" } as const;
  expect(destinationChange(before, { ...before, ...(more as object) })).toBe(change);
});
