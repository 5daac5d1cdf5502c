import { expect, test } from "vitest";
import { problemOfAnyValue, REFUSED_VALUE } from "../../../provider/resource/anyValue.ts";

const KIND = "4dabf18193072939515e22adb298388d";

test.each([{ value: [1, "a", true, null, ["b"], { c: { d: 2 } }, []] }, { value: {} }])(
  "$value is plain",
  ({ value }) => {
    expect(problemOfAnyValue(value, true)).toBeUndefined();
  },
);

test.each([
  [[{}], "has at [0] an empty object. Pulumi makes one of each Date, Map, Set"],
  [{ since: {} }, "has at since an empty object"],
  [["a", { mtime: {} }], "has at [1].mtime an empty object"],
  [[NaN], "has at [0] a number that is not finite"],
  [{ a: [Infinity] }, "has at a[0] a number that is not finite"],
  [
    [{ [REFUSED_VALUE]: "a Map: write Object.fromEntries(map)" }],
    "has at [0] a Map: write Object.fromEntries(map)",
  ],
  [
    [{ [KIND]: "c44067f5952c0a294b673a41bacd8c17", path: "a" }],
    "has at [0] an asset or archive: write a digest",
  ],
  [[{ [KIND]: "0def7320c3a5731c473e5ecbe6d01bc7" }], "has at [0] an asset or archive"],
])("%j is refused with its place, and with what to write", (value, problem) => {
  expect(problemOfAnyValue(value, true)).toContain(problem);
});

test("an empty object is refused only where nobody can mean one", () => {
  expect(problemOfAnyValue({ podAnnotations: {} }, false)).toBeUndefined();
});
