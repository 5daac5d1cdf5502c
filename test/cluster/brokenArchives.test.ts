import { expect, test } from "vitest";
import { buildInstallation, type Installation, until } from "./installation.ts";
import { startSteadyClient } from "./steadyClient.ts";

/** Helm's wait for a release that fails, in seconds. */
const RELEASE_TIMEOUT = "15";
/** For pods that the kubelet starts again with growing pauses. */
const PATIENT_TIMEOUT = "180";

// test/chart has every other archive that the init container refuses
test("a broken archive never replaces what is served and the pod reports the reason; the next `up` rolls out a whole one, from the same export", async (context) => {
  const installation = await buildInstallation(context, {
    config: { version: "first" },
  });
  await installation.up();
  await installation.writeStartPage("# Welcome\n\nThe second edition.\n");
  await installation.setConfig({ version: "second", timeout: RELEASE_TIMEOUT });

  const endClient = startSteadyClient(await installation.url());
  const mend = installation.spoilDownloads({ body: "<!doctype html><title>Sign in</title>" });
  const failed = await installation.stack.up();
  expect(failed.ok).toBe(false);
  // Pulumi's message leads to the commands, and the commands to the pod's own reason
  expect(failed.text).toContain(`kubectl --namespace ${installation.namespace} describe pods`);
  await until("a pod tells why", async () => /perhaps a web page/.test(await lastWords(installation)));
  expect(Object.keys(await endClient())).toEqual(["200 The first edition."]);

  mend();
  await installation.setConfig({ timeout: PATIENT_TIMEOUT });
  const asked = installation.service.requests.length;
  await installation.up();
  await installation.serves("The second edition.");
  expect(installation.service.requests.slice(asked).filter(({ method }) => method === "POST")).toEqual([]);
});

/** Termination messages of the init containers. */
async function lastWords({ kubectl }: Installation): Promise<string> {
  const each = "{.items[*].status.initContainerStatuses[*]";
  return kubectl(
    "get",
    "pods",
    `--output=jsonpath=${each}.lastState.terminated.message} ${each}.state.terminated.message}`,
  );
}
