import { describe, expect, test } from "vitest";
import { InputRules } from "../../../provider/resource/inputRules.ts";
import { UnfinishedError } from "../../../provider/resource/unfinishedError.ts";
import { isSentinel, isUnknown, UNKNOWN } from "../../../provider/words/unknown.ts";

const NAMES = ["jobId", "baseUrl", "apiKeyEnv"] as const;
const BASE_URL = "https://api.example.test";
const rules = (given: Record<string, unknown>): InputRules<(typeof NAMES)[number]> =>
  new InputRules(given, NAMES, { jobId: "id" });
const configured = (given: Record<string, unknown>, key: string | undefined = "svc_key") => {
  const all = rules(given);
  all.service({ environment: () => key, stackConfig: () => undefined });
  return { inputs: all.inputs, failures: all.failures };
};

test("null, undefined and absent are the same", () => {
  expect(rules({ jobId: null, baseUrl: undefined }).inputs).toEqual({});
  expect(Object.keys(rules({ jobId: null, baseUrl: undefined }).inputs)).toEqual([]);
});

test("a failure stands at the name that the user knows", () => {
  const all = rules({ verison: 1 });
  expect(all.failures).toEqual([
    { property: "verison", reason: "there is no such input. Inputs are: id, baseUrl, apiKeyEnv" },
  ]);
  all.required("jobId", "the job");
  expect(all.failures[1]).toEqual({ property: "id", reason: "is required: the job" });
  expect(all.hasFailed("jobId")).toBe(true);
  expect(all.hasFailed("baseUrl")).toBe(false);
});

describe("a text", () => {
  test("is replaced by what the rule makes of it", () => {
    const all = rules({ jobId: "a" });
    all.text("jobId", (value) => `${value}!`);
    expect(all.inputs.jobId).toBe("a!");
  });
  test.each([UNKNOWN, undefined])("that is %s passes unseen", (value) => {
    const all = rules({ jobId: value });
    all.text("jobId", () => expect.fail("it was seen"));
    expect(all.inputs.jobId).toBe(value);
  });
  test("that is none is a failure", () => {
    const all = rules({ jobId: 7 });
    all.text("jobId", (value) => value);
    expect(all.failures).toEqual([{ property: "id", reason: "must be a string, not number" }]);
  });
});

describe("the service", () => {
  test("is complete with its defaults", () => {
    expect(configured({ baseUrl: `${BASE_URL}/` })).toEqual({
      inputs: { baseUrl: BASE_URL, apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY" },
      failures: [],
    });
  });
  test("may be unknown in a preview: neither its base URL nor its key is looked at", () => {
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
          reason: "is the name of an environment variable (not the key itself): letters, digits and _",
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
  test("lets through what is no matter of configuration", () => {
    const all = rules({ baseUrl: BASE_URL });
    const environment = (): never => {
      throw new TypeError("broken");
    };
    expect(() => all.service({ environment, stackConfig: () => undefined })).toThrow(TypeError);
  });
});

test("only the sentinel is unknown", () => {
  expect(isUnknown("04da6b54-80e4-46f7-96ec-b56ff0331ba9")).toBe(true);
  for (const known of ["", "x", undefined, null, 7]) expect(isUnknown(known)).toBe(false);
});

test.each([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "E48ECE36-62E2-4504-BAD9-02848725956A",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
])("%s of a service would be taken for something unknown", (text) => {
  expect(isSentinel(text)).toBe(true);
  expect(isSentinel(`${text}0`)).toBe(false);
});

test("what is unfinished carries its state under its own name", () => {
  const error = new UnfinishedError("stopped", { jobId: "7" });
  expect(error).toMatchObject({ name: "UnfinishedError", message: "stopped", state: { jobId: "7" } });
});
