import { expect, test } from "vitest";
import { buildInstallation, SHORT_LINK_LIFETIME_MS, until, type Installation } from "./installation.ts";
import { CACHE_VALUES, provideVolume } from "./volume.ts";

test("with the persistent cache, a pod that starts after the link's end, with the service stopped, serves the same pages again", async (context) => {
  const installation = await buildInstallation(context, {
    config: { version: "1" },
    values: CACHE_VALUES,
  });
  await provideVolume(context, installation);
  await installation.up();
  const pods = (await installation.pods()).map(({ metadata }) => metadata.uid);

  await installation.service.close();
  await installation.store.close();
  await installation.kubectl("delete", "pods", "--all", "--wait=true");
  await until("other pods serve the pages", async () => {
    const now = await installation.pods();
    const fresh = now.length === pods.length && now.every(({ metadata }) => !pods.includes(metadata.uid));
    return fresh && (await installation.startPage().catch(() => "")).includes("The first edition.");
  });
  expect(await fetchLog(installation)).toMatch(/kept copy of version 1/);
});

test("without it, the pod waits, its log says what to do, and it goes on by itself once the link is renewed", async (context) => {
  const installation = await buildInstallation(context, {
    config: { version: "1", renewBefore: "1h" },
    linkLifetimeMs: SHORT_LINK_LIFETIME_MS,
  });
  await installation.up();
  const expired = new URL(await installation.link());
  installation.store.spoil((bundle, link) =>
    link === expired.pathname + expired.search
      ? { ...bundle, status: 403, headers: {}, body: Buffer.from("expired") }
      : bundle,
  );
  await installation.kubectl("delete", "pods", "--all", "--wait=true");
  const log = await until("the log tells", async () => {
    const text = await fetchLog(installation);
    return text.includes("pulumi up") && text;
  });
  expect(log).toContain("HTTP 403");
  for (const pod of await installation.pods()) {
    const [container] = pod.status?.["initContainerStatuses"] as { restartCount: number; state: object }[];
    expect(container).toMatchObject({ restartCount: 0, state: { running: expect.anything() as unknown } });
  }

  await installation.linkIsDue();
  await installation.up();
  await installation.serves("The first edition.");
});

function fetchLog({ kubectl }: Installation): Promise<string> {
  return kubectl(
    "logs",
    "--selector=app.kubernetes.io/instance=docs",
    "--container=fetch",
    "--tail=-1",
  ).catch(
    () => "", // no pod has got that far
  );
}
