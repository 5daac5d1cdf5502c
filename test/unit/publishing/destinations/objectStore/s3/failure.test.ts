import { expect, test } from "vitest";
import {
  type S3Action,
  s3Failure,
} from "../../../../../../provider/publishing/destinations/objectStore/s3/failure.ts";

const PLACE = { bucket: "docs", prefix: "site", region: "us-east-1" };

interface Raw {
  name?: string;
  message?: string;
  code?: string;
  status?: number;
  headers?: Record<string, string>;
  Endpoint?: string;
  Region?: string;
}

function messageOf(
  { status, headers, ...raw }: Raw,
  action: S3Action = "s3:PutObject",
  key?: string,
): string {
  const error = Object.assign(new Error(raw.message), raw, {
    ...(status !== undefined && { $metadata: { httpStatusCode: status, requestId: "R1" } }),
    ...(headers && { $response: { headers } }),
  });
  const { message, remedy, name } = s3Failure(error, { action, key }, PLACE);
  expect(name).toBe("DestinationError");
  return `${message} | ${remedy}`;
}

test.for<[Raw, RegExp]>([
  [{ name: "NoSuchBucket", status: 404 }, /^there is no bucket docs \|/],
  [
    { name: "AccessDenied", status: 403 },
    /^s3:PutObject on s3:\/\/docs\/site is not allowed \(request id R1\) \| Allow .* s3:PutObject on the bucket docs\. If .* set the destination's `encryption`\.$/,
  ],
  [{ name: "403", status: 403 }, /is not allowed/],
  [{ name: "ExpiredToken", status: 400 }, /have expired .*aws sso login/],
  [{ name: "InvalidAccessKeyId", status: 403 }, /does not know the access key/],
  [{ name: "SignatureDoesNotMatch", status: 403 }, /does not accept the secret/],
  [
    { name: "CredentialsProviderError", message: "Could not load credentials" },
    /^no credentials .*Could not load/,
  ],
  [{ name: "RequestTimeTooSkewed", status: 403 }, /clock/],
  [{ name: "SlowDown", status: 503 }, /too busy \(SlowDown\)/],
  [{ name: "BadDigest", status: 400 }, /differs from the data that was sent/],
  [{ name: "NotImplemented", status: 501, message: "no" }, /does not know s3:PutObject/],
  [
    { name: "Error", code: "ECONNREFUSED" },
    /^Amazon S3 could not be reached for s3:\/\/docs\/site \(ECONNREFUSED\)/,
  ],
  [
    { name: "Strange", status: 418, message: "tea" },
    /failed with status 418 \(Strange\): tea \(request id R1\)/,
  ],
])("%j", ([raw, expected]) => {
  expect(messageOf(raw)).toMatch(expected);
});

test.for<Raw>([
  { name: "PermanentRedirect", status: 301, headers: { "x-amz-bucket-region": "eu-west-3" } },
  { name: "301", status: 301, headers: { "x-amz-bucket-region": "eu-west-3" } },
  { name: "PermanentRedirect", status: 301, Endpoint: "docs.s3-eu-west-3.amazonaws.com" },
  { name: "AuthorizationHeaderMalformed", status: 400, Region: "eu-west-3" },
  {
    name: "AuthorizationHeaderMalformed",
    status: 400,
    message: "the region 'us-east-1' is wrong; expecting 'eu-west-3'",
  },
])("a bucket of another region is named with its region: %j", (raw) => {
  expect(messageOf(raw)).toBe(
    'the bucket docs is in the region eu-west-3, but the request went to another region | Set the destination\'s region to "eu-west-3".',
  );
});

test("a redirect without a target is still reported; other failures ignore the header", () => {
  expect(messageOf({ name: "PermanentRedirect", status: 301 })).toContain("is in another region");
  expect(
    messageOf({ name: "AccessDenied", status: 403, headers: { "x-amz-bucket-region": "eu-west-3" } }),
  ).toContain("not allowed");
});

test("without s3:ListBucket missing objects look forbidden: that is reported", () => {
  expect(messageOf({ name: "403", status: 403 }, "s3:GetObject", "site/a")).toMatch(
    /^s3:GetObject on s3:\/\/docs\/site\/a .*and s3:ListBucket, without which/,
  );
});

test("messages of the store are cut, printable, and have no query of a link", () => {
  const message = `\u001b[31m##vso[task] https://docs.example.com/a?X-Amz-Signature=abc ${"x".repeat(1_000)}`;
  const text = messageOf({ name: "Strange", status: 500, message });
  expect(text).not.toContain("X-Amz-Signature");
  expect(text).not.toContain("\u001b");
  expect(text).not.toContain("##vso");
  expect(text.length).toBeLessThan(700);
});

test.for<[string, string]>([
  ["AllAccessDisabled", "s3:PutObject on s3://docs/site is not allowed (request id R1)"],
  ["AccessDenied", "s3:PutObject on s3://docs/site is not allowed (request id R1)"],
  ["ExpiredTokenException", "the credentials for the bucket docs have expired"],
  ["TokenRefreshRequired", "the credentials for the bucket docs have expired"],
  ["XAdminUserNotFound", "the store of s3://docs/site does not know the access key"],
  ["InvalidToken", "the store of s3://docs/site does not accept the secret of the access key"],
  ["InvalidSecurity", "the store of s3://docs/site does not accept the secret of the access key"],
  ["TokenProviderError", "no credentials for the bucket docs were found: "],
  ["RequestExpired", "the clock of this machine and that of the store of s3://docs/site differ too much"],
  ["TemporaryRedirect", "the bucket docs is in another region than the request was sent to"],
  ["AuthorizationHeaderMalformed", "the bucket docs is in another region than the request was sent to"],
  ["IllegalLocationConstraintException", "the bucket docs is in another region than the request was sent to"],
  ["301", "the bucket docs is in another region than the request was sent to"],
  ["ServiceUnavailable", "the store of s3://docs/site is too busy (ServiceUnavailable) (request id R1)"],
  [
    "XAmzContentChecksumMismatch",
    "the data that arrived at s3://docs/site differs from the data that was sent",
  ],
  [
    "XAmzContentSHA256Mismatch",
    "the data that arrived at s3://docs/site differs from the data that was sent",
  ],
  ["EntityTooLarge", "the store has no space for s3://docs/site (EntityTooLarge)"],
  ["QuotaExceeded", "the store has no space for s3://docs/site (QuotaExceeded)"],
  ["XMinioStorageFull", "the store has no space for s3://docs/site (XMinioStorageFull)"],
])("the code %s says: %s", ([name, said]) => {
  expect(messageOf({ name, status: name === "301" ? 301 : 400 })).toContain(said);
});

test.for<[string, number, string]>([
  ["", 503, "is too busy (503)"],
  ["Unknown", 501, "does not know s3:PutObject"],
  ["UnknownError", 403, "is not allowed"],
  ["Forbidden", 403, "is not allowed"],
  ["BadRequest", 400, "failed with status 400 (400)"],
  ["Bad Request", 400, "failed with status 400 (400)"],
  ["NotFound", 404, "failed with status 404 (404)"],
  ["Error", 301, "in another region"],
])(
  "an answer without a code, which the library names «%s», counts by its status %d",
  ([name, status, said]) => {
    expect(messageOf({ name, status })).toContain(said);
  },
);

test("a store that is not reached is named by its host, and its failure by a short code", () => {
  const said = (error: object, endpoint?: string): string =>
    s3Failure(
      error,
      { action: "s3:PutObject", key: "a" },
      { ...PLACE, ...(endpoint !== undefined && { endpoint }) },
    ).message;
  expect(said({ name: "TimeoutError" }, "https://me.example.com:9000/x")).toBe(
    "me.example.com:9000 could not be reached for s3://docs/a (TimeoutError)",
  );
  expect(said({ code: "x".repeat(61) })).toBe("Amazon S3 could not be reached for s3://docs/a (failed)");
  expect(said({ code: "a\n##vso" })).toContain("(failed)");
  expect(said({ code: "E" }, "nowhere")).toBe("the store could not be reached for s3://docs/a (E)");
});

test("a region that is no name, or that the request had, is not suggested", () => {
  for (const Region of ["us-east-1", "eu west", "", "x".repeat(65)]) {
    expect(messageOf({ name: "PermanentRedirect", status: 301, Region })).toContain("in another region than");
  }
});
