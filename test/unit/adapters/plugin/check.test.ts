// What an engine asks before a resource changes: check and diff.
import * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { secret } from "./pluginClient.ts";
import { checkRequest, diffRequest, DYNAMIC_URN, plainOf, URN } from "./requests.ts";
import { serveLife, UP_TO_DATE } from "./servedLife.ts";

const served = serveLife();

describe("check", () => {
  test("hands plain visible inputs to the life cycle, and seals what was secret", async () => {
    const seen: unknown[] = [];
    served.life.check = (given, _configuration, before) => {
      seen.push(given, before);
      return { inputs: { ...given, added: 1 }, failures: [] };
    };
    const news = { name: secret("n"), triggers: [UNKNOWN, { deep: secret(["x"]) }], __provider: "code" };
    const answer = await served.client.call("check", checkRequest(news, { name: "before", __urn: "u" }));
    expect(seen).toEqual([{ name: "n", triggers: [UNKNOWN, { deep: ["x"] }] }, { name: "before" }]);
    expect(plainOf(answer.getInputs())).toEqual({
      name: secret("n"),
      triggers: [UNKNOWN, { deep: secret(["x"]) }],
      added: 1,
    });
  });

  test("reports failures by property; of a secret one without the value that the engine would show", async () => {
    served.life.check = (inputs) => ({
      inputs,
      failures: [
        { property: "name", reason: "is hidden-text" },
        { property: "other", reason: "is long" },
      ],
    });
    const answer = await served.client.call(
      "check",
      checkRequest({ name: secret("hidden-text"), other: "o" }),
    );
    const failures = answer.getFailuresList().map((each) => [each.getProperty(), each.getReason()]);
    expect(failures).toEqual([
      ["", "name: is [removed]"],
      ["other", "is long"],
    ]);
  });
});

test("a resource itself as a source says what to write, in a preview that does not know its id, too", async () => {
  const failing = { property: "source", reason: "must be a StaticExport" };
  const resource = (id: string): object => ({
    "4dabf18193072939515e22adb298388d": "5cf8f73096256a8f31e491e813e4eb8e",
    urn: "urn:pulumi:dev::p::docs-hosting:index:StaticExport::docs",
    id,
  });
  const problemsOf = async (source: unknown, failures = [failing]): Promise<[string, string][]> => {
    served.life.check = (inputs) => ({ inputs, failures });
    const answer = await served.client.call("check", checkRequest({ source }));
    return answer.getFailuresList().map((each) => [each.getProperty(), each.getReason()]);
  };
  const whole = ["source", expect.stringContaining("jobId: docs.jobId, version: docs.version }; in Python")];
  for (const id of ["", UNKNOWN]) expect(await problemsOf(resource(id), [])).toEqual([whole]);
  expect(await problemsOf(resource("docs.example.com"))).toEqual([whole]);
  expect(await problemsOf(secret(resource("")), [])).toEqual([
    ["", expect.stringMatching(/^source: is a resource itself/)],
  ]);
  const fields = { domain: resource(""), jobId: resource(""), version: "v1" };
  expect(await problemsOf(fields, [])).toEqual([
    ["source.jobId", expect.stringContaining("Write its output: docs.jobId")],
  ]);
  expect(await problemsOf({ ...fields, jobId: UNKNOWN }, [])).toEqual([]);
  expect(await problemsOf("docs")).toEqual([["source", "must be a StaticExport"]]);
});

describe("diff", () => {
  const kinds = (answer: rpc.DiffResponse): Record<string, [number, boolean]> =>
    Object.fromEntries(
      answer
        .getDetaileddiffMap()
        .getEntryList()
        .map(([path]) => {
          const diff = answer.getDetaileddiffMap().get(path);
          return [path, [diff?.getKind() ?? -1, diff?.getInputdiff() ?? false]];
        }),
    );
  const { Kind } = rpc.PropertyDiff;

  test("reports that nothing changes, and prints the decision as a debug line", async () => {
    const answer = await served.client.call("diff", diffRequest({ name: "n" }, { name: "n" }));
    expect(answer.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_NONE);
    expect(answer.getHasdetaileddiff()).toBe(true);
    expect(served.debugLines).toEqual(["UP_TO_DATE: nothing to do"]);
  });

  test("names each changed property down to its fields", async () => {
    served.life.diff = () => ({
      ...UP_TO_DATE,
      changed: ["list", "place", "gone", "new", "kind"],
      replaces: ["place"],
    });
    const before = { list: [1, { a: 1, "b c": 2 }], place: { folder: "a", same: 1 }, gone: 1, kind: "x" };
    const news = { list: [1, { a: 2, "b c": 3 }], place: { folder: "b", same: 1 }, new: 1, kind: ["x"] };
    const answer = await served.client.call("diff", diffRequest({}, news, before));
    expect(kinds(answer)).toEqual({
      "list[1].a": [Kind.UPDATE, true],
      'list[1]["b c"]': [Kind.UPDATE, true],
      "place.folder": [Kind.UPDATE_REPLACE, true],
      gone: [Kind.DELETE, true],
      new: [Kind.ADD, true],
      kind: [Kind.UPDATE, true],
    });
    expect(answer.getReplacesList()).toEqual(["place"]);
    expect(answer.getChanges()).toBe(rpc.DiffResponse.DiffChanges.DIFF_SOME);
  });

  test("names the outputs that a hidden reason changes", async () => {
    served.life.diff = () => ({
      ...UP_TO_DATE,
      hidden: true,
      decision: { code: "RENEW_WINDOW", text: "it is due" },
    });
    const olds = { name: "n", bundleUrl: secret("https://store/x"), __bookkeeping: {} };
    const answer = await served.client.call("diff", diffRequest(olds, { name: "n" }, { name: "n" }));
    expect(kinds(answer)).toEqual({ bundleUrl: [Kind.UPDATE, false] });
    expect(served.lines.info).toEqual(["RENEW_WINDOW: it is due"]);
  });

  test.each([
    [`${URN}-before`, rpc.DiffResponse.DiffChanges.DIFF_SOME],
    [DYNAMIC_URN, rpc.DiffResponse.DiffChanges.DIFF_NONE],
    [URN, rpc.DiffResponse.DiffChanges.DIFF_NONE],
  ])("of a resource whose state has the URN %s", async (before, changes) => {
    const answer = await served.client.call("diff", diffRequest({ __urn: before, __provider: "code" }, {}));
    expect(answer.getChanges()).toBe(changes);
  });
});
