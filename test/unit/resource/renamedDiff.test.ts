import { expect, test } from "vitest";
import { renamedDiff, type Diff } from "../../../provider/resource/lifeCycle.ts";

const SAME: Diff = {
  changed: [],
  replaces: [],
  hidden: false,
  decision: { because: "UP_TO_DATE", text: "nothing is done" },
};

test("a rename alone is a change that no input shows, and says that it needs no request", () => {
  expect(renamedDiff(SAME)).toEqual({
    ...SAME,
    hidden: true,
    decision: {
      because: "SETTINGS",
      text: "the resource was renamed or moved: remembered without a request",
    },
  });
});

test("beside a rename every other decision stays, and so does what inputs show", () => {
  const decision = { because: "NEW_CONTENT", text: "version changed" } as const;
  const changed: Diff = { ...SAME, changed: ["version"], decision };
  expect(renamedDiff(changed)).toEqual(changed);
  const due: Diff = { ...SAME, hidden: true, decision: { because: "RENEW_WINDOW", text: "it is due" } };
  expect(renamedDiff(due)).toEqual(due);
  expect(renamedDiff({ ...changed, hidden: true }).hidden).toBe(true);
});
