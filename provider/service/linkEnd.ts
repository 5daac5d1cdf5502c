import { parseBasicTime, parseDay, parseEpoch, parsePointInTime } from "../base/runtime/time/pointInTime";
import { parseJson } from "../base/runtime/values/json";

/** A name and a value of a link's query, or of a part of its path. */
type Parameter = readonly [name: string, value: string];
/** The values of the parameters with a name, whatever its letter case. */
type ValuesOf = (name: string) => readonly string[];
/** Reads ends: milliseconds since 1970. `undefined` where a value is none. */
type EndReader = (of: ValuesOf) => readonly (number | undefined)[];

/** Parameters that make `expires` the end of a signed link: S3 version 2, Google version 2, CloudFront, OSS, nginx and other CDNs. */
const SIGNATURES = ["signature", "sig", "sign", "token", "bcdn_token", "hmac", "md5"];
/** Names of that end. */
const ENDS = ["expires", "expire", "exp", "e"];

/** Each reads one kind of signature. */
const READERS: readonly EndReader[] = [
  // Azure: the end of the signature, and of the user delegation key that signed it
  ...["se", "ske"].map(
    (name): EndReader =>
      (of) =>
        isAmong(of, ["sig"]) ? of(name).map(timeOrDay) : [],
  ),
  ...ENDS.map(
    (name): EndReader =>
      (of) =>
        isAmong(of, SIGNATURES) ? of(name).map(timeOrDay) : [],
  ),
  // COS: `BEGIN;END`, of the signature and of the key that signed it
  ...["q-sign-time", "q-key-time"].map((name): EndReader => (of) => {
    if (!isAmong(of, ["q-signature"])) return [];
    return of(name).map((value) => parseEpoch(Number(/^\d{10};(\d{10})$/.exec(value)?.[1] ?? "")));
  }),
  // CloudFront with a policy of its own
  (of) => (isAmong(of, ["key-pair-id"]) ? of("policy").map(policyEnd) : []),
];

/** Names of an end, in lower case and without separators: `temp_url_expires` of Swift, `_expiration`, `validUntil`. */
const END_NAME =
  /(?:expir(?:es|e|y|ation)|validuntil|validto|notafter)(?:at|on|ts|time|date|timestamp)?$|^(?:exp|e)$/;
/** Headers that the store is asked to answer. */
const HEADER_NAME = /^response-/;
/** A signature in any parameter: a text that nobody wrote by hand. */
const OPAQUE = /^(?=.*\d)[\w+/=%~-]{16,}$/;

/**
 * When a signed link ends by its own query, or by the parameters that a CDN writes in its path: the earliest end in it. `undefined` if it
 * contains none.
 *
 * Kinds of signatures that are not known by name count, too: an end beside any signature. If such an end has passed when the link is
 * minted, it is another time, such as that of the signature.
 *
 * A temporary credential that signed the link may end even earlier: the link does not show that.
 *
 * @param mintedAtMs milliseconds since 1970
 */
export function signedEnd({ pathname, searchParams }: URL, mintedAtMs: number): number | undefined {
  const segments = pathname.split("/").filter((segment) => /[=,]/.test(segment));
  const inPath = segments.map((segment): Parameter[] => [
    ["", decoded(segment)],
    ...new URLSearchParams(segment),
  ]);
  const groups: readonly (readonly Parameter[])[] = [[...searchParams], ...inPath];
  const ends = groups.flatMap((parameters) => {
    const of: ValuesOf = (name) =>
      parameters.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
    const known = [...READERS.flatMap((read) => read(of)), ...datedEnds(parameters, of)];
    const tokens = parameters.map(([, value]) => tokenEnd(value));
    const others = namedEnds(parameters).filter((end) => end !== undefined && end > mintedAtMs);
    return [...known, ...tokens, ...others].filter((end) => end !== undefined);
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}

function isAmong(of: ValuesOf, names: readonly string[]): boolean {
  return names.some((name) => of(name).length > 0);
}

/** A date and a life in seconds: `X-Amz-Date` and `X-Amz-Expires`, and those of every other store. */
function datedEnds(parameters: readonly Parameter[], of: ValuesOf): (number | undefined)[] {
  return parameters.map(([name, life]) => {
    const [, prefix] = /^(.+)-expires$/.exec(name.toLowerCase()) ?? [];
    const [date = ""] = prefix === undefined ? [] : of(`${prefix}-date`);
    const beganMs = parseBasicTime(date) ?? parsePointInTime(date);
    return beganMs === undefined || !/^\d{1,10}$/.test(life) ? undefined : beganMs + Number(life) * 1_000;
  });
}

/** The ends of signatures of unknown kinds, by their names. */
function namedEnds(parameters: readonly Parameter[]): (number | undefined)[] {
  return parameters
    .filter(
      ([name]) =>
        END_NAME.test(name.toLowerCase().replace(/[^a-z0-9]/g, "")) && !HEADER_NAME.test(name.toLowerCase()),
    )
    .filter(([name]) =>
      parameters.some(([other, value]) => ![name, ""].includes(other) && isSignature(other, value)),
    )
    .map(([, value]) => timeOrDay(value));
}

function isSignature(name: string, value: string): boolean {
  return /(?:signature|sig|sign|hash|hmac|digest|token|md5)$/i.test(name) || OPAQUE.test(value);
}

/** Tokens that contain their end, whatever the name of their parameter. */
const TOKENS: readonly ((token: string) => number | undefined)[] = [
  // `exp=1767229200~acl=/*~hmac=…` of Akamai, `Expires=…~Signature=…` of Media CDN
  (token) => {
    const [, end] = /(?:^|~)exp(?:ires)?=(\d{10})(?:~|$)/i.exec(token) ?? [];
    return end !== undefined && /~(?:hmac|signature)=/i.test(token) ? parseEpoch(Number(end)) : undefined;
  },
  // `1767229200_DIGEST` of Akamai and Fastly, `DIGEST,1767229200` of CDN77
  (token) => {
    const found = /^(\d{10})_(?:0x)?[\da-f]{20,}$/i.exec(token) ?? /^[\w-]{16,},(\d{10})$/.exec(token);
    return parseEpoch(Number(found?.[1] ?? ""));
  },
  // `bce-auth-v1/KEY/2026-01-31T12:00:00Z/3600/…`
  (token) => {
    const [, date = "", life = ""] = /^bce-auth-v\d+\/[^/]*\/([^/]*)\/(\d{1,10})\//.exec(token) ?? [];
    const beganMs = parsePointInTime(date);
    return beganMs === undefined ? undefined : beganMs + Number(life) * 1_000;
  },
  // a JWT
  (token) => {
    const [, payload] = /^eyJ[\w-]*\.([\w-]+)\.[\w-]*$/.exec(token) ?? [];
    const { exp } = Object(parseJson(Buffer.from(payload ?? "", "base64url").toString("utf8"))) as {
      exp?: unknown;
    };
    return exp === undefined ? undefined : parsePointInTime(exp);
  },
];

function tokenEnd(value: string): number | undefined {
  return TOKENS.values()
    .map((read) => read(value))
    .find((end) => end !== undefined);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function timeOrDay(text: string): number | undefined {
  return parsePointInTime(text) ?? parseDay(text);
}

/** @param policy JSON in CloudFront's form of base64 */
function policyEnd(policy: string): number | undefined {
  const text = Buffer.from(
    policy.replace(/[-_~]/g, (letter) => ({ "-": "+", _: "=", "~": "/" })[letter] ?? ""),
    "base64",
  );
  const ends = [...text.toString("utf8").matchAll(/"DateLessThan"\s*:\s*(\{[^{}]*\})/g)].map(
    ([, condition = ""]) => {
      const { "AWS:EpochTime": end } = Object(parseJson(condition)) as { "AWS:EpochTime"?: unknown };
      return parseEpoch(Number(end)) ?? Infinity;
    },
  );
  const first = Math.min(...ends);
  return first === Infinity ? undefined : first;
}
