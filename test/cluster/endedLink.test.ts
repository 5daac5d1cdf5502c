import { expect, test } from "vitest";
import { buildInstallation, type Installation, SHORT_LINK_LIFETIME_MS, until } from "./installation.ts";

test("when a link has ended, the pod waits and its log says what to do; renewing the link requests one bundle, updates the Secret and restarts no pod, which continues by itself", async (context) => {
  const installation = await buildInstallation(context, {
    config: { version: "1", renewBefore: "1h" },
    linkLifetimeMs: SHORT_LINK_LIFETIME_MS,
  });
  await installation.up();
  const link = await installation.link();
  installation.endLinks();
  await installation.kubectl("delete", "pods", "--all", "--wait=true");
  const log = await until("the log tells", async () => {
    const text = await fetchLog(installation);
    return text.includes("pulumi up") && text;
  });
  expect(log).toContain("HTTP 403");
  const waiting = await installation.pods();
  for (const pod of waiting) {
    const [container] = pod.status?.["initContainerStatuses"] as { restartCount: number; state: object }[];
    expect(container).toMatchObject({ restartCount: 0, state: { running: expect.anything() as unknown } });
  }

  await installation.linkIsDue();
  const asked = installation.service.requests.length;
  await installation.up();
  const requests = installation.service.requests.slice(asked).filter(({ path }) => path.startsWith("/v1/"));
  expect(requests).toMatchObject([{ method: "POST", path: expect.stringMatching(/\/bundle$/) as string }]);
  expect(await installation.link()).not.toBe(link);
  await installation.serves("The first edition.");
  expect(await uids(installation)).toEqual(waiting.map(({ metadata }) => metadata.uid).sort());
});

async function uids(installation: Installation): Promise<string[]> {
  return (await installation.pods()).map(({ metadata }) => metadata.uid).sort();
}

function fetchLog({ kubectl }: Installation): Promise<string> {
  return kubectl(
    "logs",
    "--selector=app.kubernetes.io/instance=docs",
    "--container=fetch",
    "--tail=-1",
  ).catch(
    () => "", // no pod has reached that
  );
}
