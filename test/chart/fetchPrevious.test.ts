import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { type ArchiveServer, refuse, send } from "./archiveServer.ts";
import { standInForCluster } from "./clusterStandIn.ts";
import { CANARY, CONTENT, type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore } from "./podBesideStore.ts";
import { only, podTemplate, render, serving } from "./renderedChart.ts";
import { tarGz } from "./tarArchive.ts";

const BEFORE = "fedcba9876543210";
const archiveOf = (script: string, more: Record<string, string> = {}) =>
  tarGz(
    Object.entries({
      "index.html": script,
      [`assets/app-${script}.js`]: script,
      "logo.svg": "<svg/>",
      ...more,
    }).map(([name, content]) => ({ name, content })),
  );
const ARCHIVE = archiveOf("9f8e7d6c");
const OLD_ARCHIVE = archiveOf("0a1b2c3d", {
  "guide.html": "guide",
  "assets/large-0a1b2c3e.js": "x".repeat(5000),
});

describe.each(shortened(SYSTEMS))("with %s, the version before", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  const kept = () => {
    const folder = join(pod.site, "previous");
    if (!existsSync(folder)) return undefined;
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
  };
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, ARCHIVE));
    server.answer = (request, response, number) => {
      const isOld = request.url?.includes("/old") === true;
      send(isOld ? OLD_ARCHIVE : ARCHIVE)(request, response, number);
    };
    const secret = join(pod.root, "secret");
    writeFileSync(join(secret, `${CONTENT}.previous`), BEFORE);
    writeFileSync(join(secret, BEFORE), `${server.url}/old?${CANARY}`);
  });

  test("is fetched, too, and its files stay, without pages and what the new one has", async () => {
    const { code, log } = await pod.fetch({ MAX_PREVIOUS_BYTES: "100000" });
    expect(code).toBe(0);
    expect(kept()).toEqual(["app-0a1b2c3d.js", "large-0a1b2c3e.js"]);
    expect(log).toContain("The version before: 2 further files stay");
    expect(log).not.toContain(CANARY);
    expect(pod.leftovers()).toEqual(["previous"]);
    expect(pod.served()).toHaveProperty(["index.html"], "9f8e7d6c");
  });

  test("stays within its bytes: the smallest files first; nothing of it is fetched for 0", async () => {
    await pod.fetch({ MAX_PREVIOUS_BYTES: "4000" });
    expect(kept()).toEqual(["app-0a1b2c3d.js"]);
    await pod.fetch({ MAX_PREVIOUS_BYTES: "0", CONTENT_ID: CONTENT });
    expect(server.requests.filter(({ target }) => target.startsWith("/old"))).toHaveLength(1);
  });

  test("is left out if its link has expired or it is none, and the site is served", async () => {
    for (const answer of [refuse(403), send(Buffer.from("no archive"))]) {
      server.answer = (request, response, number) => {
        (request.url?.includes("/old") === true ? answer : send(ARCHIVE))(request, response, number);
      };
      const { code, log } = await pod.fetch({ MAX_PREVIOUS_BYTES: "100000", CONTENT_ID: CONTENT });
      expect(code).toBe(0);
      expect(log).toContain("The files of the version before are not kept: ");
      expect(kept()).toBeUndefined();
      expect(pod.leftovers()).toEqual([]);
      expect(readFileSync(join(pod.site, "active.content"), "utf8")).toBe(CONTENT);
      pod.forget();
    }
  });
});

test("the Secret names the content that was ready before, and keeps its link, but not one that never became ready", async (context) => {
  const before = await render(serving());
  const name = only(before, "Deployment").metadata.name;
  const idOf = (manifests: typeof before) =>
    podTemplate(manifests).metadata.annotations?.["docs-server/content"] ?? "";
  const broken = await render(serving({}, { version: "v2" }));
  const replicaSet = (manifests: typeof before, revision: number, readyReplicas: number) => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `set-${revision}`,
      annotations: { "deployment.kubernetes.io/revision": String(revision) },
      ownerReferences: [{ kind: "Deployment", name }],
    },
    spec: { template: { metadata: podTemplate(manifests).metadata } },
    status: { readyReplicas },
  });
  const secret = only(before, "Secret");
  const stored = { ...secret, data: { ...secret.data, ...only(broken, "Secret").data } };
  const cluster = await standInForCluster(context, [
    stored,
    replicaSet(before, 1, 2),
    replicaSet(broken, 2, 0),
  ]);
  const next = serving({}, { version: "v3" });
  const after = await render(next, ...cluster);
  const { data } = only(after, "Secret");
  expect(Buffer.from(data[`${idOf(after)}.previous`] ?? "", "base64").toString()).toBe(idOf(before));
  expect(data[idOf(before)]).toBe(secret.data[idOf(before)]);
  // the template of the pods does not depend on it: the next run restarts nothing
  expect(podTemplate(after)).toEqual(podTemplate(await render(next)));

  // and the same release again keeps it, after the old pods are gone
  const later = { ...only(after, "Secret") };
  const again = await render(
    next,
    ...(await standInForCluster(context, [later, replicaSet(before, 1, 0), replicaSet(after, 3, 2)])),
  );
  const own = [idOf(after), `${idOf(after)}.previous`, idOf(before)].sort();
  expect(only(again, "Secret").data).toEqual(Object.fromEntries(own.map((key) => [key, data[key]])));
});
