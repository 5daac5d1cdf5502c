// Whose a place is, and what a publication and a removal do about it: every row of the two tables.
import { expect, test } from "vitest";
import { markText } from "../../../../provider/publishing/ownership/markText.ts";
import { newOwner } from "../../../../provider/publishing/ownership/owner.ts";
import {
  claimAction,
  type Claimant,
  placeRefusal,
  relationOf,
  removalAction,
} from "../../../../provider/publishing/ownership/placeDecision.ts";
import { type FoundMark, markIn } from "../../../../provider/publishing/ownership/placeMark.ts";
import { COPY_URN, otherOwner, OWNER } from "../../../simulation/owners.ts";

const SIBLING = COPY_URN.replace(/docs$/, "other");
const NOW = Date.parse("2026-11-28T07:00:00Z");
const markOf = (owner = newOwner(COPY_URN)): FoundMark => markIn(markText(owner, NOW));
const earlier = (...urns: string[]): FoundMark => {
  const [first = "", ...others] = urns;
  const mark = (urn: string) => ({ owner: "0".repeat(32), urn });
  return { kind: "earlier", marks: [mark(first), ...others.map(mark)] };
};
const THEIRS = otherOwner();
const PLACE = {
  uri: "public",
  markUri: "public/.docs-hosting/owner.json",
  ownFor: (name: string) => `a folder of its own, for example \`public-${name}\``,
};

const state: Claimant = { owner: OWNER, isCreate: false, takeOver: false, isDeclared: () => true };
const create: Claimant = { ...state, isCreate: true };
const old: Claimant = { ...state, owner: { ...OWNER, hasMarks: false } };

test.each<[string, FoundMark, Claimant, ReturnType<typeof relationOf>, string, string]>([
  ["no mark", { kind: "none" }, state, "nobody's", "make", "warn"],
  ["no mark, for a state of a version without marks", { kind: "none" }, old, "nobody's", "make", "remove"],
  ["the own mark", markOf(OWNER), state, "own", "goOn", "remove"],
  ["the own mark, after a rename", markOf({ ...OWNER, urn: SIBLING }), state, "own", "goOn", "remove"],
  ["the mark of the same URN, for a create", markOf(), create, "same resource", "takeOver", "leave"],
  ["the mark of the same URN, for a state", markOf(), state, "same resource", "refuse", "leave"],
  [
    "the same with takeOver",
    markOf(),
    { ...state, takeOver: true },
    "same resource",
    "takeOverWarned",
    "leave",
  ],
  ["a sibling's that is declared", markOf(newOwner(SIBLING)), create, "declared", "refuse", "leave"],
  [
    "the same with takeOver",
    markOf(newOwner(SIBLING)),
    { ...create, takeOver: true },
    "declared",
    "refuse",
    "leave",
  ],
  [
    "a sibling's that is not declared",
    markOf(newOwner(SIBLING)),
    { ...create, isDeclared: () => false },
    "undeclared",
    "takeOver",
    "leave",
  ],
  ["another stack's", markOf(THEIRS), create, "another's", "refuse", "leave"],
  [
    "another stack's, with takeOver",
    markOf(THEIRS),
    { ...state, takeOver: true },
    "another's",
    "takeOverWarned",
    "leave",
  ],
  [
    "another stack's, though not declared here",
    markOf(THEIRS),
    { ...create, isDeclared: () => false },
    "another's",
    "refuse",
    "leave",
  ],
  [
    "a mark without URN",
    markOf(newOwner(undefined)),
    { ...create, isDeclared: () => false },
    "another's",
    "refuse",
    "leave",
  ],
  [
    "the mark that an import found",
    markOf(THEIRS),
    { ...state, adopts: THEIRS.id },
    "imported",
    "takeOver",
    "leave",
  ],
  [
    "another mark than an import found",
    markOf(otherOwner("test")),
    { ...state, adopts: THEIRS.id },
    "another's",
    "refuse",
    "leave",
  ],
  ["an empty mark", markIn(""), { ...create, takeOver: true }, "unreadable", "refuse", "warn"],
  ["a cut mark", markIn(markText(OWNER, NOW).slice(0, 60)), create, "unreadable", "refuse", "warn"],
  ["a login page", markIn("<html>Sign in</html>"), create, "unreadable", "refuse", "warn"],
  [
    "a mark of a later format",
    markIn(markText(OWNER, NOW).replace("1,", "2,")),
    state,
    "unreadable",
    "refuse",
    "warn",
  ],
  ["earlier marks of the same resource", earlier(COPY_URN, COPY_URN), state, "own", "goOn", "remove"],
  [
    "earlier marks, one of another resource",
    earlier(COPY_URN, SIBLING),
    create,
    "another's",
    "refuse",
    "leave",
  ],
])("%s", (_, found, claimant, relation, claim, removal) => {
  expect([relationOf(found, claimant), claimAction(found, claimant), removalAction(found, claimant)]).toEqual(
    [relation, claim, removal],
  );
});

test("a refusal names stack, URN and date, and what to write", () => {
  const { message, remedy } = placeRefusal(markOf(THEIRS), create, PLACE);
  expect(message).toBe(
    `public belongs to ${THEIRS.urn ?? ""} (stack website/prod), since 2026-11-28T07:00:00.000Z`,
  );
  expect(remedy).toBe(
    "Give this stack a folder of its own, for example `public-${pulumi.getStack()}`, or, if that stack no longer needs it, set `takeOver: true`.",
  );
});

test("a refusal for a mark that a store does not show has the store's remedy", () => {
  const refused = { kind: "unreadable", reason: "the key is refused", remedy: "Give another key." } as const;
  expect(placeRefusal(refused, state, PLACE)).toMatchObject({
    message: expect.stringMatching(/cannot be read from .*: the key is refused$/) as string,
    remedy: "Give another key.",
  });
  expect(placeRefusal(markIn(""), state, PLACE).remedy).toMatch(/^Allow this stack to read and to list it\./);
});

test("a refusal of the same URN says what it may be", () => {
  const { message, remedy } = placeRefusal(markOf(), state, PLACE);
  expect(message).toContain("whose owner ID is not that of this state");
  expect(remedy).toContain("A stack of the same name in another backend may publish there");
});

test("a URN with a control character, or one too long, is not shown", () => {
  const mark = (urn: string): FoundMark =>
    markIn(JSON.stringify({ format: 1, owner: OWNER.id, urn, date: "\u001b[2J" }));
  for (const urn of [`${COPY_URN}\u001b[2J`, `${COPY_URN}${"x".repeat(1_000)}`]) {
    expect(mark(urn)).toEqual({ kind: "mark", mark: { owner: OWNER.id, urn: undefined, date: undefined } });
  }
});
