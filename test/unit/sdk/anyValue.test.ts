// Values of any kind that a program gives, as the classes register them.
import { runInNewContext } from "node:vm";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, test } from "vitest";
import { REFUSED_VALUE } from "../../../provider/resource/anyValue.ts";
import { AgentJob } from "../../../sdk/agentJob.ts";
import { AirGapKit } from "../../../sdk/airGapKit.ts";
import { BundleCopy } from "../../../sdk/bundleCopy.ts";
import { StaticExport } from "../../../sdk/staticExport.ts";
import { type Registered, settled, startProgram } from "../../simulation/pulumiProgram.ts";

let registered: Registered[];

beforeEach(async () => {
  registered = await startProgram({ outputs: {}, project: "values" });
});

const WHEN = new Date("2026-01-01T00:00:00Z");

async function triggersOf(...triggers: unknown[]): Promise<unknown> {
  new StaticExport("docs", { domain: "docs.example.com", triggers });
  await settled();
  return registered.at(-1)?.inputs["triggers"];
}

test("plain values are registered unchanged, and a Date as its ISO text, also in outputs, promises and other realms", async () => {
  const bare = Object.assign(Object.create(null) as object, { a: 1 });
  const foreign: unknown = runInNewContext("({ at: new Date(0), list: [1] })");
  expect(
    await triggersOf(
      "a",
      1,
      null,
      { b: [WHEN] },
      bare,
      foreign,
      pulumi.output("o").apply(() => WHEN),
      Promise.resolve(WHEN),
    ),
  ).toEqual([
    "a",
    1,
    null,
    { b: ["2026-01-01T00:00:00.000Z"] },
    { a: 1 },
    { at: "1970-01-01T00:00:00.000Z", list: [1] },
    "2026-01-01T00:00:00.000Z",
    "2026-01-01T00:00:00.000Z",
  ]);
});

class Commit {
  readonly #id = "a1";
  get id(): string {
    return this.#id;
  }
}
const around: Record<string, unknown> = {};
around["self"] = around;

test.each<[string, unknown]>([
  ["a Map: write Object.fromEntries(map)", new Map([["a", 1]])],
  ["a Set: write [...set]", new Set([1])],
  ["a URL: write its href", new URL("https://a.example")],
  ["a RegExp: write its source", /a/],
  ["an Error: write its message", new TypeError("a")],
  ["bytes: write their text", Buffer.from("a")],
  ["bytes: write their text", new Uint8Array(1)],
  ["a function: write what it returns", () => 1],
  ["a symbol: write its text", Symbol("a")],
  ["a BigInt: write its text", 1n],
  ["an invalid Date: write a valid one", new Date(NaN)],
  ["an object of a class (Commit): write a plain object of its values", new Commit()],
  ["an asset or archive: write a digest", new pulumi.asset.StringAsset("a")],
  ["an asset or archive: write a digest", new pulumi.asset.FileArchive("a")],
])("%s", async (what, value) => {
  const mark = { [REFUSED_VALUE]: expect.stringContaining(what) as string };
  expect(await triggersOf(value)).toEqual([mark]);
  expect(await triggersOf({ deep: [value] })).toEqual([{ deep: [mark] }]);
});

test("an object that contains itself is marked, and one that is there twice is not", async () => {
  const twice = { a: 1 };
  expect(await triggersOf(around, twice, twice)).toEqual([
    { self: { [REFUSED_VALUE]: expect.stringContaining("contains itself") as string } },
    { a: 1 },
    { a: 1 },
  ]);
});

test("the same holds for options of the start, and for values of a kit's chart", async () => {
  new StaticExport("docs", { domain: "docs.example.com", exportOptions: { since: WHEN, map: new Map() } });
  await settled();
  expect(registered.at(-1)?.inputs["exportOptions"]).toEqual({
    since: "2026-01-01T00:00:00.000Z",
    map: { [REFUSED_VALUE]: expect.any(String) as string },
  });
  new AirGapKit("kit", { source: { file: "a", version: "1" }, folder: "b", values: { at: WHEN } });
  await settled();
  expect(registered.at(-1)?.inputs["values"]).toEqual({ at: "2026-01-01T00:00:00.000Z" });
});

test("the same holds for every input of every class: Pulumi would make an empty object of the value, which means «no limits»", async () => {
  const limits = new Map([["files", 1]]) as object;
  const fetchExternal = { limits: new URL("https://a.example") } as object;
  new BundleCopy("copy", {
    source: { file: "a", version: WHEN as unknown as string },
    destination: { folder: "b", layout: "site" },
    limits,
    fetchExternal,
  });
  await settled();
  const mark = { [REFUSED_VALUE]: expect.any(String) as string };
  expect(registered.at(-1)?.inputs).toMatchObject({
    source: { version: "2026-01-01T00:00:00.000Z" },
    limits: mark,
    fetchExternal: { limits: mark },
  });
});

test.each([StaticExport, AgentJob, BundleCopy, AirGapKit])(
  "%o without arguments is registered, as a JavaScript program may write it: the check says what is missing",
  async (Resource) => {
    const Untyped = Resource as unknown as new (name: string) => pulumi.CustomResource;
    expect(new Untyped("docs")).toBeInstanceOf(Resource);
    await settled();
    expect(registered).toHaveLength(1);
  },
);
