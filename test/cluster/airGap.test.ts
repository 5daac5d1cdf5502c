// A cluster without egress: the node is in its own network namespace, and refuses connections that its pods begin.
import { join } from "node:path";
import { expect, test } from "vitest";
import { ACCESS_KEY, BUCKET, SECRET, startS3 } from "../copies/stores/s3.ts";
import { runCommand } from "../programs/commands.ts";
import { openBrowser, type Reader } from "./browser.ts";
import { closeGap, CONTROL, openTo, registryWithBase } from "./closedNetwork.ts";
import { copyExample } from "./copiedExample.ts";
import { buildInstallation, hostAddress, type Installation, until } from "./installation.ts";
import { startSteadyClient } from "./steadyClient.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Real documentation: that of the package fastify. */
const FASTIFY = join(ROOT, "node_modules/fastify/docs");
/** Reads the start page and another page, by a link between them. */
async function reads({ page, requested, complaints }: Reader, installation: Installation): Promise<void> {
  const url = await installation.url();
  requested.length = 0;
  expect((await page.goto(url))?.status()).toBe(200);
  expect(await page.title()).toContain("Fastify");
  await page.locator("#site-navigation").getByRole("link", { name: "Hooks" }).click();
  await page.waitForURL(/Reference\/Hooks/);
  expect(await page.title()).toContain("Hooks");
  expect(complaints).toEqual([]);
  expect(requested.length).toBeGreaterThan(1);
  expect(requested.filter((address) => !address.startsWith(url))).toEqual([]);
}

/** Searches by key for a page, and opens the result. */
async function searches({ page, requested, complaints }: Reader, installation: Installation): Promise<void> {
  const url = await installation.url();
  requested.length = 0;
  await page.goto(url);
  await page.keyboard.press("/");
  await page.locator("dialog.docs-hosting-search").waitFor();
  await page.keyboard.type("prototype poisoning");
  await page.locator('[role="option"][href*="Prototype-Poisoning"]').first().click();
  await page.waitForURL(/Guides\/Prototype-Poisoning/);
  expect(complaints).toEqual([]);
  expect(requested.filter((address) => !address.startsWith(url))).toEqual([]);
  const index = requested.find((address) => /docs-hosting-search\/words-/.test(address)) ?? url;
  expect((await fetch(index)).headers.get("cache-control")).toContain("immutable");
}

test("the node has no egress", async (context) => {
  context.skip(CONTROL === undefined, "only the node that these tests start is cut off and restarted");
  const links = JSON.parse(await runCommand("ip", ["-json", "link"])) as { ifname: string }[];
  const others = links.filter(({ ifname }) => !/^(lo|node0|cni0|veth\w+)$/.test(ifname));
  expect(others).toEqual([]);
});

test("a site in its own image survives the end of the service, its storage, every pod and the node's power, and can be scaled up", async (context) => {
  const reader = await openBrowser(context);
  await closeGap(context);
  const { host, base } = await registryWithBase(context);
  const installation = await buildInstallation(context, {
    site: FASTIFY,
    program: join(ROOT, "examples/air-gapped/index.ts"),
    servesImage: true,
    config: { version: "1", repository: `${host}/docs/site`, base },
  });
  const { kubectl } = installation;
  const up = await installation.up();
  const image = String(up.outputs["image"]?.value);
  expect(image).toMatch(/^127\.0\.0\.1:\d+\/docs\/site@sha256:[0-9a-f]{64}$/);
  expect(up.text).not.toContain("it must reach the");
  const pods = await installation.pods();
  for (const { spec } of pods) {
    expect(spec).not.toHaveProperty("initContainers");
    expect(spec?.["containers"]).toMatchObject([{ image }]);
  }
  expect(await kubectl("get", "secrets", "--selector=app.kubernetes.io/instance=docs", "--output=name")).toBe(
    "",
  );
  await searches(reader, installation);
  await outlives(installation, reader);

  const web = { ...(installation.values["web"] as object | undefined), strictPolicy: true };
  await installation.setConfig({ values: JSON.stringify({ ...installation.values, web }) });
  await installation.up();
  await searches(reader, installation);
});

test("so does a site in a bucket inside: pods fetch it there, and have no other egress", async (context) => {
  const reader = await openBrowser(context);
  await closeGap(context);
  const store = await startS3(context, hostAddress());
  await openTo(context, new URL(store.endpoint).port);
  const example = await copyExample(context, "air-gapped");
  await example.changeProgram(
    (text) =>
      text
        .replace(
          /destination: \{[^}]*\}/,
          'destination: { bucket: config.require("bucket"), endpoint: config.require("endpoint"), linkLife: "24h" }',
        )
        .replace("  offlineSearch: true,\n", ""), // the archive itself has none
  );
  const installation = await buildInstallation(context, {
    site: FASTIFY,
    program: example.program,
    config: {
      version: "1",
      bucket: BUCKET,
      endpoint: store.endpoint,
      chart: join(ROOT, "examples/self-hosted/chart"),
    },
    env: { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET },
  });
  const up = await installation.up();
  expect(up.text).not.toContain("it must reach the");
  const link = new URL(await installation.link());
  expect(link.href.split("?")[0]).toBe(
    `${store.endpoint}/${BUCKET}/${String(up.outputs["sha256"]?.value)}.tar.gz`,
  );
  expect(installation.shown()).not.toContain(SECRET);
  expect(installation.shown()).not.toContain(link.search);
  const asked = store.requests.length;
  await outlives(installation, reader);
  expect(store.requests.slice(asked).map(({ method }) => method)).toContain("GET");
});

/** The pages are still served after everything else has ended and all of the present pods have been replaced. */
async function outlives(installation: Installation, reader: Reader): Promise<void> {
  const { kubectl, service } = installation;
  await reads(reader, installation);

  // pods have no egress to the service, which is running
  expect((await fetch(service.url)).status).toBeLessThan(500);
  const [pod] = await installation.pods();
  await expect(
    kubectl("exec", pod?.metadata.name ?? "", "--", "curl", "-sS", "--max-time", "5", service.url),
  ).rejects.toThrow(/Failed to connect|Couldn't connect/);

  await service.close();
  const before = (await installation.pods()).map(({ metadata }) => metadata.uid);
  await kubectl("delete", "pods", "--all", "--wait=true");
  await installation.isReady();
  await reads(reader, installation);
  const after = await installation.pods();
  expect(after.filter(({ metadata }) => before.includes(metadata.uid))).toEqual([]);

  const restarted = await fetch(CONTROL ?? "", { method: "POST" });
  expect(await restarted.text()).toBe("");
  await until("every container was started once more", async () => {
    const now = await installation.pods();
    return now.length === 2 && now.every((pod) => restarts(pod) > 0);
  });
  await installation.isReady();
  await reads(reader, installation);

  const asked = service.requests.length;
  await installation.setConfig({ values: JSON.stringify({ ...installation.values, replicas: 4 }) });
  await installation.up();
  expect(service.requests.length).toBe(asked);
  expect(await installation.pods()).toHaveLength(4);
  await reads(reader, installation);
}

function restarts({ status }: { status?: Record<string, unknown> }): number {
  const [container] = (status?.["containerStatuses"] ?? []) as { restartCount: number }[];
  return container?.restartCount ?? 0;
}

test("a new version is another image: the pods are replaced without a failed request, and an earlier job's site is served again", async (context) => {
  await closeGap(context);
  const { host, base } = await registryWithBase(context);
  const installation = await buildInstallation(context, {
    program: join(ROOT, "examples/air-gapped/index.ts"),
    servesImage: true,
    config: { version: "1", repository: `${host}/docs/site`, base },
  });
  const first = await installation.up();
  const endClient = startSteadyClient(await installation.url());
  const page = await validators(await installation.url());
  await installation.writeStartPage("# Welcome\n\nThe third edition.\n");
  await installation.setConfig({ version: "3" });
  const second = await installation.up();
  await installation.serves("The third edition.");
  expect(second.outputs["image"]?.value).not.toBe(first.outputs["image"]?.value);
  // of the same size, but no browser may take it for its cached page
  const changed = await validators(await installation.url());
  expect(changed.size).toBe(page.size);
  expect(changed.etag).not.toBe(page.etag);
  await installation.setConfig({ version: "1", jobId: String(first.outputs["jobId"]?.value) });
  const again = await installation.up();
  await installation.serves("The first edition.");
  // the same site, in an image that also has the third edition's files for the pages that readers have open
  expect(again.outputs["sha256"]?.value).toBe(first.outputs["sha256"]?.value);
  const answers = await endClient();
  expect(Object.keys(answers).sort()).toEqual(["200 The first edition.", "200 The third edition."]);
});

/** The validators that a browser keeps of the start page, to ask whether it has changed. */
async function validators(url: string): Promise<{ etag: string | null; size: string | null }> {
  const { headers } = await fetch(url, { headers: { "accept-encoding": "identity" } });
  return { etag: headers.get("etag"), size: headers.get("content-length") };
}

test("a StaticExport without a copy fails there, with a warning before and the reason after", async (context) => {
  await closeGap(context);
  const installation = await buildInstallation(context, {
    config: { version: "1", deploymentKind: "air-gapped", timeout: "25" },
  });
  const { ok, text, logs } = await installation.stack.up();
  expect(ok).toBe(false);
  const shown = text + JSON.stringify(logs);
  expect(shown).toContain("whenever a pod starts, it must reach the host of that link");
  expect(shown).toContain("destination: { repository, base }");
  const reason = `no answer from ${new URL(installation.service.url).host} (no connection)`;
  await until("a pod's log tells why", async () => {
    const of = "--selector=app.kubernetes.io/instance=docs";
    const log = await installation.kubectl("logs", of, "--container=fetch", "--tail=-1").catch(() => "");
    return log.includes(reason);
  });
});
