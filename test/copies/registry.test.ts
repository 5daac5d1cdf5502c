import { expect, test } from "vitest";
import { runCommand } from "../programs/commands.ts";
import { startRegistry } from "./registry.ts";

test("one client finds what another one pushed to the registry of the tests", async (context) => {
  const { host } = await startRegistry(context);
  const crane = process.env["CRANE"] ?? "crane";
  await runCommand(crane, ["append", "--oci-empty-base", "-t", `${host}/a:1`, "-f", "/dev/null"]);
  expect(await runCommand(crane, ["validate", "--remote", `${host}/a:1`])).toContain("PASS");
});
