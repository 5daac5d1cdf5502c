import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { type Answer, type ArchiveServer, cutOff, inTurn, refuse, send, slowly } from "./archiveServer.ts";
import { CANARY, type FetchRun, filesThatHold, type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { ARCHIVE, hex, OTHER } from "./largeArchive.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";

const ETAG = '"first"';
/** Resumes an archive that was cut off after 20,000 bytes. */
const REST = `bytes 20000-${ARCHIVE.length - 1}/${ARCHIVE.length}`;

const continued =
  (headers: Record<string, string>, body = ARCHIVE.subarray(20_000)): Answer =>
  (_request, response) => {
    response.writeHead(206, { "content-length": body.length, ...headers });
    response.end(body);
  };

describe.each(shortened(SYSTEMS))("with %s, the download", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, ARCHIVE));
  });

  test.each([0, 0.01, 0.5, 0.999])(
    "D03 is resumed where it was cut off, at %s of it, when the server can prove that nothing changed",
    async (share) => {
      const bytes = Math.floor(ARCHIVE.length * share);
      const range = `bytes ${bytes}-${ARCHIVE.length - 1}/${ARCHIVE.length}`;
      const rest = continued({ "content-range": range, etag: ETAG }, ARCHIVE.subarray(bytes));
      server.answer = inTurn(cutOff(ARCHIVE, bytes, { etag: ETAG }), bytes > 0 ? rest : send(ARCHIVE));
      expect((await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE) })).code).toBe(0);
      expect(server.requests).toHaveLength(2);
      expect(server.requests[1]?.headers.range).toBe(bytes > 0 ? `bytes=${bytes}-` : undefined);
      expect(server.requests[1]?.headers["if-match"]).toBe(bytes > 0 ? ETAG : undefined);
      expect(Object.keys(pod.served() ?? {})).toHaveLength(4);
    },
  );

  test.each<[string, Record<string, string>, string | undefined]>([
    ["D06 restarts after a cut without an ETag", {}, undefined],
    ["D06 restarts after a cut with a weak ETag", { etag: 'W/"first"' }, undefined],
    ["D04 takes the whole archive when the server ignores the range", { etag: ETAG }, "bytes=20000-"],
  ])("%s", async (_, headers, range) => {
    server.answer = inTurn(cutOff(ARCHIVE, 20_000, headers), send(ARCHIVE, headers));
    expect((await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE) })).code).toBe(0);
    expect(server.requests[1]?.headers.range).toBe(range);
  });

  test.each<[string, Answer, message?: string]>([
    ["D05 another start", continued({ "content-range": REST.replace("20000", "19999"), etag: ETAG })],
    ["D05 no Content-Range", continued({ etag: ETAG })],
    ["D05 another total", continued({ "content-range": "bytes 20000-20009/20005", etag: ETAG })],
    ["D06 another ETag", continued({ "content-range": REST, etag: '"other"' })],
    ["D06 no ETag", continued({ "content-range": REST })],
    ["D06 its ETag as a weak one", continued({ "content-range": REST, etag: `W/${ETAG}` })],
    ["D06 HTTP 412", refuse(412)],
    ["D06 HTTP 416", refuse(416)],
    [
      "D05 other bytes",
      continued({ "content-range": REST, etag: ETAG }, Buffer.alloc(ARCHIVE.length - 20_000, "x")),
      "SHA-256 is not the one of fetch.sha256",
    ],
  ])("%s: drops what it resumes, and starts again", async (_, answer, message) => {
    server.answer = inTurn(cutOff(ARCHIVE, 20_000, { etag: ETAG }), answer, send(ARCHIVE));
    const { code, log } = await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE) });
    expect(log).toContain(message ?? "the download restarts");
    expect(code).toBe(0);
    expect(server.requests[2]?.headers.range).toBeUndefined();
  });

  describe("continues when the container is started again", () => {
    const WHOLE = { BUNDLE_SHA256: hex(ARCHIVE) };
    const IN_PART = { TIME_LIMIT_SECONDS: "1", CACHE_FOLDER: "" };

    test("after time limits, SIGKILL and SIGTERM, requests little more than the archive", async () => {
      const sent = { bytes: 0 };
      server.answer = slowly(ARCHIVE, ETAG, ARCHIVE.length / 12, sent);
      const cutBy = async (end: (run: FetchRun) => void) => {
        const [before, run] = [sent.bytes, await pod.start()];
        await expect.poll(() => sent.bytes - before, { interval: 20 }).toBeGreaterThan(ARCHIVE.length / 12);
        end(run);
        await run.ended;
        run.kill(); // includes what the end of a container's first process would have ended, too
      };
      expect((await pod.fetch(IN_PART)).terminationMessage).toContain("Not fetched within 1 s");
      await cutBy((run) => {
        run.kill();
      });
      await cutBy((run) => {
        run.terminate();
      });
      expect((await pod.fetch(IN_PART)).code).toBe(1);
      expect(pod.served()).toBeUndefined();
      server.answer = slowly(ARCHIVE, ETAG, ARCHIVE.length, sent);
      const { code, log } = await pod.fetch(WHOLE);
      expect(log).toMatch(/Fetching version «v1» from .*, from byte \d+ on/);
      expect(code).toBe(0);
      // on a slow machine, a run may send a second request within its second
      const conditions = server.requests.map(({ headers }) => headers["if-match"]).slice(1);
      expect(new Set(conditions)).toEqual(new Set([ETAG]));
      expect(conditions.length).toBeGreaterThanOrEqual(4);
      expect(sent.bytes).toBeLessThan(ARCHIVE.length * 1.2);
      expect(pod.leftovers()).toEqual([]);
    });

    test("with a renewed link", async () => {
      server.answer = inTurn(cutOff(ARCHIVE, 20_000, { etag: ETAG }), refuse(403));
      await pod.fetch(IN_PART);
      server.answer = continued({ "content-range": REST, etag: ETAG });
      pod.writeSecret(`${server.url}/renewed?${CANARY}`);
      expect((await pod.fetch(WHOLE)).code).toBe(0);
      expect(server.requests.at(-1)?.headers.range).toBe("bytes=20000-");
    });

    test.each<[string, Record<string, string>]>([
      ["no ETag", {}],
      ["a weak ETag", { etag: `W/${ETAG}` }],
    ])("but starts again after %s, and leaves nothing on the volume", async (_, headers) => {
      server.answer = cutOff(ARCHIVE, 20_000, headers);
      await refused(pod, IN_PART);
      server.answer = send(ARCHIVE);
      expect((await pod.fetch(WHOLE)).code).toBe(0);
      expect(server.requests.at(-1)?.headers.range).toBeUndefined();
    });

    test("but starts again when it was killed while it resumed another archive", async () => {
      server.answer = cutOff(ARCHIVE, 20_000, { etag: ETAG });
      await pod.fetch(IN_PART);
      server.answer = (_request, response) => {
        response.writeHead(206, { "content-range": REST, etag: '"other"' });
        response.write(Buffer.alloc(10_000));
      };
      const run = await pod.start();
      await expect.poll(() => filesThatHold("\0".repeat(4_000), pod.site)).not.toEqual([]);
      run.kill();
      await run.ended;
      server.answer = send(ARCHIVE);
      expect((await pod.fetch(WHOLE)).code).toBe(0);
      expect(server.requests.at(-1)?.headers.range).toBeUndefined();
    });

    test("with the digest of the first reply", async () => {
      server.answer = cutOff(ARCHIVE, 20_000, { etag: ETAG, "repr-digest": `sha-256=:${OTHER}:` });
      await pod.fetch(IN_PART);
      server.answer = continued({ "content-range": REST, etag: ETAG });
      expect((await pod.fetch(IN_PART)).log).toContain("SHA-256 is not the one that");
    });

    // busybox's shell has the program built in
    if (system !== "busybox") {
      test("without another request when all had arrived and only unpacking was interrupted", async () => {
        pod.replaceProgram("timeout", 'case $* in *getent*) shift 3; exec "$@" ;; esac; exec sleep 30');
        const run = await pod.start();
        await expect.poll(() => readdirSync(join(pod.site, ".download"))).toContain("archive");
        run.kill();
        await run.ended;
        pod.replaceProgram("timeout", 'shift 3; exec "$@"');
        expect((await pod.fetch(WHOLE)).code).toBe(0);
        expect(server.requests).toHaveLength(1);
      });
    }

    test("writes no link to the volume, whenever it is killed", async () => {
      const target = `/moved?${CANARY}`;
      server.answer = (_request, response, number) => {
        response.writeHead(number % 2 ? 200 : 307, {
          location: target,
          "content-length": 9,
          etag: ETAG,
        });
        response.write("1234");
        if (number % 2 === 0) response.end("56789");
      };
      const wasAsked = (): boolean => server.requests.some((request) => request.target === target);
      for (let afterMs = 40; afterMs < 400 || !wasAsked(); afterMs += 40) {
        const run = await pod.start();
        await new Promise((resolve) => setTimeout(resolve, afterMs));
        run.kill();
        await run.ended;
        expect(filesThatHold(CANARY, pod.site)).toEqual([]);
      }
    });
  });
});
