// Links whose own signature says when they end.
import { describe, expect, test } from "vitest";
import { BUNDLE, exported, site, warnings, withExport } from "./expiringLinks.ts";

withExport();

const jwt = (payload: object): string =>
  [{ alg: "HS256" }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".") + ".c4n4ry";

describe("a link whose own signature ends, too", () => {
  const SIGNED = "X-Amz-Date=20260101T000000Z&X-Amz-Expires=3600&X-Amz-Signature=c4n4ry";
  const HOUR_END = "2026-01-01T01:00:00.000Z";
  const HOUR_S = Date.parse(HOUR_END) / 1_000;
  const policy = Buffer.from(`{"Statement":[{"Condition":{"DateLessThan":{"AWS:EpochTime":${HOUR_S}}}}]}`);
  const cloudFrontPolicy = policy.toString("base64").replaceAll("+", "-").replaceAll("=", "_");
  const at = (query: string): string => `https://store.example.test/b.tgz?${query}`;

  test.each([
    ["local time without its zone", "2026-01-01T03:00:00"],
    ["the service's wish of a day", "2026-01-02T00:00:00Z"],
    ["no end at all", undefined],
    ["its zero", "0001-01-01T00:00:00Z"],
  ])("E09 the signature's end counts where the reply has %s", async (_, expiresAt) => {
    const { outputs } = await exported(expiresAt, at(SIGNED));
    expect(outputs.expiresAt).toBe(HOUR_END);
    expect(warnings()).toEqual([]);
  });

  test("E09 the reply's end counts where it is the earlier one", async () => {
    const { outputs } = await exported("2026-01-01T00:30:00Z", at(SIGNED));
    expect(outputs.expiresAt).toBe("2026-01-01T00:30:00.000Z");
  });

  test("E09 a reply whose end has passed is a warning where the signature still holds", async () => {
    const { outputs } = await exported("2025-12-31T20:00:00", at(SIGNED));
    expect(outputs.expiresAt).toBe(HOUR_END);
    expect(warnings()).toEqual([
      expect.stringContaining("has expired at 2025-12-31T20:00:00.000Z, but the link's own signature holds"),
    ]);
    expect(site.service.requests.filter((request) => request === BUNDLE)).toHaveLength(1);
  });

  test.each([
    ["S3 with lower-case names", SIGNED.replaceAll("X-Amz", "x-amz")],
    ["OSS", SIGNED.replaceAll("X-Amz", "x-oss")],
    ["S3 version 2", `AWSAccessKeyId=AK&Signature=c4n4ry%3D&Expires=${HOUR_S}`],
    ["Google version 2", `GoogleAccessId=a&Signature=c4n4ry%3D&Expires=${HOUR_S}`],
    ["CloudFront", `Expires=${HOUR_S}&Signature=c4n4ry~&Key-Pair-Id=K1`],
    ["CloudFront with a policy", `Policy=${cloudFrontPolicy}&Signature=c4n4ry~&Key-Pair-Id=K1`],
    ["a CDN with a token", `token=c4n4ry&expires=${HOUR_S}`],
    ["a CDN whose end is written as a date", "token=c4n4ry&expires=2026-01-01T01:00:00Z"],
    [
      "COS",
      `q-ak=AK&q-sign-time=1767225600;${HOUR_S}&q-key-time=1767225600;${HOUR_S + 60}&q-signature=c4n4ry`,
    ],
    [
      "COS, whose key ends before the signature",
      `q-sign-time=1767225600%3B${HOUR_S + 60}&q-key-time=1767225600%3B${HOUR_S}&q-signature=c4n4ry`,
    ],
    ["OBS", SIGNED.replaceAll("X-Amz", "X-Obs")],
    ["Qiniu", `e=${HOUR_S}&token=AK:c4n4ry`],
    ["nginx", `md5=c4n4ry&expires=${HOUR_S}`],
    ["KeyCDN", `token=c4n4ry&expire=${HOUR_S}`],
    ["Akamai", `hdnts=st=1767225600~exp=${HOUR_S}~acl=/*~hmac=c4n4ry`],
    ["Akamai with another name", `__token__=exp%3D${HOUR_S}~acl%3D%2f*~hmac%3Dc4n4ry`],
    ["Media CDN", `edge-cache-token=Expires=${HOUR_S}~URLPrefix=aHR0~KeyName=k~Signature=c4n4ry`],
    ["a JWT", `token=${jwt({ url: "site/bundle.tar.gz", exp: HOUR_S })}`],
    ["Azure without seconds", "se=2026-01-01T01:00Z&sig=c4n4ry"],
    ["Azure, whose key ends before the signature", "se=2026-01-03&ske=2026-01-01T01%3A00%3A00Z&sig=c4n4ry"],
    ["two signatures", `${SIGNED}&Expires=${HOUR_S + 60}&Signature=c4n4ry`],
    ["a name that is there twice", `Expires=${HOUR_S}&Signature=c4n4ry&Expires=${HOUR_S + 60}`],
    ["Swift", `temp_url_sig=c4n4ry&temp_url_expires=${HOUR_S}`],
    ["Swift, as a date", "temp_url_sig=c4n4ry&temp_url_expires=2026-01-01T01:00:00Z"],
    ["Symfony", `_expiration=${HOUR_S}&_hash=c4n4ry`],
    ["Limelight", `p=20&e=${HOUR_S}&h=0123456789abcdef0123456789abcdef`],
    ["imgix", `expires=${HOUR_S}&s=0123456789abcdef0123456789abcdef`],
    ["a name of several words", `expiresAt=${HOUR_S}&signature=c4n4ry`],
    ["another word for it", `valid_until=${HOUR_S}&sig=c4n4ry`],
    ["a store of another name", SIGNED.replaceAll("X-Amz", "X-Kss")],
    ["BOS with its own date", "x-bce-date=2026-01-01T00:00:00Z&x-bce-expires=3600&x-bce-signature=c4n4ry"],
    ["BOS", "authorization=bce-auth-v1%2FAK%2F2026-01-01T00%3A00%3A00Z%2F3600%2Fhost%2Fc4n4ry"],
    ["Fastly", `token=${HOUR_S}_0123456789abcdef0123456789abcdef01234567`],
    ["Akamai's older form", `__gda__=${HOUR_S}_0123456789abcdef0123456789abcdef`],
    ["Cloudinary", `__cld_token__=exp=${HOUR_S}~acl=%2fa~hmac=c4n4ry`],
    ["CDN77", `secure=c4n4ry0123456789_-,${HOUR_S}`],
    ["a JWT in another parameter", `sig=${jwt({ exp: HOUR_S })}`],
    [
      "a header of the answer beside it",
      `${SIGNED}&response-expires=Thu%2C%2001%20Jan%202026%2000%3A30%3A00%20GMT`,
    ],
  ])("E09 the end of %s is read", async (_, query) => {
    expect((await exported("2026-01-02T00:00:00Z", at(query))).outputs.expiresAt).toBe(HOUR_END);
  });

  test.each([
    ["Bunny's parameters", `bcdn_token=c4n4ry&expires=${HOUR_S}&token_path=%2Fa%2F/a`],
    ["Bunny's parameters below a folder", `a/bcdn_token=c4n4ry&expires=${HOUR_S}&token_path=%2Fa%2F`],
    ["Akamai's token", `exp=${HOUR_S}~acl=%2F*~hmac=c4n4ry`],
    ["Akamai's named token", `hdnts=exp=${HOUR_S}~acl=%2F*~hmac=c4n4ry/a`],
    ["CDN77's token", `c4n4ry0123456789_-,${HOUR_S}/a`],
  ])("E09 the end of %s in the path is read", async (_, path) => {
    const link = `https://cdn.example.com/${path}/bundle.tgz`;
    expect((await exported("2026-01-02T00:00:00Z", link)).outputs.expiresAt).toBe(HOUR_END);
  });

  test.each([`_expiration=1767225599&_hash=c4n4ry`, `until=1&created_exp=1767225599&sig=c4n4ry`])(
    "E09 a time in %s that has passed is another time where the kind of the signature is not known",
    async (query) => {
      const { outputs } = await exported("2026-01-02T00:00:00Z", at(query));
      expect(outputs.expiresAt).toBe("2026-01-02T00:00:00.000Z");
    },
  );

  test("E09 a day is the end of a signature of Azure at its beginning", async () => {
    const { outputs } = await exported(undefined, at("sv=2024-05-04&se=2026-01-03&sig=c4n4ry"));
    expect(outputs.expiresAt).toBe("2026-01-03T00:00:00.000Z");
  });

  test.each([
    `Expires=${HOUR_S}`,
    "Signature=c4n4ry&Expires=3600",
    "Key-Pair-Id=K1&Policy=c4n4ry",
    `q-sign-time=1767225600;${HOUR_S}`,
    `token=${jwt({ iat: HOUR_S })}`,
    "token=eyJ.eyJ.c4n4ry",
    "hdnts=exp=soon~hmac=c4n4ry",
    `e=${HOUR_S}`,
    `e=${HOUR_S}&file=bundle.tgz`,
    `expires=${HOUR_S}&v=20260101`,
    `response-expires=${HOUR_S}&sig=c4n4ry`,
    "temp_url_expires=3600&temp_url_sig=c4n4ry",
  ])("E09 the query %s contains no end", async (query) => {
    expect((await exported(undefined, at(query))).outputs).not.toHaveProperty("expiresAt");
  });
});
