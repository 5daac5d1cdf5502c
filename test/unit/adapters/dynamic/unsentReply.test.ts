import { afterEach, beforeEach, expect, test, vi } from "vitest";

let exitIfReplyIsNotSent: Awaited<ReturnType<typeof load>>;
/** The text of an unhandled rejection. */
let rejected: (reason: unknown) => void;
let watchers: number;
/** The output before the process ended, and where. */
let written: unknown[][];
let exits: unknown[];

const load = async () =>
  (await import("../../../../provider/adapters/dynamic/unsentReply.ts")).exitIfReplyIsNotSent;
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

beforeEach(async () => {
  watchers = 0;
  written = [];
  exits = [];
  vi.spyOn(process, "on").mockImplementation((event, listener) => {
    if (event === "unhandledRejection") {
      watchers++;
      rejected = listener as typeof rejected;
    }
    return process;
  });
  vi.spyOn(process, "exit").mockImplementation((code) => exits.push(code) as never);
  vi.doMock("node:fs", () => ({ writeSync: (...given: unknown[]) => written.push(given) }));
  vi.resetModules(); // the process is watched once in its life
  exitIfReplyIsNotSent = await load();
});
afterEach(() => {
  vi.doUnmock("node:fs");
  vi.restoreAllMocks();
});

test("an error while an answer is sent ends the process, with a message about jobs, and without its text", () => {
  exitIfReplyIsNotSent();
  rejected(new URIError("c4n4ry"));
  expect(exits).toEqual([1]);
  expect(written).toEqual([
    [
      2,
      "pulumi-docs-hosting: an answer could not be sent (URIError), so this run ends. " +
        "Started jobs keep running at the service, and the next `pulumi up` continues them. Please report it.\n",
    ],
  ]);
  rejected("a text");
  expect(written[1]?.[1]).toContain("(string)");
});

test("an error at another time is ignored", async () => {
  exitIfReplyIsNotSent();
  await nextTurn();
  rejected("something else");
  expect(exits).toEqual([]);
});

test("each answer is watched until it is sent, by one watcher", async () => {
  exitIfReplyIsNotSent();
  exitIfReplyIsNotSent();
  await nextTurn();
  exitIfReplyIsNotSent();
  rejected("of the third");
  expect(exits).toEqual([1]);
  expect(watchers).toBe(1);
});
