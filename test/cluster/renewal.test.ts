import { expect, test } from "vitest";
import { buildInstallation, SHORT_LINK_LIFETIME_MS, until, type Installation } from "./installation.ts";

test("renewing the link asks for one bundle, updates the Secret and restarts no pod", async (context) => {
  const installation = await buildInstallation(context, {
    config: { version: "1", renewBefore: "1h" },
    linkLifetimeMs: SHORT_LINK_LIFETIME_MS,
  });
  await installation.up();
  const pods = await uids(installation);
  const link = await installation.link();
  const asked = installation.service.requests.length;

  await installation.linkIsDue();
  await installation.up();

  expect(apiRequests(installation, asked)).toEqual([expect.stringMatching(/^POST .*\/bundle$/)]);
  expect(await installation.link()).not.toBe(link);
  expect(await uids(installation)).toEqual(pods);

  const downloads = installation.store.downloads.length;
  await installation.kubectl("delete", "pods", "--all", "--wait=true");
  await until("other pods are ready", async () => {
    const ready = await readyPods(installation);
    return ready.length === pods.length && ready.every((uid) => !pods.includes(uid));
  });
  const renewed = new URL(await installation.link());
  expect(new Set(installation.store.downloads.slice(downloads))).toEqual(
    new Set([renewed.pathname + renewed.search]),
  );
  await installation.serves("The first edition.");
});

/** What the service was asked since, without downloads. */
function apiRequests({ service }: Installation, since: number): string[] {
  return service.requests
    .slice(since)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((request) => request.includes("/v1/"));
}

async function uids(installation: Installation): Promise<string[]> {
  return (await installation.pods()).map(({ metadata }) => metadata.uid).sort();
}

async function readyPods(installation: Installation): Promise<string[]> {
  const ready = (await installation.pods()).filter(({ status }) =>
    (status?.["conditions"] as { type: string; status: string }[] | undefined)?.some(
      ({ type, status: value }) => type === "Ready" && value === "True",
    ),
  );
  return ready.map(({ metadata }) => metadata.uid);
}
