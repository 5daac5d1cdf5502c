// The last guard of what leaves the provider process: whatever it is, the host can send it, and somebody can read it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { dynamicProvider } from "../../../provider/door/dynamicProvider.ts";
import { Session } from "../../../provider/door/session.ts";
import { thisProcess } from "../../../provider/door/thisProcess.ts";
import type { LifeCycle, StoredState } from "../../../provider/resource/lifeCycle.ts";
import { isPlain } from "../../../provider/words/plainText.ts";
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
