import { expect, test } from "vitest";
import { fromNow, reportDecision } from "../../../provider/resource/decision.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";

test("a decision is shown to all, that nothing changes only at debug level", () => {
  const { lines, ...reporter } = recordingReporter();
  const debug: string[] = [];
  const recorder = { ...reporter, debug: (line: string) => void debug.push(line) };
  reportDecision(recorder, { code: "SETTINGS", text: "name changed" });
  expect([lines.info, debug]).toEqual([["SETTINGS: name changed"], []]);
  reportDecision(recorder, { code: "UP_TO_DATE", text: "nothing is done" });
  expect([lines.info, debug]).toEqual([["SETTINGS: name changed"], ["UP_TO_DATE: nothing is done"]]);
});

test("times are relative to now", () => {
  expect(fromNow(90_000, 30_000)).toBe("in 1m");
  expect(fromNow(30_000, 90_000)).toBe("1m ago");
  expect(fromNow(5_000, 5_000)).toMatch(/^in 0/);
});
