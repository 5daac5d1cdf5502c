// The text of a mark: one for places, images and announcements. States and places of every release have it.
import { expect, test } from "vitest";
import { markText, readMarkText } from "../../../../provider/publishing/ownership/markText.ts";

const URN = "urn:pulumi:dev::docs::docs-hosting:index:BundleCopy::copy";
const OWNER = { id: "0123456789abcdef".repeat(2), urn: URN, hasMarks: true };
const OF_IMAGE = `{
  "format": 1,
  "owner": "0123456789abcdef0123456789abcdef",
  "stack": "docs/dev",
  "urn": "${URN}"
}
`;
const OF_PLACE = OF_IMAGE.replace(/"\n}/, `",\n  "date": "2026-11-28T07:00:00.000Z"\n}`);

test("a mark tells people the stack, the URN and its date, in the bytes of every release", () => {
  expect(markText(OWNER)).toBe(OF_IMAGE);
  expect(markText(OWNER, Date.parse("2026-11-28T07:00:00Z"))).toBe(OF_PLACE);
  expect(JSON.parse(markText({ ...OWNER, urn: undefined }))).toEqual({ format: 1, owner: OWNER.id });
});

test("a mark is read as it was written", () => {
  const fields = { hasFormat: true, owner: OWNER.id, urn: URN };
  expect(readMarkText(OF_IMAGE)).toEqual({ ...fields, date: undefined });
  expect(readMarkText(OF_PLACE)).toEqual({ ...fields, date: "2026-11-28T07:00:00.000Z" });
});

test.each([
  ["an ID of another form", { owner: "../".padEnd(32, "0") }],
  ["a number as its owner", { owner: 7 }],
  ["a URN of another program", { urn: "urn:isbn:1" }],
  ["a URN with a control character", { urn: `${URN}\u001b[2J` }],
  ["a URN that no resource has, by its length", { urn: URN.padEnd(1_001, "x") }],
  ["a date with other text", { date: "2026-11-28T07:00:00Z, of all" }],
])("%s is not taken from a mark", (_, field) => {
  const [name = ""] = Object.keys(field);
  const fields = { ...readMarkText(OF_PLACE), [name]: undefined };
  expect(readMarkText(JSON.stringify({ ...(JSON.parse(OF_PLACE) as object), ...field }))).toEqual(fields);
});

test.each(["", "null", "[]", "<html>Sign in</html>", OF_PLACE.slice(0, 60)])("%j says nothing", (text) => {
  expect(readMarkText(text)).toEqual({
    hasFormat: false,
    owner: undefined,
    urn: undefined,
    date: undefined,
  });
});
