import { expect, test } from "vitest";
import { AGENT_JOB_INPUTS, type CheckedAgentJobInputs } from "../../../provider/agentJob/inputs.ts";
import { checkByTable } from "../../../provider/resource/inputTable.ts";

const configuration = {
  environment: (name: string) => (name.endsWith("_KEY") ? "svc_key" : undefined),
  stackConfig: () => undefined,
};
const check = (given: Record<string, unknown>): ReturnType<typeof checkByTable<CheckedAgentJobInputs>> =>
  checkByTable<CheckedAgentJobInputs>(
    AGENT_JOB_INPUTS,
    { baseUrl: "https://api.example.test", ...given },
    configuration,
  );

test("a failed job is refused unless the input accepts it", () => {
  const ids = { projectId: "p1", jobId: "a1" };
  expect(check(ids)).toMatchObject({ inputs: { ...ids, acceptFailed: false }, failures: [] });
  expect(check({ ...ids, acceptFailed: true })).toMatchObject({
    inputs: { acceptFailed: true },
    failures: [],
  });
  expect(check({ ...ids, acceptFailed: "yes" }).failures).toEqual([
    { property: "acceptFailed", reason: "must be true or false" },
  ]);
});

test("missing inputs are reported with their meaning", () => {
  expect(check({}).failures).toEqual([
    {
      property: "projectId",
      reason: "is required: the project identifier, which the dashboard's API keys page shows",
    },
    { property: "id", reason: "is required: the identifier of the agent job" },
  ]);
});
