import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { type Answer, type ArchiveServer, cutOff, inTurn, refuse, send } from "./archiveServer.ts";
import { type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { ARCHIVE, base64, hex, OTHER, RANDOM } from "./largeArchive.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";
import { SITE, tar } from "./tarArchive.ts";

const SMALL = { MAX_ARCHIVE_BYTES: "10240" };
const TOO_LARGE = "larger than fetch.maxArchiveBytes (10240)";

const longerThanAnnounced: Answer = (_request, response) => {
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${ARCHIVE.length - 9}\r\n\r\n`;
  response.socket?.end(Buffer.concat([Buffer.from(head), ARCHIVE]));
};

describe.each(shortened(SYSTEMS))("with %s, the download", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, ARCHIVE));
  });

  test("serves the archive, reports it without the link, and leaves nothing else", async () => {
    const { code, log, terminationMessage } = await pod.fetch();
    expect(log).toContain("Serving version «v1»: 4 files");
    expect(code).toBe(0);
    expect(pod.served()).toMatchObject({
      "index.html": "<h1>Start</h1>",
      "folder/index.html": "<h1>Folder</h1>",
    });
    expect(terminationMessage).toBe(`Serving version «v1», fetched from ${new URL(server.url).host}.\n`);
    expect(pod.leftovers()).toEqual([]);
  });

  test("also serves a plain tar, regardless of the name in the link", async () => {
    server.answer = send(tar(SITE));
    await pod.fetch();
    expect(pod.served()).toMatchObject({ "guide.html": "<h1>Guide</h1>" });
  });

  test.each<[string, Answer, reason: string, environment?: Record<string, string>]>([
    [
      "a body that stays cut off",
      cutOff(ARCHIVE, 20_000),
      "cut off after 20000 bytes",
      { TIME_LIMIT_SECONDS: "1", CACHE_FOLDER: "" },
    ],
    ["D08 an archive longer than announced", longerThanAnnounced, "its compression does not hold"],
    ["an archive that is announced too large", send(ARCHIVE), TOO_LARGE, SMALL],
    [
      "D10 an archive for a folder that cannot be written",
      send(ARCHIVE),
      "The folder for the site cannot be written",
      { SITE_FOLDER: "/proc/nowhere" },
    ],
    [
      "an archive of another digest than fetch.sha256",
      send(ARCHIVE),
      "SHA-256 is not the one of fetch.sha256",
      { BUNDLE_SHA256: hex(Buffer.from("other")) },
    ],
    ...[
      { "repr-digest": `sha-256=:${OTHER}:` },
      { "content-digest": `sha-256=:${OTHER}:` },
      { "x-amz-checksum-sha256": OTHER },
    ].map((headers): [string, Answer, string] => [
      `an archive of another digest than ${Object.keys(headers).join()} says`,
      send(ARCHIVE, headers),
      "Not unpacked in 3 attempts: the archive's SHA-256 is not the one that",
    ]),
  ])("never serves %s", async (_, answer, reason, environment) => {
    server.answer = answer;
    expect(await refused(pod, environment)).toContain(reason);
  });

  test.each<[string, Record<string, string>, environment?: Record<string, string>]>([
    ["Repr-Digest", { "repr-digest": `sha-512=:AAAA:, sha-256=:${base64(ARCHIVE)}:` }],
    ["Content-Digest", { "content-digest": `sha-256=:${base64(ARCHIVE)}:` }],
    ["x-amz-checksum-sha256", { "x-amz-checksum-sha256": base64(ARCHIVE) }],
    ["a sum of sums, which says nothing", { "x-amz-checksum-sha256": `${base64(Buffer.from(""))}-3` }],
    ["fetch.sha256, also in upper case", {}, { BUNDLE_SHA256: hex(ARCHIVE).toUpperCase() }],
  ])("accepts the right digest in %s", async (_, headers, environment) => {
    server.answer = send(ARCHIVE, headers);
    expect((await pod.fetch(environment)).code).toBe(0);
  });

  test("uses the digest of the last reply, not of a redirect's", async () => {
    server.answer = inTurn(
      refuse(302, { location: "/else", "repr-digest": `sha-256=:${OTHER}:` }),
      send(ARCHIVE, { "repr-digest": `sha-256=:${base64(ARCHIVE)}:` }),
    );
    expect((await pod.fetch()).code).toBe(0);
  });

  test("D09 requests the bytes without an encoding, and handles a server that compresses once more", async () => {
    const twice = gzipSync(ARCHIVE);
    server.answer = send(twice, { "content-encoding": "gzip", "repr-digest": `sha-256=:${base64(twice)}:` });
    expect((await pod.fetch()).code).toBe(0);
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("identity");
    expect(pod.served()).toMatchObject({ "index.html": "<h1>Start</h1>" });
  });

  test("is not delayed by a reply of 50,000 header lines", async () => {
    server.answer = ({ socket }) => {
      socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${"a:\r\n".repeat(50_000)}\r\n`), ARCHIVE]));
    };
    const { code, seconds } = await pod.fetch({ TIME_LIMIT_SECONDS: "20" });
    expect(code).toBe(0);
    expect(seconds).toBeLessThan(20);
  });

  test.each([500, 502, 503, 504, 408, 425, 429])("D13 tries again after HTTP %s", async (status) => {
    server.answer = inTurn(refuse(status), refuse(status), send(ARCHIVE));
    const { code, log } = await pod.fetch();
    expect(code).toBe(0);
    expect(log).toMatch(new RegExp(`Attempt 1: .* answered HTTP ${status}. Next attempt in 0.0\\d\\d s`));
    expect(server.requests).toHaveLength(3);
  });

  test.each<[string, RegExp, number]>([
    ["1", /1\.000 s/, 1000],
    ["86400", /1\.500 s/, 1500],
    ["007654321098", /1\.500 s/, 1500],
    ["0", /0\.0\d\d s/, 0],
    ["-5", /0\.0\d\d s/, 0],
    ["soon", /0\.0\d\d s/, 0],
    ["1.5", /0\.0\d\d s/, 0],
  ])("waits as long as Retry-After: %s says, within limits", async (retryAfter, expected, leastMs) => {
    server.answer = inTurn(refuse(503, { "retry-after": retryAfter }), send(ARCHIVE));
    const { code, log } = await pod.fetch();
    expect(code).toBe(0);
    expect(log).toMatch(new RegExp(`Next attempt in ${expected.source}`));
    const [first, second] = server.requests;
    expect((second?.timeMs ?? 0) - (first?.timeMs ?? 0)).toBeGreaterThanOrEqual(leastMs);
  });

  test("tries again when a connection is too slow", async () => {
    server.answer = inTurn((_request, response) => {
      response.writeHead(200, { "content-length": ARCHIVE.length });
      const drip = setInterval(() => response.write("."), 100);
      response.on("close", () => {
        clearInterval(drip);
      });
    }, send(ARCHIVE));
    const { code, log } = await pod.fetch();
    expect(code).toBe(0);
    expect(log).toContain("too slow");
  });

  test("stops an endless archive when it is too large", async () => {
    let sent = 0;
    server.answer = (_request, response) => {
      response.writeHead(200); // in chunks
      const more = () => {
        while (!response.destroyed && response.write(RANDOM)) sent += RANDOM.length;
        sent += RANDOM.length;
      };
      response.on("drain", more);
      more();
    };
    expect(await refused(pod, SMALL)).toContain(TOO_LARGE);
    expect(sent).toBeLessThan(20_000_000);
  });

  test("ends at once when the pod is deleted", async () => {
    server.answer = () => undefined; // never answers
    const run = await pod.start();
    await expect.poll(() => server.requests.length).toBe(1);
    run.terminate();
    const { code, seconds } = await run.ended;
    expect(code).toBe(143);
    expect(seconds).toBeLessThan(5);
    expect(pod.leftovers()).toEqual([]);
  });
});
