import { createHash } from "node:crypto";
import { chmodSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Answer, type ArchiveServer, refuse, send } from "./archiveServer.ts";
import { CANARY, CONTENT, type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";
import { SITE, tarGz } from "./tarArchive.ts";

const archiveOf = (text: string) => tarGz([...SITE, { name: "version.html", content: text }]);
const V1 = archiveOf("v1");
const OTHER_CONTENT = "fedcba9876543210";
const of = (contentId: string) => ({ CONTENT_ID: contentId });
const ONE_SECOND = { TIME_LIMIT_SECONDS: "1" };
const PATIENT = { FALLBACK_AFTER_SECONDS: "60", IDLE_TIMEOUT_SECONDS: "60" };

describe.each(SYSTEMS)("with %s, the cache", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, V1));
  });

  /** Another pod of the installation, that finds the same cache. */
  function nextPod(contentId = CONTENT): PodFolders {
    const next = pod.sibling();
    next.writeSecret(`${server.url}/?${CANARY}`, contentId);
    return next;
  }

  async function publish(text = "v1", contentId = CONTENT): Promise<void> {
    server.answer = send(archiveOf(text));
    const { code, log } = await nextPod(contentId).fetch(of(contentId));
    expect(log).toContain("Kept a copy in the cache");
    expect(code).toBe(0);
  }

  test("keeps one copy of a content, named after its id and its bytes", async () => {
    await publish();
    await publish();
    const digest = createHash("sha256").update(V1).digest("hex");
    expect(pod.keptCopies()).toEqual([`${CONTENT}-${digest}.bundle`]);
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
    await publish();
    server.answer = answer;
    const next = nextPod();
    const { code, log, terminationMessage } = await next.fetch(settings);
    expect(code).toBe(0);
    const told = new RegExp(
      `Serving the kept copy of version «v1», fetched at \\d{4}-.*Z, because ${because}`,
    );
    expect(log).toMatch(told);
    expect(terminationMessage).toMatch(told);
    expect(next.served()).toMatchObject({ "version.html": "v1" });
    expect(next.leftovers()).toEqual([]);
  });

  test("serves the kept copy when the store is away for a while, not at the first stumble", async () => {
    await publish();
    const next = nextPod();
    await server.close();
    const { code, log, seconds } = await next.fetch({ FALLBACK_AFTER_SECONDS: "1" });
    expect(code).toBe(0);
    expect(seconds).toBeGreaterThan(1);
    expect(log).toContain(`because no answer from ${new URL(server.url).host} (no connection)`);
    expect(next.served()).toMatchObject({ "version.html": "v1" });
  });

  test("never serves the copy of another content, also of the same version: a broken new archive leaves the new pod waiting", async () => {
    await publish();
    const next = nextPod(OTHER_CONTENT);
    server.answer = send(tarGz([...SITE, { name: "../x" }]));
    expect(await refused(next, of(OTHER_CONTENT))).toContain("what was served before stays");
    server.answer = refuse(403);
    await refused(next, { ...of(OTHER_CONTENT), ...ONE_SECOND });
  });

  test("serves a pod whose content the Secret does not have any more", async () => {
    await publish();
    const next = nextPod(OTHER_CONTENT);
    const { code, log } = await next.fetch();
    expect(code).toBe(0);
    expect(log).toContain("because the Secret has no link of this pod's content (version «v1») yet");
    expect(next.served()).toMatchObject({ "version.html": "v1" });
  });

  test("checks a kept copy before use, and throws a damaged one away", async () => {
    await publish();
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

  test("keeps the last contents only, always its own, and one file of each", async () => {
    const contents = ["0000000000000001", "0000000000000002", "0000000000000003"] as const;
    for (const contentId of contents) {
      for (const path of pod.keptCopies().map((name) => join(pod.cache, name))) {
        const minuteBefore = statSync(path).mtimeMs / 1000 - 60;
        utimesSync(path, minuteBefore, minuteBefore);
      }
      await publish(contentId, contentId);
    }
    expect(pod.keptCopies()).toHaveLength(2);
    server.answer = refuse(403);
    for (const contentId of contents.slice(1)) {
      expect((await nextPod(contentId).fetch(of(contentId))).code).toBe(0);
    }
    // the same content with other bytes replaces its copy
    await publish("again", contents[2]);
    expect(pod.keptCopies().map((name) => name.split("-")[0])).toEqual(contents.slice(1));
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
    expect(pod.keptCopies()).toEqual([".incoming.young", expect.stringMatching(/\.bundle$/)]);
  });
});
