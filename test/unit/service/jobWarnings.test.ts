import { expect, test } from "vitest";
import { warningsIn } from "../../../provider/service/jobWarnings.ts";

test.each([{}, { warnings: [] }, { warnings: "none", errors: null }, { warnings: { "0": "x" } }])(
  "%j shows nothing",
  (body) => {
    expect(warningsIn(body)).toBeUndefined();
  },
);

test("of many, the first three are shown, and their number", () => {
  const warnings = ["a.md: gone", "b.md: gone", "c.md: gone", "d.md: gone", "e.md: gone"];
  expect(warningsIn({ warnings })).toBe(
    "5 warnings: (1) a.md: gone; (2) b.md: gone; (3) c.md: gone; and 2 more",
  );
  expect(warningsIn({ warnings: warnings.slice(0, 3) })).toBe(
    "3 warnings: (1) a.md: gone; (2) b.md: gone; (3) c.md: gone",
  );
  expect(warningsIn({ warnings: ["a.md: gone"] })).toBe("1 warning: (1) a.md: gone");
});

test("a warning may be an object with a message and a path, and errors count as warnings", () => {
  const warnings = [
    { message: "no such page", path: "a.md" },
    { path: "b.md", message: 7 },
    { message: "odd" },
  ];
  expect(warningsIn({ warnings, errors: ["late"] })).toBe(
    "4 warnings: (1) a.md: no such page; (2) b.md; (3) odd; and 1 more",
  );
});

test("an entry without text counts, and is not shown", () => {
  expect(warningsIn({ warnings: [null, 7, {}, " ", "a.md: gone"] })).toBe(
    "5 warnings: (1) a.md: gone; and 4 more",
  );
  expect(warningsIn({ warnings: [null, 7] })).toBe("2 warnings");
});

test("neither the key, nor the query of a link, nor a command, nor an endless text is shown", () => {
  const text = "svc_key https://a.example/b?sig=c4n4ry\n##vso[x]";
  expect(warningsIn({ warnings: [text, "x".repeat(500)] })).toBe(
    `2 warnings: (1) [removed] https://a.example/b?[removed] # #vso[x]; (2) ${"x".repeat(200)}…`,
  );
});
