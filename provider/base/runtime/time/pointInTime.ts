// Points in time as services, stores and links write them. All results are milliseconds since 1970; `undefined` for anything else.

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Fields of a point in time, as they are written. */
interface DateFields {
  readonly year: string;
  /** A number from 1 on, or the first three letters of its name. */
  readonly month: string;
  readonly day: string;
  readonly hour?: string;
  readonly minute?: string;
  readonly second?: string;
  /** A dot or a comma, and digits. */
  readonly fraction?: string;
  /** Hours and minutes east of UTC: `+02`, `+0200`, `+02:00`. Everything else is UTC. */
  readonly zone?: string;
}

/** @returns `undefined` for fields outside their ranges, such as the 30th of February */
function timeOf(fields: DateFields): number | undefined {
  const { hour = "0", minute = "0", second = "0", fraction = "", zone = "" } = fields;
  const year = Math.min(Number(fields.year), 9999); // a later one is beyond the range of dates, or of ISO 8601
  const named = MONTHS.indexOf(fields.month.toLowerCase());
  const month = named < 0 ? Number(fields.month) : named + 1;
  const day = Number(fields.day);
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const isClock = Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 60;
  if (!isClock || month < 1 || month > 12 || day < 1 || day > days) return undefined;
  // a leap second counts as the second before it
  const time = [Number(hour), Number(minute), Math.min(59, Number(second))] as const;
  const atMs = Date.UTC(year, month - 1, day, ...time);
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const eastMs = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return atMs + Math.floor(Number(`0.${fraction.slice(1) || "0"}`) * 1_000) - eastMs;
}

/** ISO 8601 (without a zone: UTC), also as Go (`… +0000 UTC m=+0.1`) and Java (`…[UTC]`) print it. */
const ISO =
  /^\+?(?<year>\d{4,6})-(?<month>\d\d)-(?<day>\d\d)[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?<fraction>[.,]\d+)?)?\s*(?:(?:Z|UTC|GMT)|(?<zone>[+-]\d\d(?::?\d\d)?)(?: (?:[A-Z]{3,5}|[+-]\d\d(?:\d\d)?))?)?(?: m=[+-][\d.]+)?(?:\[[\w/+-]+\])?$/i;
/** ISO 8601 without separators: `20260131T120000Z`. */
const BASIC =
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?:Z|(?<zone>[+-]\d{4}))$/i;
/** A day: it begins at 00:00 UTC. */
const DAY = /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/;
/** Texts of JavaScript and of `date`: `Sat Jan 31 2026 12:00:00 GMT+0000 (…)`, `Sat Jan 31 12:00:00 UTC 2026`. */
const PRINTED = [
  /^[a-z]{3} (?<month>[a-z]{3}) (?<day>\d\d?) (?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT(?<zone>[+-]\d{4})(?: \(.*\))?$/i,
  /^[a-z]{3} (?<month>[a-z]{3}) {1,2}(?<day>\d\d?) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?:GMT|UTC) (?<year>\d{4})$/i,
];
/** Milliseconds in JSON of .NET. */
const DOT_NET = /^\\?\/Date\((\d{12,13})(?:[+-]\d{4})?\)\\?\/$/;
/** The three forms of RFC 9110 §5.6.7: RFC 1123 (also with dashes, as in cookies), RFC 850, and asctime. */
const HTTP = [
  /^(?:[a-z]{3}, *)?(?<day>\d\d?)[ -](?<month>[a-z]{3})[ -](?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?: (?:GMT|UTC|Z)?(?<zone>[+-]\d\d:?\d\d)?)?$/i,
  /^[a-z]{3,9}, *(?<day>\d\d)-(?<month>[a-z]{3})-(?<year>\d{2}|\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?:GMT|UTC)$/i,
  /^[a-z]{3} (?<month>[a-z]{3}) {1,2}(?<day>\d\d?) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?<year>\d{4})$/i,
];

function byPattern(text: string, pattern: RegExp): number | undefined {
  const fields = pattern.exec(text)?.groups as DateFields | undefined;
  return fields && timeOf(fields);
}

/** Parses a date of an HTTP header in any of its three forms. @param nowMs decides the century of a year with two digits */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const pattern of HTTP) {
    const fields = pattern.exec(text.trim())?.groups as DateFields | undefined;
    if (!fields) continue;
    if (fields.year.length === 4) return timeOf(fields);
    // more than 50 years ahead is the past, see RFC 9110 §5.6.7
    const thisYear = new Date(nowMs).getUTCFullYear();
    const year = Math.floor(thisYear / 100) * 100 + Number(fields.year);
    return timeOf({ ...fields, year: String(year > thisYear + 50 ? year - 100 : year) });
  }
  return undefined;
}

/** Smallest number that is a point in time: a smaller one is a duration, or nothing. */
const FIRST_SECONDS = 1e9;

/** Parses a number of seconds, milliseconds, microseconds or nanoseconds since 1970: its size shows which. */
export function parseEpoch(value: number): number | undefined {
  if (!Number.isFinite(value) || value < FIRST_SECONDS) return undefined;
  if (value < 1e11) return value * 1_000;
  if (value < 1e14) return value;
  if (value < 1e17) return value / 1e3;
  return value < 1e18 ? undefined : value / 1e6; // in between are no nanoseconds since 2001, but units such as the ticks of .NET
}

/**
 * Parses a point in time in any form that is clear: a date of ISO 8601 or of HTTP with its time of day, or a number since 1970. A date
 * before 2001 is none: programs write their zero for «not set» (`0001-01-01T00:00:00Z`).
 */
export function parsePointInTime(value: unknown): number | undefined {
  if (typeof value === "number") return parseEpoch(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (/^\d{10,19}(\.\d+)?$|^\d\.\d+e\+?\d\d?$/i.test(text)) return parseEpoch(Number(text));
  const dotNet = DOT_NET.exec(text)?.[1];
  if (dotNet !== undefined) return parseEpoch(Number(dotNet));
  const patterns = [ISO, BASIC, ...PRINTED];
  const atMs =
    patterns
      .values()
      .map((pattern) => byPattern(text, pattern))
      .find((found) => found !== undefined) ?? parseHttpDate(text, Date.UTC(2000, 0));
  return atMs !== undefined && atMs >= FIRST_SECONDS * 1_000 ? atMs : undefined;
}

/** Parses `20260131T120000Z`. */
export function parseBasicTime(text: string): number | undefined {
  return byPattern(text, BASIC);
}

/** Parses `2026-01-31`: its beginning, in UTC. */
export function parseDay(text: string): number | undefined {
  return byPattern(text.trim(), DAY);
}
