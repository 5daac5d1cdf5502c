// When a link ends, by any form of the service's time and by any clock: E01 to E09 of the faults.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parsePointInTime } from "../../provider/base/runtime/time/pointInTime.ts";
import type { StaticExportState } from "../../provider/staticExport/state.ts";
import { caught, nothing, SimulatedExport, unfinished } from "../simulation/simulatedExport.ts";

const BUNDLE = "POST /jobs/job-1/bundle";
const LINK = "https://store.example.test/b.tgz?X-Signature=c4n4ry";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport(); // at 2026-01-01T00:00:00Z
  site.service.durationMs = 0;
});

afterEach(() => {
  site.expectNoSecretShown();
});

/** An export whose link ends then, as the service says. */
function exported(expiresAt: unknown, bundleUrl = LINK): Promise<StaticExportState> {
  site.answer("bundle", () => ({ body: { bundleUrl, expiresAt } }));
  return site.create();
}

const jwt = (payload: object): string =>
  [{ alg: "HS256" }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".") + ".c4n4ry";

const warnings = (): string[] => site.reporter.lines.warn;

describe("no expiresAt", () => {
  const unknownLife = "the service does not say when the link to job job-1 expires";

  test("E01 no expiresAt: a warning, once, and no renewal by time", async () => {
    const state = await exported(undefined);
    expect(state.outputs).not.toHaveProperty("expiresAt");
    expect(state.outputs).not.toHaveProperty("renewAfter");
    expect(warnings()).toEqual([`${unknownLife}: it is renewed only when an input changes`]);
    site.clock.advance(365 * DAY_MS);
    expect(site.verdict(state)).toEqual(nothing);
  });

  test.each([
    ["settings", { renewBefore: "10m" }, "RENEW_WINDOW", [BUNDLE]],
    [
      "version",
      { version: "v2" },
      "NEW_CONTENT",
      ["POST /jobs", "GET /jobs/job-2", "POST /jobs/job-2/bundle"],
    ],
  ])("E01 no expiresAt: a change of %s renews the link", async (_, change, code, requests) => {
    const state = await exported(undefined);
    site.requests();
    site.service.fault = () => undefined;
    site.service.linkLifeMs = undefined;
    const inputs = { ...site.inputs, ...change };
    expect(site.verdict(state, inputs)).toMatchObject({ changed: Object.keys(change), code });
    const { outputs } = await site.update(state, inputs);
    expect(site.requests()).toEqual(requests);
    expect(outputs.bundleUrl).not.toBe(LINK);
    expect(warnings()).toHaveLength(2); // one for each link
  });

  test.each([
    ["an S3-compatible store", "X-Amz-Date=20260101T000000Z&X-Amz-Expires=3600&X-Amz-Signature=c4n4ry"],
    ["Google's store", "X-Goog-Date=20260101T000000Z&X-Goog-Expires=3600&X-Goog-Signature=c4n4ry"],
    ["Azure's store", "sv=2024-11-04&se=2026-01-01T01%3A00%3A00Z&sr=b&sig=c4n4ry"],
  ])("E01 no expiresAt: the query of %s has the end", async (_, query) => {
    const { outputs } = await exported(undefined, `https://store.example.test/b.tgz?${query}`);
    expect(outputs.expiresAt).toBe("2026-01-01T01:00:00.000Z");
    expect(warnings()).toEqual([]);
  });

  test.each([
    "X-Amz-Date=20260101T000000Z",
    "X-Amz-Expires=3600",
    "X-Amz-Date=20260101T000000Z&X-Amz-Expires=",
    "X-Amz-Date=20260101T000000Z&X-Amz-Expires=-5",
    "se=2026-01-01T01:00:00Z",
    "sig=c4n4ry&se=soon",
  ])("E01 no expiresAt: the query %s does not", async (query) => {
    const { outputs } = await exported(undefined, `https://store.example.test/b.tgz?${query}`);
    expect(outputs).not.toHaveProperty("expiresAt");
    expect(warnings()).toEqual([expect.stringContaining(unknownLife)]);
  });
});

describe("the forms of expiresAt", () => {
  const hour = Date.parse("2026-01-01T01:00:00Z");

  test.each([
    ["E02", "13-digit milliseconds", hour],
    ["E02", "10-digit seconds", hour / 1_000],
    ["E02", "13 digits as text", String(hour)],
    ["E02", "10 digits as text", String(hour / 1_000)],
    ["E02", "no zone, so UTC", "2026-01-01T01:00:00"],
    ["E02", "a space for the T", "2026-01-01 01:00:00Z"],
    ["E02", "no seconds", "2026-01-01T01:00Z"],
    ["E02", "an offset without a colon", "2026-01-01T15:00:00+1400"],
    ["E02", "microseconds", hour * 1e3],
    ["E02", "nanoseconds", hour * 1e6],
    ["E02", "nanoseconds as text", `${hour}000000`],
    ["E02", "seconds with a fraction", `${hour / 1_000}.000`],
    ["E02", "RFC 1123", "Thu, 01 Jan 2026 01:00:00 GMT"],
    ["E02", "RFC 850", "Thursday, 01-Jan-26 01:00:00 GMT"],
    ["E02", "asctime", "Thu Jan  1 01:00:00 2026"],
    ["E02", "a time of Go", "2026-01-01 01:00:00 +0000 UTC"],
    ["E02", "a time of Java", "2026-01-01T01:00:00Z[UTC]"],
    ["E02", "ISO 8601 without separators", "20260101T010000Z"],
    ["E02", "RFC 1123 with an offset after GMT", "Thu, 01 Jan 2026 02:00:00 GMT+01:00"],
    ["E02", "a date of a cookie", "Thu, 01-Jan-2026 01:00:00 GMT"],
    ["E02", "a text of JavaScript", "Thu Jan 01 2026 02:00:00 GMT+0100 (Central European Standard Time)"],
    ["E02", "the output of date", "Thu Jan  1 01:00:00 UTC 2026"],
    [
      "E02",
      "a time of Go with its monotonic clock",
      "2026-01-01 01:00:00.5 +0000 UTC m=+0.01",
      "2026-01-01T01:00:00.500Z",
    ],
    ["E02", "a time of Go in a zone without a name", "2026-01-01 03:00:00 +0200 +0200"],
    ["E02", "a number of Go as text", "1.7672292e+09"],
    ["E02", "JSON of .NET", `/Date(${hour})/`],
    ["E08", "a leap second", "2026-01-01T00:59:60Z", "2026-01-01T00:59:59.000Z"],
    ["E08", "an offset of +14:00", "2026-01-01T15:00:00+14:00"],
    ["E08", "an offset of -12:00", "2025-12-31T13:00:00-12:00"],
    ["E08", "a lower-case t and z", "2026-01-01t01:00:00.000z"],
  ])("%s %s is accepted", async (_row, _what, expiresAt, understood = "2026-01-01T01:00:00.000Z") => {
    expect((await exported(expiresAt)).outputs.expiresAt).toBe(understood);
    expect(warnings()).toEqual([]);
  });

  test.each([
    "tomorrow",
    "2026-13-01T00:00:00Z",
    "2026-02-30T25:00:00Z",
    "01/02/2026",
    "2026-01-01",
    "2026-02-30T01:00:00Z",
    "NaN",
    "12345",
    "Thu, 01 Jan 2026 01:00:00 CEST",
    5,
    -1,
    true,
    {},
    { seconds: 1767229200 },
    ["2026-01-01T01:00:00Z"],
    639028728000000000,
    134116956000000000,
  ])("E02 %j is not guessed: a warning that names it, and no date", async (expiresAt) => {
    const state = await exported(expiresAt);
    expect(state.outputs).not.toHaveProperty("expiresAt");
    expect(state.outputs).not.toHaveProperty("renewAfter");
    expect(warnings()).toEqual([
      expect.stringMatching(/ expires at .+, which is no point in time: it is renewed /),
    ]);
    site.clock.advance(DAY_MS);
    expect(site.verdict(state)).toEqual(nothing);
  });

  test.each([null, "", 0, "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])(
    "E02 %j is no end",
    async (expiresAt) => {
      const state = await exported(expiresAt);
      expect(state.outputs).not.toHaveProperty("expiresAt");
      expect(warnings()).toEqual([expect.stringContaining("the service does not say when the link")]);
      site.clock.advance(DAY_MS);
      expect(site.verdict(state)).toEqual(nothing);
    },
  );

  test("E02 a value that is no finite number is no date", () => {
    for (const value of [NaN, Infinity, -Infinity]) expect(parsePointInTime(value)).toBeUndefined();
  });
});

const DEAD = { body: { bundleUrl: LINK, expiresAt: "2025-12-31T23:59:59Z" } };
const SHORT = { body: { bundleUrl: LINK, expiresAt: "2026-01-01T00:00:01Z" } };

test.each([
  ["E03", "is dead on arrival", DEAD],
  ["E04", "ends in a second", SHORT],
])("%s a link that %s is requested once more before it is used", async (_row, _what, reply) => {
  site.answer("bundle", (number) => (number === 1 ? reply : undefined));
  expect((await site.create()).outputs.bundleUrl).not.toBe(LINK);
  expect(site.service.requests.filter((request) => request === BUNDLE)).toHaveLength(2);
  expect(warnings()).toEqual([]);
});

test("E03 a second link that is dead on arrival as well is an error, and the job is kept", async () => {
  site.answer("bundle", () => DEAD);
  const { message, state } = await unfinished(site.create());
  expect(message).toContain("the service minted a link for job job-1 that has expired already");
  expect(site.service.requests.filter((request) => request === BUNDLE)).toHaveLength(2);
  site.service.fault = () => undefined;
  expect((await site.update(state)).outputs.jobId).toBe("job-1");
});

test("E03 when the second link of a renewal is dead on arrival as well, the old link stays", async () => {
  const state = await site.create();
  site.clock.advance(HOUR_MS);
  site.answer("bundle", () => DEAD);
  expect((await caught(site.update(state))).message).toContain("The old link stays in place.");
});

test("E04 a second link that ends in a second as well is passed on with a warning, and the next run renews it", async () => {
  site.answer("bundle", () => SHORT);
  const state = await site.create();
  expect(state.outputs.bundleUrl).toBe(LINK);
  expect(warnings()).toEqual([expect.stringContaining("expires within 2 seconds")]);
  expect(site.verdict(state)).toEqual({ ...nothing, hidden: true, code: "RENEW_WINDOW" });
  site.service.fault = () => undefined;
  site.requests();
  expect(site.verdict(await site.update(state))).toEqual(nothing);
  expect(site.requests()).toEqual([BUNDLE]);
});

test.each([
  "9999-12-31T23:59:59Z",
  "+010000-01-01T00:00:00Z",
  "275760-09-13T00:00:00Z",
  "+275760-09-14T00:00:00Z",
  "999999-01-01T00:00:00Z",
  "2036-02-01T00:00:00Z",
  8.64e15,
  1e300,
])(
  "E05 %s is more than ten years away: the end is refused by name, and the job is kept",
  async (expiresAt) => {
    const { message, state } = await unfinished(exported(expiresAt));
    expect(message).toContain(`answered the expiresAt ${expiresAt}, which is more than ten years away`);
    expect(state.bookkeeping.unfinished?.jobId).toBe("job-1");
    site.service.fault = () => undefined;
    expect((await site.update(state)).outputs.jobId).toBe("job-1");
  },
);

test("E05 an end in nine years is accepted", async () => {
  expect((await exported("2035-01-01T00:00:00Z")).outputs.expiresAt).toBe("2035-01-01T00:00:00.000Z");
});

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

test.each([
  ["a day ahead", "the Date header does", DAY_MS],
  ["a day behind", "the Date header does", -DAY_MS],
  ["a day ahead", "that of an earlier reply does", DAY_MS],
  ["a day behind", "that of an earlier reply does", -DAY_MS],
])("E06 a clock that is %s decides nothing: %s", async (_, header, aheadMs) => {
  site.clock.wallMs += aheadMs;
  if (header.includes("earlier")) {
    site.answer("bundle", () => {
      const expiresAt = new Date(site.clock.trueNow() + HOUR_MS).toISOString();
      return { headers: {}, body: { bundleUrl: LINK, expiresAt } };
    });
  }
  const state = await site.create();
  expect(state.outputs.expiresAt).toBe("2026-01-01T01:00:00.000Z");
  expect(warnings()).toEqual([]);
  site.clock.advance(39 * 60_000);
  expect(site.verdict(state)).toEqual(nothing);
  site.clock.advance(2 * 60_000);
  expect(site.verdict(state)).toMatchObject({ code: "RENEW_WINDOW" });
  site.service.fault = () => undefined;
  site.requests();
  const renewed = await site.update(state);
  expect(site.requests()).toEqual([BUNDLE]);
  expect(site.verdict(renewed)).toEqual(nothing);
});

describe("no Date header", () => {
  /** The service, except for its clock, which it does not report. */
  const tellNoTime = (): void => {
    let links = 0;
    site.service.fault = ({ method, path }) => {
      if (path.endsWith("/jobs")) return { body: { jobId: "7" } };
      if (method === "GET") return { body: { status: "completed" } };
      const expiresAt = new Date(site.clock.trueNow() + HOUR_MS).toISOString();
      return { body: { bundleUrl: `${LINK}&n=${++links}`, expiresAt } };
    };
  };

  test("E07 without a Date header and with a clock that is a day ahead, the link looks dead: it is passed on with a warning, and each run renews it", async () => {
    tellNoTime();
    site.clock.wallMs += DAY_MS;
    const state = await site.create();
    expect(state.outputs).toMatchObject({ status: "completed", expiresAt: "2026-01-01T01:00:00.000Z" });
    expect(warnings()).toEqual([expect.stringContaining("check the clock")]);
    expect(site.verdict(state)).toMatchObject({ hidden: true, code: "RENEW_WINDOW" });
    expect((await site.update(state)).outputs.bundleUrl).not.toBe(state.outputs.bundleUrl);
    site.clock.wallMs -= DAY_MS; // corrected
    expect(site.verdict(await site.update(state))).toEqual(nothing);
  });

  test("E07 without a Date header and with a clock that is a day behind, the renewal comes too late: storage refuses", async () => {
    tellNoTime();
    site.clock.wallMs -= DAY_MS;
    const state = await site.create();
    expect(warnings()).toEqual([]);
    site.clock.advance(2 * HOUR_MS);
    expect(site.verdict(state)).toEqual(nothing); // the provider cannot know
    site.clock.wallMs += DAY_MS; // corrected
    expect(site.verdict(state)).toMatchObject({ hidden: true, code: "RENEW_WINDOW" });
    expect(site.verdict(await site.update(state))).toEqual(nothing);
  });
});
