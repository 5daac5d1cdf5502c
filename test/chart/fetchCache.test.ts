import { createHash } from "node:crypto";
import { chmodSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ArchiveServer, refuse, send, startArchiveServer } from "./archiveServer.ts";
import { CANARY, PodFolders, SYSTEMS } from "./fetchRun.ts";
import { SITE, tarGz } from "./tarArchive.ts";

const archiveOf = (version: string) => tarGz([...SITE, { name: "version.html", content: version }]);

describe.each(SYSTEMS)("with %s, the cache", (system) => {
  const pods: PodFolders[] = [];
  let pod: PodFolders;
  let server: ArchiveServer;

  beforeEach(async () => {
    pod = new PodFolders(system);
    pods.push(pod);
    server = await startArchiveServer(send(archiveOf("v1")));
  });
  afterEach(async () => {
    for (const each of pods.splice(0)) each.remove();
    await server.close();
  });

  /** Another pod of the installation, that finds the same cache. */
  function nextPod(): PodFolders {
    const next = pod.sibling();
    pods.push(next);
    return next;
  }

  async function publish(version: string, on = nextPod()): Promise<void> {
    server.answer = send(archiveOf(version));
    on.writeSecret(`${server.url}/${version}?${CANARY}`, version);
    const { code, log } = await on.fetch({ EXPORT_VERSION: version });
    expect(log).toContain("Kept a copy in the cache");
    expect(code).toBe(0);
  }

  test("keeps one copy of a version, named after its version and its bytes", async () => {
    await publish("v1");
    await publish("v1");
    const key = createHash("sha256").update("v1").digest("hex").slice(0, 32);
    const digest = createHash("sha256").update(archiveOf("v1")).digest("hex");
    expect(pod.keptCopies()).toEqual([`v1-${key}-${digest}.bundle`]);
  });

  test.each([401, 403, 404, 410])(
    "serves the kept copy at once when the link is refused with HTTP %s, and says so",
    async (status) => {
      await publish("v1");
      server.answer = refuse(status);
      const next = nextPod();
      next.writeSecret(`${server.url}/?${CANARY}`);
      const { code, log, terminationMessage } = await next.fetch({ FALLBACK_AFTER_SECONDS: "60" });
      expect(code).toBe(0);
      expect(log).toMatch(
        new RegExp(
          `Serving the kept copy of version v1, fetched at \\d{4}-.*Z, because the link was refused \\(HTTP ${status}\\)`,
        ),
      );
      expect(terminationMessage).toContain("Serving the kept copy of version v1");
      expect(next.served()).toMatchObject({ "version.html": "v1" });
      expect(next.leftovers()).toEqual([]);
    },
  );

  test("serves the kept copy when the store is away for a while, not at the first stumble", async () => {
    await publish("v1");
    const { host } = new URL(server.url);
    const next = nextPod();
    next.writeSecret(`${server.url}/?${CANARY}`);
    await server.close();
    const { code, log, seconds } = await next.fetch({ FALLBACK_AFTER_SECONDS: "1" });
    expect(code).toBe(0);
    expect(seconds).toBeGreaterThan(1);
    expect(log).toContain(`because no answer from ${host} (no connection)`);
    expect(next.served()).toMatchObject({ "version.html": "v1" });
  });

  test("serves the kept copy when the store never gets done within the time limit", async () => {
    await publish("v1");
    server.answer = () => undefined;
    const next = nextPod();
    next.writeSecret(`${server.url}/?${CANARY}`);
    const limits = { TIME_LIMIT_SECONDS: "2", FALLBACK_AFTER_SECONDS: "60", IDLE_TIMEOUT_SECONDS: "60" };
    expect((await next.fetch(limits)).log).toContain("Serving the kept copy of version v1");
  });

  test("serves the kept copy of its own version when what comes is broken", async () => {
    await publish("v1");
    server.answer = send(archiveOf("v1").subarray(0, 200));
    const next = nextPod();
    next.writeSecret(`${server.url}/?${CANARY}`);
    expect((await next.fetch()).log).toContain(
      "because the archive is broken: its compression does not hold",
    );
  });

  test("never serves the copy of another version: a broken new archive leaves the new pod waiting", async () => {
    await publish("v1");
    server.answer = send(tarGz([...SITE, { name: "../x" }]));
    const next = nextPod();
    next.writeSecret(`${server.url}/?${CANARY}`, "v2");
    const { code, terminationMessage } = await next.fetch({ EXPORT_VERSION: "v2" });
    expect(code).toBe(1);
    expect(terminationMessage).toContain("what was served before stays");
    expect(next.served()).toBeUndefined();
    server.answer = refuse(403);
    expect((await next.fetch({ EXPORT_VERSION: "v2", TIME_LIMIT_SECONDS: "1" })).code).toBe(1);
    expect(next.served()).toBeUndefined();
    expect(pod.keptCopies()).toHaveLength(1);
  });

  test("serves an old pod its own version while a newer release is half way", async () => {
    await publish("v1");
    const next = nextPod();
    next.writeSecret(`${server.url}/?${CANARY}`, "v2");
    const { code, log } = await next.fetch();
    expect(code).toBe(0);
    expect(log).toContain(
      "because the Secret holds the link of version «v2», and this pod is of version «v1»",
    );
    expect(next.served()).toMatchObject({ "version.html": "v1" });
  });

  test("without a version serves what it kept when nothing can be fetched, with a warning, but not instead of something broken", async () => {
    await publish("");
    const next = nextPod();
    next.writeSecret(`${server.url}/?${CANARY}`, "");
    server.answer = send(Buffer.from("broken"));
    expect((await next.fetch({ EXPORT_VERSION: "" })).code).toBe(1);
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
    next.writeSecret(`${server.url}/?${CANARY}`);
    const { code, log } = await next.fetch({ TIME_LIMIT_SECONDS: "1" });
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
    for (const [version, code] of [
      ["v1", 1],
      ["v2", 0],
      ["v3", 0],
    ] as const) {
      const next = nextPod();
      next.writeSecret(`${server.url}/?${CANARY}`, version);
      expect((await next.fetch({ EXPORT_VERSION: version, TIME_LIMIT_SECONDS: "1" })).code).toBe(code);
    }
    // the same version with other bytes replaces its copy
    const again = nextPod();
    server.answer = send(archiveOf("v3, again"));
    again.writeSecret(`${server.url}/?${CANARY}`, "v3");
    await again.fetch({ EXPORT_VERSION: "v3" });
    expect(pod.keptCopies()).toHaveLength(2);
    expect(new Set(pod.keptCopies().map((name) => name.split("-")[1])).size).toBe(2);
  });

  test("D12 is shared by pods that start at once: each is served, and one whole copy is kept", async () => {
    const together = Array.from({ length: 6 }, nextPod);
    const results = await Promise.all(
      together.map((each) => {
        each.writeSecret(`${server.url}/?${CANARY}`);
        return each.fetch();
      }),
    );
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    const [copy, ...more] = pod.keptCopies();
    expect(more).toEqual([]);
    expect(readFileSync(join(pod.cache, copy ?? ""))).toEqual(archiveOf("v1"));
  });

  test("D10 that cannot be written costs a warning, and the site is served", async () => {
    chmodSync(pod.cache, 0o555);
    pod.writeSecret(`${server.url}/?${CANARY}`);
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
    await publish("v1", pod);
    expect(pod.keptCopies()).toEqual([".incoming.young", expect.stringMatching(/^v1-.*\.bundle$/)]);
  });

  test("holds no link", async () => {
    await publish("v1");
    for (const name of pod.keptCopies())
      expect(name + readFileSync(join(pod.cache, name), "latin1")).not.toContain(CANARY);
  });
});
