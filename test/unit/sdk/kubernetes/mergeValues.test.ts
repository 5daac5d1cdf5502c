import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { mergeReleaseValues } from "../../../../sdk/kubernetes/mergeValues.ts";
import { resolved, startProgram } from "../../../simulation/pulumiProgram.ts";

beforeAll(async () => {
  await startProgram({ preview: true });
});

const unknown = (): pulumi.Output<unknown> => pulumi.output(pulumi.unknown as unknown);

test("groups are merged at any depth, ours over theirs", () => {
  const theirs = { a: 1, group: { kept: 1, taken: 2, inner: { kept: true } } };
  expect(mergeReleaseValues(theirs, { group: { taken: 3, inner: { added: true } }, more: 1 })).toEqual({
    a: 1,
    group: { kept: 1, taken: 3, inner: { kept: true, added: true } },
    more: 1,
  });
  expect(theirs.group.taken).toBe(2); // the given values are unchanged
});

test.each([
  ["a list", [1, 2]],
  ["a text", "text"],
  ["null", null],
])("%s of the user is replaced by our group, and our list replaces a group", (_, value) => {
  expect(mergeReleaseValues({ a: value }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  expect(mergeReleaseValues({ a: { b: 1 } }, { a: value })).toEqual({ a: value });
});

test("lists are replaced, not joined", () => {
  expect(mergeReleaseValues({ a: [1, 2, 3] }, { a: [4] })).toEqual({ a: [4] });
});

describe("values that are outputs", () => {
  test("are passed on unchanged where nothing is merged into them, and so is the rest", () => {
    const [notKnown, secret, plain] = [unknown(), pulumi.secret("s"), pulumi.output("p")];
    const theirs = { notKnown, deep: { secret, list: [plain] }, text: "t", staticExport: { notKnown } };
    const all = mergeReleaseValues(theirs, { staticExport: { enabled: true } }) as typeof theirs;
    expect(pulumi.Output.isInstance(all)).toBe(false);
    expect(all.notKnown).toBe(notKnown);
    expect(all.deep.secret).toBe(secret);
    expect(all.deep.list[0]).toBe(plain);
    expect(all.staticExport.notKnown).toBe(notKnown);
    expect(all.staticExport).toMatchObject({ enabled: true });
  });

  test("are merged into when they are a group: only that group becomes secret or unknown", async () => {
    const theirs = {
      secret: pulumi.secret({ a: 1 }),
      hidden: unknown(),
      soon: Promise.resolve({ a: 1 }),
      text: "t",
    };
    const all = mergeReleaseValues(theirs, {
      secret: { b: 2 },
      hidden: { b: 2 },
      soon: { b: 2 },
    }) as typeof theirs;
    expect(await resolved(all.secret)).toEqual({ value: { a: 1, b: 2 }, secret: true });
    expect(await resolved(all.hidden)).toEqual({ value: "unknown", secret: false });
    expect(await resolved(all.soon)).toEqual({ value: { a: 1, b: 2 }, secret: false });
    expect(all.text).toBe("t");
  });

  test("may be all of them", async () => {
    const all = mergeReleaseValues(pulumi.output({ a: 1, group: { kept: 1 } }), {
      group: { b: pulumi.secret(2) },
    });
    const { value, secret } = await resolved(all);
    expect(secret).toBe(false);
    const { a, group } = value as { a: number; group: { kept: number; b: unknown } };
    expect([a, group.kept]).toEqual([1, 1]);
    expect(await resolved(group.b)).toEqual({ value: 2, secret: true });
  });

  test("that turn out to be no group are replaced", async () => {
    const all = mergeReleaseValues(
      { a: pulumi.output("text"), b: pulumi.output([1]) },
      { a: { c: 1 }, b: { c: 1 } },
    );
    const { a, b } = all as Record<string, unknown>;
    expect([(await resolved(a)).value, (await resolved(b)).value]).toEqual([{ c: 1 }, { c: 1 }]);
  });
});
