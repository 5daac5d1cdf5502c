// The last guard of what leaves the provider process: whatever it is, the host can send it, and somebody can read it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { dynamicProvider } from "../../../provider/door/dynamicProvider.ts";
import { Session } from "../../../provider/door/session.ts";
import { thisProcess } from "../../../provider/door/thisProcess.ts";
import type { LifeCycle, StoredState } from "../../../provider/resource/lifeCycle.ts";
import { cut, isPlain, printable, withoutCommands } from "../../../provider/words/plainText.ts";
import { UnfinishedError } from "../../../provider/resource/unfinishedError.ts";
import { hostileText } from "../../simulation/hostileText.ts";

const text = hostileText();
const nothing = { outputs: {}, bookkeeping: {} };

/** A door whose life cycle does this, whatever it is asked. */
function door(run: () => unknown): ReturnType<typeof dynamicProvider> {
  const later = (): Promise<unknown> => Promise.resolve().then(run);
  const found = async (): Promise<unknown> => ({ inputs: {}, state: await later() });
  const lifeCycle = {
    noBookkeeping: {},
    idOf: () => "docs.example.com",
    check: run,
    diff: run,
    create: later,
    read: found,
    lookUp: found,
    update: later,
    remove: run,
  };
  return dynamicProvider(lifeCycle as unknown as LifeCycle<object, StoredState>, new Session(thisProcess));
}

const CALLS = ["check", "diff", "create", "read", "update", "delete"] as const;
function call(name: (typeof CALLS)[number], run: () => unknown): Promise<unknown> {
  const provider = door(run) as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const given =
    name === "create"
      ? [{}]
      : name === "check" || name === "read" || name === "delete"
        ? ["", {}]
        : ["", {}, {}];
  return (provider[name] as (...given: unknown[]) => Promise<unknown>)(...given);
}

test.each(CALLS)(
  "whatever %s throws, the host gets an error with a message that it can send",
  async (name) => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          text.map((each) => new Error(each)),
          text,
          fc.anything(),
        ),
        async (thrown) => {
          const error: unknown = await call(name, () => {
            throw thrown;
          }).catch((reason: unknown) => reason);
          expect(error).toBeInstanceOf(Error);
          const { message, stack = "" } = error as Error;
          expect(error).not.toHaveProperty("id"); // the host would take it for a resource
          expect(isPlain(message + stack)).toBe(true);
          expect(message.length).toBeLessThan(200_000);
          encodeURI(message);
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  },
);

test.each(["create", "update"] as const)("a partial result of %s can be sent, too", async (name) => {
  await fc.assert(
    fc.asyncProperty(text, text, async (message, output) => {
      const partial = (await call(name, () => {
        throw new UnfinishedError(new Error(message), { ...nothing, outputs: { output } });
      }).catch((reason: unknown) => reason)) as {
        id: string;
        message: string;
        reasons: string[];
        properties: object;
      };
      expect(partial).toMatchObject({
        id: "docs.example.com",
        properties: { output: output.toWellFormed() },
      });
      expect(partial.reasons).toEqual([partial.message]);
      expect(isPlain(partial.message)).toBe(true);
    }),
    { numRuns: 60, seed: 1 },
  );
});

test("what is returned is of whole characters, and a check's failures are plain", async () => {
  const outs = await call("create", () => ({ ...nothing, outputs: { a: ["x\ud83d"] } }));
  expect(outs).toMatchObject({ outs: { a: ["x\ufffd"] } });
  const failures = [{ property: "domain", reason: '"\u001b##vso[x]\ud83d" is none' }];
  expect(await call("check", () => ({ inputs: { b: "\ude00" }, failures }))).toEqual({
    inputs: { b: "\ufffd" },
    failures: [{ property: "domain", reason: '"\\u{1b}# #vso[x]\ufffd" is none' }],
  });
});

test("a text is cut between characters, and what is cut by others is made whole", () => {
  expect(cut("a😀b", 1)).toBe("a…");
  expect(cut("a😀b", 2)).toBe("a…");
  expect(cut("a😀b", 3)).toBe("a😀…");
  expect(cut("a😀b", 4)).toBe("a😀b");
  expect(cut("\ude00a\ud83d", 9)).toBe("\ufffda\ufffd");
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 50 }), (whole, limit) => cut(whole, limit).isWellFormed()),
  );
});

test.each([
  ["a ##vso[task.complete]b", "a # #vso[task.complete]b"],
  ["####[x]", "### #[x]"],
  ["##teamcity[x]", "# #teamcity[x]"],
  ["::set-output name=a::b", ": :set-output name=a::b"],
  ["x::ERROR file=a::b", "x: :ERROR file=a::b"],
  ["::stop-commands::t", ": :stop-commands::t"],
  ["std::vector::at, ## [x], a::errors", "std::vector::at, ## [x], a::errors"],
])("of «%s» only the text is left", (command, left) => {
  expect(withoutCommands(command)).toBe(left);
});

test("what is not seen is shown as what it is", () => {
  expect(printable("a\u001b[0m\u2028b\u202e\u0085\n\u{e0041}")).toBe(
    "a\\u{1b}[0m\\u{2028}b\\u{202e}\\u{85}\\u{a}\\u{e0041}",
  );
  expect(printable("x".repeat(1_000_000)).length).toBeLessThan(20_000);
});
