import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ArchiveServer, cutOff, inTurn, refuse, send, startArchiveServer } from "./archiveServer.ts";
import { CANARY, PodFolders, SYSTEMS } from "./fetchRun.ts";
import { SITE, tar, tarGz } from "./tarArchive.ts";

/** Large enough to be cut off in the middle: no compression makes it smaller. */
const RANDOM = Buffer.concat(
  Array.from({ length: 1_250 }, (_, index) => createHash("sha256").update(String(index)).digest()),
);
const ARCHIVE = tarGz([...SITE, { name: "picture.bin", content: RANDOM }]);
const ETAG = '"first"';

const base64 = (content: Buffer) => createHash("sha256").update(content).digest("base64");
const hex = (content: Buffer) => createHash("sha256").update(content).digest("hex");

describe.each(SYSTEMS)("with %s, the download", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;

  beforeEach(async () => {
    pod = new PodFolders(system);
    server = await startArchiveServer(send(ARCHIVE));
    pod.writeSecret(`${server.url}/bundle.tar.gz?signature=${CANARY}`);
  });
  afterEach(async () => {
    pod.remove();
    await server.close();
  });

  test("serves the archive, says so without the link, and leaves nothing else", async () => {
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

  test("serves a plain tar as well, whatever the link's name says", async () => {
    server.answer = send(tar(SITE));
    await pod.fetch();
    expect(pod.served()).toMatchObject({ "guide.html": "<h1>Guide</h1>" });
  });

  test.each([0, 0.01, 0.5, 0.999])(
    "D03 is continued where it was cut off, at %s of it, when the server can say that nothing changed",
    async (share) => {
      const bytes = Math.floor(ARCHIVE.length * share);
      server.answer = inTurn(cutOff(ARCHIVE, bytes, { etag: ETAG }), (request, response) => {
        const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
        if (start > 0) expect(request.headers["if-range"]).toBe(ETAG);
        response.writeHead(start > 0 ? 206 : 200, {
          etag: ETAG,
          "content-length": ARCHIVE.length - start,
          ...(start > 0 && { "content-range": `bytes ${start}-${ARCHIVE.length - 1}/${ARCHIVE.length}` }),
        });
        response.end(ARCHIVE.subarray(start));
      });
      const { code } = await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE) });
      expect(code).toBe(0);
      expect(server.requests).toHaveLength(2);
      expect(server.requests[1]?.headers.range).toBe(bytes > 0 ? `bytes=${bytes}-` : undefined);
      expect(Object.keys(pod.served() ?? {})).toHaveLength(4);
    },
  );

  test.each([
    ["no ETag", {}],
    ["a weak ETag", { etag: 'W/"first"' }],
  ])("D06 starts anew after a cut with %s", async (_, headers) => {
    server.answer = inTurn(cutOff(ARCHIVE, 20_000, headers), send(ARCHIVE));
    expect((await pod.fetch()).code).toBe(0);
    expect(server.requests[1]?.headers.range).toBeUndefined();
  });

  test("D04 takes the whole archive when the server ignores the range", async () => {
    server.answer = inTurn(cutOff(ARCHIVE, 20_000, { etag: ETAG }), send(ARCHIVE, { etag: ETAG }));
    expect((await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE) })).code).toBe(0);
    expect(server.requests[1]?.headers.range).toBe("bytes=20000-");
  });

  test.each([
    ["another start", { "content-range": `bytes 19999-${ARCHIVE.length - 1}/${ARCHIVE.length}` }],
    ["no Content-Range", {}],
    ["another total", { "content-range": `bytes 20000-20009/20005` }],
    [
      "D06: another ETag",
      { "content-range": `bytes 20000-${ARCHIVE.length - 1}/${ARCHIVE.length}`, etag: '"other"' },
    ],
  ])("D05 throws away what continues with %s, and starts anew", async (_, headers) => {
    server.answer = inTurn(
      cutOff(ARCHIVE, 20_000, { etag: ETAG }),
      (_request, response) => {
        response.writeHead(206, headers as Record<string, string>);
        response.end(ARCHIVE.subarray(20_000));
      },
      send(ARCHIVE),
    );
    const { code, log } = await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE) });
    expect(log).toContain("starts anew");
    expect(code).toBe(0);
    expect(server.requests[2]?.headers.range).toBeUndefined();
  });

  test("D05 refuses what continues with other bytes, for its digest is wrong", async () => {
    server.answer = inTurn(
      cutOff(ARCHIVE, 20_000, { etag: ETAG }),
      (_request, response) => {
        response.writeHead(206, { "content-range": `bytes 20000-${ARCHIVE.length - 1}/${ARCHIVE.length}` });
        response.end(Buffer.alloc(ARCHIVE.length - 20_000, "x"));
      },
      send(ARCHIVE),
    );
    const { code, log } = await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE) });
    expect(log).toContain("SHA-256 is not the one of fetch.sha256");
    expect(code).toBe(0);
  });

  test("never serves a body that stays cut off, and says so in the termination message", async () => {
    server.answer = cutOff(ARCHIVE, 20_000);
    const { code, terminationMessage } = await pod.fetch({ TIME_LIMIT_SECONDS: "1", CACHE_FOLDER: "" });
    expect(code).toBe(1);
    expect(terminationMessage).toContain("Not fetched within 1 s");
    expect(terminationMessage).toContain("cut off after 20000 bytes");
    expect(pod.served()).toBeUndefined();
    expect(pod.leftovers()).toEqual([]);
  });

  test("D08 serves nothing when the announced length is shorter than the archive", async () => {
    server.answer = (_request, response) => {
      response.socket?.end(
        Buffer.concat([
          Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${ARCHIVE.length - 9}\r\n\r\n`),
          ARCHIVE,
        ]),
      );
    };
    const { code, terminationMessage } = await pod.fetch();
    expect(code).toBe(1);
    expect(terminationMessage).toContain("its compression does not hold");
    expect(pod.served()).toBeUndefined();
  });

  test.each([
    ["Repr-Digest", { "repr-digest": `sha-512=:AAAA:, sha-256=:${base64(ARCHIVE)}:` }],
    ["Content-Digest", { "content-digest": `sha-256=:${base64(ARCHIVE)}:` }],
    ["x-amz-checksum-sha256", { "x-amz-checksum-sha256": base64(ARCHIVE) }],
    ["a sum of sums, which says nothing", { "x-amz-checksum-sha256": `${base64(Buffer.from(""))}-3` }],
  ])("accepts the right digest in %s", async (_, headers) => {
    server.answer = send(ARCHIVE, headers);
    expect((await pod.fetch()).code).toBe(0);
  });

  test.each(["repr-digest", "content-digest", "x-amz-checksum-sha256"])(
    "never serves an archive of another digest than %s says",
    async (name) => {
      const other = base64(Buffer.from("other"));
      server.answer = send(ARCHIVE, { [name]: name.startsWith("x-") ? other : `sha-256=:${other}:` });
      const { code, terminationMessage } = await pod.fetch();
      expect(code).toBe(1);
      expect(terminationMessage).toContain(
        "Not unpacked, in 3 attempts: the archive's SHA-256 is not the one that",
      );
      expect(pod.served()).toBeUndefined();
    },
  );

  test("goes by the digest of the last reply, not of a redirect's", async () => {
    server.answer = inTurn(
      refuse(302, { location: "/else", "repr-digest": `sha-256=:${base64(Buffer.from("page"))}:` }),
      send(ARCHIVE, { "repr-digest": `sha-256=:${base64(ARCHIVE)}:` }),
    );
    expect((await pod.fetch()).code).toBe(0);
  });

  test("never serves an archive of another digest than fetch.sha256, and takes that in upper case too", async () => {
    expect((await pod.fetch({ BUNDLE_SHA256: hex(Buffer.from("other")) })).code).toBe(1);
    expect(pod.served()).toBeUndefined();
    expect((await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE).toUpperCase() })).code).toBe(0);
  });

  test("D09 asks for the bytes as they are, and copes with a server that compresses once more", async () => {
    const twice = gzipSync(ARCHIVE);
    server.answer = send(twice, { "content-encoding": "gzip", "repr-digest": `sha-256=:${base64(twice)}:` });
    expect((await pod.fetch()).code).toBe(0);
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("identity");
    expect(pod.served()).toMatchObject({ "index.html": "<h1>Start</h1>" });
  });

  test.each([500, 502, 503, 504, 408, 425, 429])("D13 tries again after HTTP %s", async (status) => {
    server.answer = inTurn(refuse(status), refuse(status), send(ARCHIVE));
    const { code, log } = await pod.fetch();
    expect(code).toBe(0);
    expect(log).toMatch(new RegExp(`Attempt 1: .* answered HTTP ${status}. Next attempt in 0.0\\d\\d s`));
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    ["1", 1000, 1450],
    ["86400", 1500, 2500],
    ["007654321098", 1500, 2500],
    ["0", 0, 500],
    ["-5", 0, 500],
    ["soon", 0, 500],
    ["1.5", 0, 500],
  ])("waits as Retry-After: %s says, within bounds", async (retryAfter, leastMs, mostMs) => {
    server.answer = inTurn(refuse(503, { "retry-after": retryAfter }), send(ARCHIVE));
    expect((await pod.fetch()).code).toBe(0);
    const [first, second] = server.requests;
    const waitedMs = (second?.timeMs ?? 0) - (first?.timeMs ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(leastMs);
    expect(waitedMs).toBeLessThan(mostMs);
  });

  test("tries again when a connection drips", async () => {
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

  test("says when there is no connection", async () => {
    pod.writeSecret(`http://127.0.0.1:9/bundle?${CANARY}`);
    const refused = await pod.fetch({ TIME_LIMIT_SECONDS: "1" });
    expect(refused.terminationMessage).toContain("no answer from 127.0.0.1:9 (no connection)");
  });

  test("says when a host is not found", async () => {
    pod.writeSecret(`http://store.invalid/bundle?${CANARY}`);
    const { code, terminationMessage } = await pod.fetch({ TIME_LIMIT_SECONDS: "1" });
    expect(code).toBe(1);
    expect(terminationMessage).toContain("no answer from store.invalid (the host name was not found)");
  });

  test("D14 follows a redirect, also to another host, without any header of permission", async () => {
    const other = await startArchiveServer(send(ARCHIVE));
    server.answer = refuse(307, {
      location: `${other.url.replace("127.0.0.1", "localhost")}/moved?${CANARY}`,
    });
    const { code, log } = await pod.fetch();
    await other.close();
    expect(code).toBe(0);
    expect(other.requests[0]?.headers).not.toHaveProperty("authorization");
    expect(log).not.toContain(CANARY);
  });

  test.each([
    ["to a file", "file:///etc/passwd"],
    ["to another protocol", "ftp://127.0.0.1/x"],
    ["in a circle", "/bundle.tar.gz"],
  ])("D14 does not follow a redirect %s", async (_, location) => {
    server.answer = refuse(302, { location });
    const { code, terminationMessage } = await pod.fetch({ TIME_LIMIT_SECONDS: "1" });
    expect(code).toBe(1);
    expect(terminationMessage).toContain("redirects, and where to is not allowed");
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  test("stops an archive that is too large, announced or not", async () => {
    const cap = { MAX_ARCHIVE_BYTES: "10240" };
    const announced = await pod.fetch(cap);
    expect(announced.code).toBe(1);
    expect(announced.terminationMessage).toContain("larger than fetch.maxArchiveBytes (10240)");
    let sent = 0;
    server.answer = (_request, response) => {
      response.writeHead(200); // in chunks, without end
      const more = () => {
        while (!response.destroyed && response.write(RANDOM)) sent += RANDOM.length;
        sent += RANDOM.length;
      };
      response.on("drain", more);
      more();
    };
    const endless = await pod.fetch(cap);
    expect(endless.code).toBe(1);
    expect(endless.terminationMessage).toContain("larger than fetch.maxArchiveBytes (10240)");
    expect(sent).toBeLessThan(20_000_000);
    expect(pod.leftovers()).toEqual([]);
  });

  test("D10 says when the site's folder cannot be written", async () => {
    const { code, terminationMessage } = await pod.fetch({ SITE_FOLDER: "/proc/nowhere" });
    expect(code).toBe(1);
    expect(terminationMessage).toContain("The folder for the site cannot be written");
  });

  test("ends at once when the pod is taken down", async () => {
    server.answer = () => undefined; // never answers
    const run = await pod.start();
    await expect.poll(() => server.requests.length).toBe(1);
    run.kill("SIGTERM");
    const { code, seconds } = await run.ended;
    expect(code).toBe(143);
    expect(seconds).toBeLessThan(5);
    expect(pod.leftovers()).toEqual([]);
  });
});
