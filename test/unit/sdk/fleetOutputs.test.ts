// The outputs of a stack with many exports, read through Pulumi's own mocks.
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "vitest";
import { type FleetMember, fleetOutputs } from "../../../sdk/fleetOutputs.ts";
import { StaticExport } from "../../../sdk/staticExport.ts";
import { resolved, startProgram } from "../../simulation/pulumiProgram.ts";

beforeEach(async () => {
  await startProgram();
});

const due = (renewAfter?: string, expiresAt?: string): FleetMember => ({
  renewAfter: pulumi.output(renewAfter),
  expiresAt: pulumi.output(expiresAt),
});

/** Values of the three outputs of some exports. */
async function valuesOf(fleet: Parameters<typeof fleetOutputs>[0]): Promise<Record<string, unknown>> {
  const { sites, renewAfter, expiresAt } = fleetOutputs(fleet);
  const [count, first, end] = await Promise.all([sites, renewAfter, expiresAt].map(resolved));
  return { sites: count?.value, renewAfter: first?.value, expiresAt: end?.value };
}

test("the earliest renewal and the earliest end are returned, also where they are of different exports", async () => {
  const fleet = [
    due("2026-11-23T08:00:00.000Z", "2026-11-24T00:00:00.000Z"),
    due("2026-11-23T07:00:00.000Z", "2026-11-24T02:00:00.000Z"),
    due("2026-11-23T09:00:00.000Z", "2026-11-23T23:00:00.000Z"),
  ];
  expect(await valuesOf(fleet)).toEqual({
    sites: 3,
    renewAfter: "2026-11-23T07:00:00.000Z",
    expiresAt: "2026-11-23T23:00:00.000Z",
  });
});

test("a record by name returns the same as a list", async () => {
  const fleet = { b: due("2026-11-23T08:00:00Z"), a: due("2026-11-23T07:00:00Z", "2026-11-24T00:00:00Z") };
  expect(await valuesOf(fleet)).toEqual(await valuesOf(Object.values(fleet)));
  expect(await valuesOf(fleet)).toMatchObject({ sites: 2, renewAfter: "2026-11-23T07:00:00.000Z" });
});

test("times in any notation are compared as instants, and returned in UTC", async () => {
  const fleet = [
    due("2026-11-23T10:30:00+02:00"),
    due("2026-11-23T09:00:00Z"),
    due("2026-11-23T04:00:00-05:00"),
  ];
  expect(await valuesOf(fleet)).toMatchObject({ renewAfter: "2026-11-23T08:30:00.000Z" });
});

test("exports whose link has no known end count, and add no times", async () => {
  expect(await valuesOf([due(), due("2026-11-23T08:00:00Z", "2026-11-24T00:00:00Z"), due()])).toEqual({
    sites: 3,
    renewAfter: "2026-11-23T08:00:00.000Z",
    expiresAt: "2026-11-24T00:00:00.000Z",
  });
  expect(await valuesOf([due(), due()])).toEqual({ sites: 2, renewAfter: undefined, expiresAt: undefined });
});

test.each([[[]], [{}]])("no exports (%j) are an error at once that says what it prevents", (none) => {
  const run = (): unknown => fleetOutputs(none);
  expect(run).toThrow(pulumi.RunError); // which Pulumi shows without a stack trace
  expect(run).toThrow(
    /^fleetOutputs: there are no exports\. A list that is empty by mistake.*would delete every site of the stack.*`config\.requireObject`.*`pulumi destroy`\.$/,
  );
});

describe("of real exports", () => {
  test("the outputs are known once all are known, and are no secrets", async () => {
    await startProgram({ outputs: { renewAfter: "2026-11-23T08:00:00.000Z" } });
    const domains = ["a.example.com", "b.example.com"];
    const outputs = fleetOutputs(domains.map((domain) => new StaticExport(domain, { domain })));
    expect(await resolved(outputs.sites)).toEqual({ value: 2, secret: false });
    expect(await resolved(outputs.renewAfter)).toEqual({ value: "2026-11-23T08:00:00.000Z", secret: false });
    expect(await resolved(outputs.expiresAt)).toEqual({ value: undefined, secret: false });
  });

  test("in a preview the times stay unknown while one export's are, and the number is known", async () => {
    await startProgram({ preview: true });
    const known = due("2026-11-23T08:00:00Z", "2026-11-24T00:00:00Z");
    const outputs = fleetOutputs([known, new StaticExport("docs", { domain: "docs.example.com" })]);
    expect(await resolved(outputs.sites)).toEqual({ value: 2, secret: false });
    expect(await resolved(outputs.renewAfter)).toMatchObject({ value: "unknown" });
    expect(await resolved(outputs.expiresAt)).toMatchObject({ value: "unknown" });
  });
});
