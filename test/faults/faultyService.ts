import { expect } from "vitest";
import {
  ask,
  type CallName,
  CALLS,
  type Circumstances,
  GOOD_VALUE,
  NO_LINES,
  type Outcome,
} from "./calls.ts";
import { atFirst } from "./replies.ts";
import { type Answer, type RawRequest, scriptedServer } from "./scriptedServer.ts";

/** The result of a call to a service with these replies, and the requests that it got. */
export async function answered(
  call: CallName,
  answer: Answer,
  circumstances?: Circumstances,
): Promise<Outcome & { requests: RawRequest[] }> {
  const { baseUrl, requests } = await scriptedServer(answer);
  return { ...(await ask(call, baseUrl, circumstances)), requests };
}

/** This reply is valid for each call, and gives no message. */
export async function expectUnderstood(answer: Answer): Promise<void> {
  for (const call of CALLS) {
    const { value, lines } = await answered(call, answer);
    expect(value).toEqual(GOOD_VALUE[call]);
    expect(lines).toEqual(NO_LINES);
  }
}

/** A call that gets this fault this number of times is repeated once more. */
export async function expectPassedOver(
  call: CallName,
  fault: Answer,
  times = 1,
  warnings: readonly string[] = [],
): Promise<Outcome> {
  const outcome = await answered(call, atFirst(fault, times));
  expect(outcome.value).toEqual(GOOD_VALUE[call]);
  expect(outcome.requests).toHaveLength(times + 1);
  expect(outcome.lines.warn).toEqual(warnings);
  return outcome;
}
