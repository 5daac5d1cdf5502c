import { parseJson } from "../base/http/reply";
import { parseBasicTime, parseDay, parseEpoch, parsePointInTime } from "../base/runtime/time/pointInTime";

/** The value of a parameter of a link's query, whatever the letter case of its name; `undefined` if it is not there. */
type Parameter = (name: string) => string | undefined;

/** Prefixes of a date and a life in seconds: S3-compatible stores, Google's, and those of OSS, OBS and TOS. */
const DATED = ["x-amz", "x-goog", "x-oss", "x-obs", "x-tos"];
/** Parameters that make `expires` the end of a signed link: S3 version 2, Google version 2, CloudFront, OSS, nginx and other CDNs. */
const SIGNATURES = ["signature", "sig", "sign", "token", "bcdn_token", "hmac", "md5"];
/** Names of that end. */
const ENDS = ["expires", "expire", "exp", "e"];
/** Parameters whose value may be a signed token that contains its end. */
const TOKENS = ["token", "jwt", "access_token", "hdnts", "hdnea", "__token__", "edge-cache-token"];

/** Each reads one kind of signature: when it ends, in milliseconds since 1970. */
const READERS: readonly ((of: Parameter) => number | undefined)[] = [
  ...DATED.map((prefix) => (of: Parameter) => {
    const seconds = of(`${prefix}-expires`) ?? "";
    const beganMs = parseBasicTime(of(`${prefix}-date`) ?? "");
    return beganMs === undefined || !/^\d{1,10}$/.test(seconds)
      ? undefined
      : beganMs + Number(seconds) * 1_000;
  }),
  // Azure: the end of the signature, and of the user delegation key that signed it
  ...["se", "ske"].map(
    (name) => (of: Parameter) => (of("sig") === undefined ? undefined : timeOrDay(of(name) ?? "")),
  ),
  ...ENDS.map((name) => (of: Parameter) => {
    const isSigned = SIGNATURES.some((signature) => of(signature) !== undefined);
    return isSigned ? timeOrDay(of(name) ?? "") : undefined;
  }),
  // COS: `BEGIN;END`, of the signature and of the key that signed it
  ...["q-sign-time", "q-key-time"].map((name) => (of: Parameter) => {
    const [, end = ""] = /^\d{10};(\d{10})$/.exec(of(name) ?? "") ?? [];
    return of("q-signature") === undefined ? undefined : parseEpoch(Number(end));
  }),
  ...TOKENS.map((name) => (of: Parameter) => tokenEnd(of(name) ?? "")),
  // CloudFront with a policy of its own
  (of) => (of("key-pair-id") === undefined ? undefined : policyEnd(of("policy") ?? "")),
];

/**
 * When a signed link ends by its own query, or by the parameters that Bunny writes in the path: the earliest end in it. `undefined` if it
 * contains none.
 *
 * A temporary credential that signed the link may end even earlier: the link does not show that.
 */
export function signedEnd({ pathname, searchParams }: URL): number | undefined {
  const [, inPath = ""] = /^\/(bcdn_token=[^/]*)\//.exec(pathname) ?? [];
  const parameters = [...searchParams, ...new URLSearchParams(inPath)];
  const byName = new Map(parameters.map(([name, value]) => [name.toLowerCase(), value]));
  const ends = READERS.map((read) => read((name) => byName.get(name))).filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** @param token `exp=1767229200~acl=/*~hmac=…` of Akamai, `Expires=…~Signature=…` of Media CDN, or a JWT */
function tokenEnd(token: string): number | undefined {
  const [, end] = /(?:^|~)exp(?:ires)?=(\d{10})(?:~|$)/i.exec(token) ?? [];
  if (end !== undefined) return parseEpoch(Number(end));
  const [, payload] = /^eyJ[\w-]*\.([\w-]+)\.[\w-]*$/.exec(token) ?? [];
  const { exp } = Object(parseJson(Buffer.from(payload ?? "", "base64url").toString("utf8"))) as {
    exp?: unknown;
  };
  return typeof exp === "number" ? parseEpoch(exp) : undefined;
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
