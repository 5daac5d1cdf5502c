import { afterEach, beforeEach, expect, test, vi } from "vitest";

let answerLeaves: Awaited<ReturnType<typeof load>>;
/** What would have happened to an unhandled rejection. */
let rejected: (reason: unknown) => void;
let watchers: number;
let ended: unknown[];

const load = async () => (await import("../../provider/stuckAnswer.ts")).answerLeaves;
const end = (reason: unknown): void => void ended.push(reason);
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

beforeEach(async () => {
  watchers = 0;
  ended = [];
  vi.spyOn(process, "on").mockImplementation((event, listener) => {
    if (event === "unhandledRejection") {
      watchers++;
      rejected = listener as typeof rejected;
    }
    return process;
  });
  vi.resetModules(); // the process is watched once in its life
  answerLeaves = await load();
});
afterEach(() => vi.restoreAllMocks());

test("what throws while an answer is sent ends the process", () => {
  answerLeaves(end);
  rejected("half a character");
  expect(ended).toEqual(["half a character"]);
});

test("what throws at another time is none of its business", async () => {
  answerLeaves(end);
  await nextTurn();
  rejected("something else");
  expect(ended).toEqual([]);
});

test("each answer is watched until it has left, by one watcher", async () => {
  answerLeaves(end);
  answerLeaves(end);
  await nextTurn();
  answerLeaves(end);
  rejected("the third");
  expect(ended).toEqual(["the third"]);
  expect(watchers).toBe(1);
});
