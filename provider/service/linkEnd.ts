import { parseJson } from "../base/http/reply";
import { parseBasicTime, parseDay, parseEpoch, parsePointInTime } from "../base/runtime/time/pointInTime";

/** The value of a parameter of a link's query, whatever the letter case of its name; `undefined` if it is not there. */
type Parameter = (name: string) => string | undefined;

/** Prefixes of a date and a life in seconds: S3-compatible stores, Google's, and those of OSS and TOS. */
const DATED = ["x-amz", "x-goog", "x-oss", "x-tos"];
/** Parameters that make `Expires` the end of a signed link: S3 version 2, Google version 2, CloudFront, and other CDNs. */
const SIGNATURES = ["signature", "sig", "token", "hmac"];

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
  (of) => {
    const isSigned = SIGNATURES.some((name) => of(name) !== undefined);
    return isSigned ? parseEpoch(Number(of("expires") ?? "")) : undefined;
  },
  // CloudFront with a policy of its own
  (of) => (of("key-pair-id") === undefined ? undefined : policyEnd(of("policy") ?? "")),
];

/**
 * When a signed link ends by its own query: the earliest end in it. `undefined` if it contains none.
 *
 * A temporary credential that signed the link may end even earlier: the link does not show that.
 */
export function signedEnd(query: URLSearchParams): number | undefined {
  const byName = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  const ends = READERS.map((read) => read((name) => byName.get(name))).filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.min(...ends);
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
