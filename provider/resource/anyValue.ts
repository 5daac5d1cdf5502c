// Values of any kind that an input accepts, such as `triggers`: only what JSON can hold. Pulumi makes an empty object of everything else.
import { hasFields } from "../base/runtime/values/fields";

/** The field of an object that a class of the SDK puts in the place of a value that cannot be registered. Its content says what it is. */
export const REFUSED_VALUE = "docs-hosting:refusedValue";

/** The field that marks an object as a special value of Pulumi, and the kinds that are files. */
const KIND = "4dabf18193072939515e22adb298388d";
const FILES = ["c44067f5952c0a294b673a41bacd8c17", "0def7320c3a5731c473e5ecbe6d01bc7"];

/** What to write in the place of files. */
export const FILES_REMEDY =
  "an asset or archive: write a digest of its content, such as a SHA-256 in hexadecimal digits";
const EMPTY =
  "an empty object. Pulumi makes one of each Date, Map, Set, URL and object of a class: write its text or its plain values; leave out an object without values";
const NOT_FINITE = "a number that is not finite (NaN or Infinity): write a finite one, or a text";

/**
 * The problem of a value that JSON cannot hold, at any depth: `has a Map at [0].since: write …`.
 *
 * @param isEmptyRefused whether an empty object below the top is a problem: without the SDK's classes, a Date and a Map arrive as one
 */
export function problemOfAnyValue(value: unknown, isEmptyRefused: boolean): string | undefined {
  const found = find(value, isEmptyRefused, "");
  return found && `has ${found.at === "" ? "" : `at ${found.at} `}${found.what}`;
}

/** The rule of an input with any values. @param shape the rule of the value itself: a list, or an object */
export function withAnyValue<Result>(
  shape: (value: unknown) => Result,
  isEmptyRefused: boolean,
): (value: unknown) => Result | { readonly problem: string } {
  return (value) => {
    const problem = problemOfAnyValue(value, isEmptyRefused);
    return problem === undefined ? shape(value) : { problem };
  };
}

function find(value: unknown, isEmptyRefused: boolean, at: string): { at: string; what: string } | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return { at, what: NOT_FINITE };
  if (Array.isArray(value)) {
    return firstOf(
      value.map((each, index) => [`${at}[${index}]`, each]),
      isEmptyRefused,
    );
  }
  if (!hasFields(value)) return undefined;
  const refused = value[REFUSED_VALUE];
  if (typeof refused === "string") return { at, what: refused };
  if (FILES.includes(String(value[KIND]))) return { at, what: FILES_REMEDY };
  const fields = Object.entries(value);
  if (fields.length === 0 && isEmptyRefused && at !== "") return { at, what: EMPTY };
  return firstOf(
    fields.map(([name, each]) => [at === "" ? name : `${at}.${name}`, each]),
    isEmptyRefused,
  );
}

function firstOf(values: [at: string, value: unknown][], isEmptyRefused: boolean) {
  for (const [at, value] of values) {
    const found = find(value, isEmptyRefused, at);
    if (found) return found;
  }
  return undefined;
}
