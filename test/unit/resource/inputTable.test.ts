import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/base/runtime/messages/plainText.ts";
import { REFUSED_VALUE } from "../../../provider/resource/anyValue.ts";
import {
  changedByTable,
  checkByTable,
  type InputTable,
  text,
  withEffect,
} from "../../../provider/resource/inputTable.ts";
import { UnfinishedError } from "../../../provider/resource/lifeCycle.ts";
import { SERVICE_INPUTS, type ServiceInputs } from "../../../provider/resource/serviceInputs.ts";

const BASE_URL = "https://api.example.test";

interface Inputs {
  jobId: string;
  size?: number;
  tags?: string[];
}
const TABLE: InputTable<Inputs> = {
  jobId: {
    change: "replaces",
    publicName: "id",
    required: "the job",
    rule: text((value) => (value === "bad" ? { problem: "is bad" } : { value: `${value}!` })),
  },
  size: { change: "remembered", default: 3, rule: (value) => ({ value: Number(value) * 2 }) },
  tags: {
    change: "content",
    isSame: (one, other) => JSON.stringify(one ?? []) === JSON.stringify(other ?? []),
    rule: (value) => ({ value }),
  },
};
const NOTHING = { environment: () => undefined, stackConfig: () => undefined };
const check = (given: Record<string, unknown>): ReturnType<typeof checkByTable<Record<string, unknown>>> =>
  checkByTable<Record<string, unknown>>(TABLE, given, NOTHING);
const configured = (given: Record<string, unknown>, key: string | undefined = "svc_key") =>
  checkByTable<ServiceInputs>(SERVICE_INPUTS, given, {
    environment: (name) => (name === "DOCS_HOSTING_ADMIN_API_KEY" ? key : undefined),
    stackConfig: () => undefined,
  });

test("each value is converted by its rule, also a default", () => {
  expect(check({ jobId: "a", tags: ["x"] })).toEqual({
    inputs: { jobId: "a!", size: 6, tags: ["x"] },
    failures: [],
  });
  expect(check({ jobId: "a", size: 5 }).inputs).toEqual({ jobId: "a!", size: 10 });
});

test.each([
  { size: { [REFUSED_VALUE]: "a Map: write Object.fromEntries(map)" } },
  { tags: ["x", { [REFUSED_VALUE]: "a Map: write it" }] },
  { size: NaN },
])("a value that JSON cannot hold is refused by every input, before its rule: %j", (given) => {
  const { failures } = check({ jobId: "a", ...given });
  expect(failures).toEqual([
    { property: Object.keys(given)[0], reason: expect.stringMatching(/^has (?:at \[1\] )?a /) as string },
  ]);
});

test("null, undefined and absent are the same", () => {
  const { inputs, failures } = check({ jobId: "a", tags: null, size: undefined });
  expect(Object.keys(inputs)).toEqual(["jobId", "size"]);
  expect(failures).toEqual([]);
});

test("a failure has the name that the user knows, and its value is removed", () => {
  expect(check({ verison: 1, jobId: "bad" })).toEqual({
    inputs: { verison: 1, jobId: undefined, size: 6 },
    failures: [
      { property: "verison", reason: "there is no such input. Inputs are: id, size, tags" },
      { property: "id", reason: "is bad" },
    ],
  });
  expect(check({}).failures).toEqual([{ property: "id", reason: "is required: the job" }]);
  expect(check({ jobId: 7 }).failures).toEqual([{ property: "id", reason: "must be a string, not number" }]);
});

test("a value that a preview does not know yet is not checked by any rule", () => {
  expect(check({ jobId: UNKNOWN, size: UNKNOWN })).toEqual({
    inputs: { jobId: UNKNOWN, size: UNKNOWN },
    failures: [],
  });
});

test("changed inputs are in the order of their rows, each with the effect of its change", () => {
  const before = { jobId: "a", size: 3, tags: [] };
  expect(changedByTable<Inputs>(TABLE, { jobId: "a", size: 3 }, before)).toEqual([]);
  const changed = changedByTable<Inputs>(TABLE, { tags: ["x"], jobId: "b" }, before);
  expect(changed).toEqual(["jobId", "size", "tags"]);
  expect(withEffect(TABLE, changed, "replaces")).toEqual(["jobId"]);
  expect(withEffect(TABLE, changed, "content", "remembered")).toEqual(["size", "tags"]);
});

describe("the service", () => {
  test("is complete with its defaults", () => {
    expect(configured({ baseUrl: `${BASE_URL}/` })).toEqual({
      inputs: { baseUrl: BASE_URL, apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY" },
      failures: [],
    });
  });
  test("may be unknown in a preview: neither its base URL nor its key is checked", () => {
    const unknown = { baseUrl: UNKNOWN, apiKeyEnv: UNKNOWN };
    expect(configured(unknown, "not a key")).toEqual({ inputs: unknown, failures: [] });
  });
  test.each([
    [{ baseUrl: 7 }, { property: "baseUrl", reason: "must be a string, not number" }],
    [
      { baseUrl: BASE_URL, apiKeyEnv: 7 },
      { property: "apiKeyEnv", reason: "must be a string, not number" },
    ],
  ])("of %j is one failure, not two", (given, failure) => {
    expect(configured(given).failures).toEqual([failure]);
  });
  test.each(["svc_a-b", "1KEY", "A B", "", "A-"])(
    "has no variable «%s», which is one failure",
    (apiKeyEnv) => {
      expect(configured({ baseUrl: BASE_URL, apiKeyEnv }).failures).toEqual([
        {
          property: "apiKeyEnv",
          reason: "must be the name of an environment variable, not the key itself: letters, digits and _",
        },
      ]);
    },
  );
  test("without a key or a base URL is a failure that says what to do", () => {
    const { failures } = configured({}, "");
    expect(failures.map(({ property }) => property)).toEqual(["baseUrl", "apiKeyEnv"]);
    expect(failures[0]?.reason).toMatch(
      /^the base URL of the service is not set\. Set DOCS_HOSTING_BASE_URL/,
    );
  });
  test("ignores inputs that are not configuration", () => {
    const environment = (): never => {
      throw new TypeError("broken");
    };
    const source = { environment, stackConfig: () => undefined };
    expect(() => checkByTable(SERVICE_INPUTS, { baseUrl: BASE_URL }, source)).toThrow(TypeError);
  });
});

test("an unfinished result has its state under its own name", () => {
  const cause = new TypeError("stopped");
  const error = new UnfinishedError(cause, { jobId: "7" });
  expect(error).toMatchObject({ name: "UnfinishedError", message: "stopped", cause, state: { jobId: "7" } });
});
