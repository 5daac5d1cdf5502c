import { expect, test } from "vitest";
import { type Diff, renamedDiff } from "../../../provider/resource/lifeCycle.ts";

const SAME: Diff = {
  changed: [],
  replaces: [],
  hidden: false,
  decision: { code: "UP_TO_DATE", text: "nothing is done" },
};

test("a rename alone is a change that no input shows, and says that it needs no request", () => {
  expect(renamedDiff(SAME)).toEqual({
    ...SAME,
    hidden: true,
    decision: {
      code: "SETTINGS",
      text: "the resource was renamed or moved: recorded without a request",
    },
  });
});

test("beside a rename every other decision stays, and so does what inputs show", () => {
  const decision = { code: "NEW_CONTENT", text: "version changed" } as const;
  const changed: Diff = { ...SAME, changed: ["version"], decision };
  expect(renamedDiff(changed)).toEqual(changed);
  const due: Diff = { ...SAME, hidden: true, decision: { code: "RENEW_WINDOW", text: "it is due" } };
  expect(renamedDiff(due)).toEqual(due);
  expect(renamedDiff({ ...changed, hidden: true }).hidden).toBe(true);
});
