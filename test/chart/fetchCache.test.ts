import { createHash } from "node:crypto";
import { chmodSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Answer, type ArchiveServer, refuse, send } from "./archiveServer.ts";
import { CANARY, type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";
import { SITE, tarGz } from "./tarArchive.ts";

const archiveOf = (version: string) => tarGz([...SITE, { name: "version.html", content: version }]);
const V1 = archiveOf("v1");
const ONE_SECOND = { TIME_LIMIT_SECONDS: "1" };
const PATIENT = { FALLBACK_AFTER_SECONDS: "60", IDLE_TIMEOUT_SECONDS: "60" };

describe.each(SYSTEMS)("with %s, the cache", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, V1));
  });

  /** Another pod of the installation, that finds the same cache. */
  function nextPod(version = "v1"): PodFolders {
    const next = pod.sibling();
    next.writeSecret(`${server.url}/?${CANARY}`, version);
    return next;
  }

  async function publish(version: string): Promise<void> {
    server.answer = send(archiveOf(version));
    const { code, log } = await nextPod(version).fetch({ EXPORT_VERSION: version });
    expect(log).toContain("Kept a copy in the cache");
    expect(code).toBe(0);
  }

  test("keeps one copy of a version, named after its version and its bytes", async () => {
    await publish("v1");
    await publish("v1");
    const key = createHash("sha256").update("v1").digest("hex").slice(0, 32);
    const digest = createHash("sha256").update(V1).digest("hex");
    expect(pod.keptCopies()).toEqual([`v1-${key}-${digest}.bundle`]);
  });

  test.each<[string, Answer, because: string, Record<string, string>]>([
    ...[401, 403, 404, 410].map((status): [string, Answer, string, object] => [
      `the link is refused with HTTP ${status}, at once`,
      refuse(status),
      `the link was refused \\(HTTP ${status}\\)`,
      PATIENT,
    ]),
    [
      "the store never gets done within the time limit",
      () => undefined,
      "",
      { ...PATIENT, TIME_LIMIT_SECONDS: "2" },
    ],
    [
      "what comes is broken",
      send(V1.subarray(0, 200)),
      "the archive is broken: its compression does not hold",
      {},
    ],
  ])("serves the kept copy when %s, and says so", async (_, answer, because, settings) => {
    await publish("v1");
    server.answer = answer;
    const next = nextPod();
    const { code, log, terminationMessage } = await next.fetch(settings);
    expect(code).toBe(0);
    const told = new RegExp(`Serving the kept copy of version v1, fetched at \\d{4}-.*Z, because ${because}`);
    expect(log).toMatch(told);
    expect(terminationMessage).toMatch(told);
    expect(next.served()).toMatchObject({ "version.html": "v1" });
    expect(next.leftovers()).toEqual([]);
  });

  test("serves the kept copy when the store is away for a while, not at the first stumble", async () => {
    await publish("v1");
    const next = nextPod();
    await server.close();
    const { code, log, seconds } = await next.fetch({ FALLBACK_AFTER_SECONDS: "1" });
    expect(code).toBe(0);
    expect(seconds).toBeGreaterThan(1);
    expect(log).toContain(`because no answer from ${new URL(server.url).host} (no connection)`);
    expect(next.served()).toMatchObject({ "version.html": "v1" });
  });

  test("never serves the copy of another version: a broken new archive leaves the new pod waiting", async () => {
    await publish("v1");
    const next = nextPod("v2");
    server.answer = send(tarGz([...SITE, { name: "../x" }]));
    expect(await refused(next, { EXPORT_VERSION: "v2" })).toContain("what was served before stays");
    server.answer = refuse(403);
    await refused(next, { EXPORT_VERSION: "v2", ...ONE_SECOND });
  });

  test("serves an old pod its own version while a newer release is half way", async () => {
    await publish("v1");
    const next = nextPod("v2");
    const { code, log } = await next.fetch();
    expect(code).toBe(0);
    expect(log).toContain(
      "because the Secret holds the link of version «v2», and this pod is of version «v1»",
    );
    expect(next.served()).toMatchObject({ "version.html": "v1" });
  });

  test("without a version serves what it kept when nothing can be fetched, with a warning, but not instead of something broken", async () => {
    await publish("");
    const next = nextPod("");
    server.answer = send(Buffer.from("broken"));
    await refused(next, { EXPORT_VERSION: "" });
    server.answer = refuse(403);
    const { code, log } = await next.fetch({ EXPORT_VERSION: "" });
    expect(code).toBe(0);
    expect(log).toContain("Warning: staticExport.version is not set");
  });

  test("checks a kept copy before use, and throws a damaged one away", async () => {
    await publish("v1");
    const path = join(pod.cache, pod.keptCopies()[0] ?? "");
    const content = readFileSync(path);
    writeFileSync(path, Buffer.concat([content.subarray(0, 100), Buffer.from("x"), content.subarray(101)]));
    server.answer = refuse(403);
    const next = nextPod();
    const { code, log } = await next.fetch(ONE_SECOND);
    expect(code).toBe(1);
    expect(log).toMatch(/Warning: the kept copy of .* is of no use: the archive's SHA-256/);
    expect(next.served()).toBeUndefined();
    expect(pod.keptCopies()).toEqual([]);
  });

  test("keeps the last versions only, always its own, and one file of each", async () => {
    for (const version of ["v1", "v2", "v3"]) {
      for (const path of pod.keptCopies().map((name) => join(pod.cache, name))) {
        const minuteBefore = statSync(path).mtimeMs / 1000 - 60;
        utimesSync(path, minuteBefore, minuteBefore);
      }
      await publish(version);
    }
    expect(pod.keptCopies()).toHaveLength(2);
    server.answer = refuse(403);
    for (const version of ["v2", "v3"]) {
      expect((await nextPod(version).fetch({ EXPORT_VERSION: version })).code).toBe(0);
    }
    // the same version with other bytes replaces its copy
    server.answer = send(archiveOf("v3, again"));
    await nextPod("v3").fetch({ EXPORT_VERSION: "v3" });
    expect(pod.keptCopies()).toHaveLength(2);
    expect(new Set(pod.keptCopies().map((name) => name.split("-")[1])).size).toBe(2);
  });

  test("D12 is shared by pods that start at once: each is served, and one whole copy is kept", async () => {
    const together = Array.from({ length: 6 }, () => nextPod());
    const results = await Promise.all(together.map((each) => each.fetch({ TIME_LIMIT_SECONDS: "60" })));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    const [copy, ...more] = pod.keptCopies();
    expect(more).toEqual([]);
    expect(readFileSync(join(pod.cache, copy ?? ""))).toEqual(V1);
  });

  test("D10 that cannot be written costs a warning, and the site is served", async () => {
    chmodSync(pod.cache, 0o555);
    const { code, log } = await pod.fetch();
    chmodSync(pod.cache, 0o755);
    expect(code).toBe(0);
    expect(log).toContain("Warning: the archive could not be kept in the cache");
    expect(pod.served()).toMatchObject({ "version.html": "v1" });
  });

  test("is cleared of what killed pods left half written", async () => {
    const stale = join(pod.cache, ".incoming.stale");
    writeFileSync(stale, "half");
    utimesSync(stale, 1, 1);
    writeFileSync(join(pod.cache, ".incoming.young"), "half");
    expect((await pod.fetch()).code).toBe(0);
    expect(pod.keptCopies()).toEqual([".incoming.young", expect.stringMatching(/^v1-.*\.bundle$/)]);
  });
});
