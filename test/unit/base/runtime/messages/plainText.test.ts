import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withoutCommands } from "../../../../../provider/base/runtime/messages/pipelineCommands.ts";
import {
  isPlain,
  isPrintable,
  printable,
  spaced,
  truncate,
} from "../../../../../provider/base/runtime/messages/plainText.ts";
import { hostileText } from "../../../../simulation/hostileText.ts";

describe("a cut", () => {
  test.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "abc…"],
    ["", 0, ""],
    ["ab😀", 4, "ab😀"],
    ["ab😀c", 4, "ab😀…"],
    ["ab😀c", 3, "ab…"],
    ["\ud83d", 5, "\ufffd"],
    ["\ud83dabc", 2, "\ufffda…"],
  ])("of %j to %d is %j: never half a character", (text, limit, expected) => {
    expect(truncate(text, limit)).toBe(expected);
  });
});

describe("commands for pipelines", () => {
  test.each([
    ["##vso[task.setvariable a=b]", "# #vso[task.setvariable a=b]"],
    ["a ##[stop-commands]x", "a # #[stop-commands]x"],
    ["##teamcity[x]", "# #teamcity[x]"],
    ["####[x]", "### #[x]"],
    ["::stop-commands::t", ": :stop-commands::t"],
    ["::set-output name=a::b", ": :set-output name=a::b"],
    ["::ERROR::x", ": :ERROR::x"],
    ["##[a]##[b]", "# #[a]# #[b]"],
  ])("%s has no effect any more: %s", (text, expected) => {
    expect(withoutCommands(text)).toBe(expected);
    expect(isPlain(text)).toBe(false);
    expect(isPrintable(text)).toBe(true);
  });
  test.each(["## heading", "## [x]", "a::b", "std::vector::at", "::errors", "fe80::1", "#[x]"])(
    "«%s» is none",
    (text) => {
      expect(withoutCommands(text)).toBe(text);
      expect(isPlain(text)).toBe(true);
    },
  );
});

test.each(["\n", "\u001b[31m", "\u2028", "\u2029", "\u202e", "\u200b", "\ud83d", "\0"])(
  "%j is invisible",
  (text) => {
    expect(isPrintable(`a${text}b`)).toBe(false);
    expect(isPrintable(text)).toBe(false);
    expect(isPlain(`a${text}b`)).toBe(false);
  },
);

test("one space replaces invisible characters, however many", () => {
  expect(spaced("a\n\u2028\u200bb\tc")).toBe("a b c");
});

test("printed text is one line, with invisible characters as numbers, without commands, and cut", () => {
  expect(printable("a\nb\u2028\u{e0041}##[x]")).toBe("a\\u{a}b\\u{2028}\\u{e0041}# #[x]");
  expect(printable("é 😀")).toBe("é 😀");
  expect(printable("x".repeat(16_000))).toHaveLength(16_000);
  expect(printable("x".repeat(16_001))).toBe(`${"x".repeat(16_000)}…`);
});

test("the printed form of any text is plain, and can be sent", () => {
  fc.assert(
    fc.property(hostileText(), (text) => {
      const printed = printable(text);
      expect(isPlain(printed)).toBe(true);
      expect(printed.length).toBeLessThan(200_000);
      encodeURI(printed); // as gRPC does, which throws at half a character
    }),
    { numRuns: 400 },
  );
});
