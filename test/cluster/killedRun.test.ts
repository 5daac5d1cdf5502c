import { expect, test } from "vitest";
import { buildInstallation, type Installation, until } from "./installation.ts";
import { list } from "./kubectl.ts";
import { removePendingRecord } from "./pendingRecord.ts";

test("the next `up` names a release that a killed run left pending, with the commands that repair it", async (context) => {
  const installation = await killUpgrade(context);
  const refused = await installation.stack.up();
  expect(refused.ok).toBe(false);
  expect(refused.error).toContain("another operation (install/upgrade/rollback) is in progress");
  await removePendingRecord(installation, refused.text);
  await installation.up();
  await installation.serves("The second edition.");
});

test("also after `pulumi refresh`, which reads the pending record as the real state, so that `up` says «unchanged»", async (context) => {
  const installation = await killUpgrade(context);
  expect((await installation.stack.refresh()).ok).toBe(true);
  const unchanged = await installation.up();
  expect(unchanged.summary).toEqual({ same: expect.any(Number) as number });
  expect(unchanged.text).toContain("Its status is pending-upgrade");
  expect(unchanged.text).toContain("run `pulumi refresh` and `pulumi up`");
  await removePendingRecord(installation, unchanged.text);
  expect((await installation.stack.refresh()).ok).toBe(true);
  const cured = await installation.up();
  expect(cured.outputs["status"]?.value).toMatchObject({ status: "deployed", revision: 2 });
  expect(cured.text).not.toContain("Its status is pending");
  await installation.serves("The second edition.");
});

/** The first edition is served, and the roll-out of the second was killed midway. */
async function killUpgrade(context: Parameters<typeof buildInstallation>[0]): Promise<Installation> {
  const installation = await buildInstallation(context, { config: { version: "1" } });
  await installation.up();
  await installation.writeStartPage("# Welcome\n\nThe second edition.\n");
  await installation.setConfig({ version: "2" });

  // the roll-out cannot end: its pods get no bundle
  const mend = installation.spoilDownloads({ status: 503 });
  const kill = new AbortController();
  const running = installation.stack.up({ kill: kill.signal });
  await until("the release is being upgraded", async () => (await pending(installation)).length > 0);
  kill.abort();
  expect((await running).ok).toBe(false);
  mend();
  await installation.serves("The first edition.");
  return installation;
}

async function pending({ kubectl }: Installation): Promise<unknown[]> {
  return list(kubectl, "secrets", "--selector=owner=helm,status=pending-upgrade");
}
