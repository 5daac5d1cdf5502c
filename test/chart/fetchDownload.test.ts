import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type Answer,
  type ArchiveServer,
  cutOff,
  inTurn,
  refuse,
  send,
  slowly,
  startArchiveServer,
} from "./archiveServer.ts";
import { CANARY, type FetchRun, filesThatHold, type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";
import { SITE, tar, tarGz } from "./tarArchive.ts";

/** Large enough to be cut off in the middle: no compression makes it smaller. */
const RANDOM = Buffer.concat(
  Array.from({ length: 1_250 }, (_, index) => createHash("sha256").update(String(index)).digest()),
);
const ARCHIVE = tarGz([...SITE, { name: "picture.bin", content: RANDOM }]);
const ETAG = '"first"';
const SMALL = { MAX_ARCHIVE_BYTES: "10240" };
const TOO_LARGE = "larger than fetch.maxArchiveBytes (10240)";

const base64 = (content: Buffer) => createHash("sha256").update(content).digest("base64");
const hex = (content: Buffer) => createHash("sha256").update(content).digest("hex");

const OTHER = base64(Buffer.from("other"));
/** What continues an archive that was cut off after 20,000 bytes. */
const REST = `bytes 20000-${ARCHIVE.length - 1}/${ARCHIVE.length}`;

const continued =
  (headers: Record<string, string>, body = ARCHIVE.subarray(20_000)): Answer =>
  (_request, response) => {
    response.writeHead(206, { "content-length": body.length, ...headers });
    response.end(body);
  };

const longerThanAnnounced: Answer = (_request, response) => {
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${ARCHIVE.length - 9}\r\n\r\n`;
  response.socket?.end(Buffer.concat([Buffer.from(head), ARCHIVE]));
};

describe.each(SYSTEMS)("with %s, the download", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, ARCHIVE));
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
    ["D06 starts anew after a cut without an ETag", {}, undefined],
    ["D06 starts anew after a cut with a weak ETag", { etag: 'W/"first"' }, undefined],
    ["D04 takes the whole archive when the server ignores the range", { etag: ETAG }, "bytes=20000-"],
  ])("%s", async (_, headers, range) => {
    server.answer = inTurn(cutOff(ARCHIVE, 20_000, headers), send(ARCHIVE, headers));
    expect((await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE) })).code).toBe(0);
    expect(server.requests[1]?.headers.range).toBe(range);
  });

  test.each<[string, Answer, told?: string]>([
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
  ])("%s: throws away what continues so, and starts anew", async (_, answer, told) => {
    server.answer = inTurn(cutOff(ARCHIVE, 20_000, { etag: ETAG }), answer, send(ARCHIVE));
    const { code, log } = await pod.fetch({ BUNDLE_SHA256: hex(ARCHIVE) });
    expect(log).toContain(told ?? "starts anew");
    expect(code).toBe(0);
    expect(server.requests[2]?.headers.range).toBeUndefined();
  });

  describe("goes on when the container is started again", () => {
    const WHOLE = { BUNDLE_SHA256: hex(ARCHIVE) };
    const IN_PART = { TIME_LIMIT_SECONDS: "1", CACHE_FOLDER: "" };

    test("after time limits, SIGKILL and SIGTERM, asking for little more than the archive", async () => {
      const sent = { bytes: 0 };
      server.answer = slowly(ARCHIVE, ETAG, ARCHIVE.length / 12, sent);
      const cutBy = async (end: (run: FetchRun) => void) => {
        const [before, run] = [sent.bytes, await pod.start()];
        await expect.poll(() => sent.bytes - before, { interval: 20 }).toBeGreaterThan(ARCHIVE.length / 12);
        end(run);
        await run.ended;
        run.kill(); // also what the end of the first process would have ended in a container
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
      expect(server.requests.map(({ headers }) => headers["if-match"]).slice(1)).toEqual(Array(4).fill(ETAG));
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
    ])("but begins anew after %s, and leaves nothing on the volume", async (_, headers) => {
      server.answer = cutOff(ARCHIVE, 20_000, headers);
      await refused(pod, IN_PART);
      server.answer = send(ARCHIVE);
      expect((await pod.fetch(WHOLE)).code).toBe(0);
      expect(server.requests.at(-1)?.headers.range).toBeUndefined();
    });

    test("but begins anew when it was killed while another archive came from the middle", async () => {
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

    test("with the digest that was announced at first", async () => {
      server.answer = cutOff(ARCHIVE, 20_000, { etag: ETAG, "repr-digest": `sha-256=:${OTHER}:` });
      await pod.fetch(IN_PART);
      server.answer = continued({ "content-range": REST, etag: ETAG });
      expect((await pod.fetch(IN_PART)).log).toContain("SHA-256 is not the one that");
    });

    // busybox's shell has the program in itself
    if (system !== "busybox") {
      test("without another request when all had come and only unpacking was cut off", async () => {
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

    test("keeps no link on the volume, whenever it is killed", async () => {
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
      "Not unpacked, in 3 attempts: the archive's SHA-256 is not the one that",
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

  test("goes by the digest of the last reply, not of a redirect's", async () => {
    server.answer = inTurn(
      refuse(302, { location: "/else", "repr-digest": `sha-256=:${OTHER}:` }),
      send(ARCHIVE, { "repr-digest": `sha-256=:${base64(ARCHIVE)}:` }),
    );
    expect((await pod.fetch()).code).toBe(0);
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

  test.each<[string, RegExp, number]>([
    ["1", /1\.000 s/, 1000],
    ["86400", /1\.500 s/, 1500],
    ["007654321098", /1\.500 s/, 1500],
    ["0", /0\.0\d\d s/, 0],
    ["-5", /0\.0\d\d s/, 0],
    ["soon", /0\.0\d\d s/, 0],
    ["1.5", /0\.0\d\d s/, 0],
  ])("waits as Retry-After: %s says, within bounds", async (retryAfter, told, leastMs) => {
    server.answer = inTurn(refuse(503, { "retry-after": retryAfter }), send(ARCHIVE));
    const { code, log } = await pod.fetch();
    expect(code).toBe(0);
    expect(log).toMatch(new RegExp(`Next attempt in ${told.source}`));
    const [first, second] = server.requests;
    expect((second?.timeMs ?? 0) - (first?.timeMs ?? 0)).toBeGreaterThanOrEqual(leastMs);
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

  test.each([
    ["127.0.0.1:9", "no connection"],
    ["store.invalid", "the host name was not found"],
  ])("says of %s: %s", async (host, why) => {
    pod.writeSecret(`http://${host}/bundle?${CANARY}`);
    expect(await refused(pod, { TIME_LIMIT_SECONDS: "1" })).toContain(`no answer from ${host} (${why})`);
  });

  test("D14 follows a redirect, also to another host, without any header of permission", async () => {
    const other = await startArchiveServer(send(ARCHIVE));
    const location = `${other.url.replace("127.0.0.1", "localhost")}/moved?${CANARY}`;
    server.answer = refuse(307, { location });
    const { code, log } = await pod.fetch();
    await other.close();
    expect(code).toBe(0);
    expect(other.requests[0]?.headers).not.toHaveProperty("authorization");
    expect(log).not.toContain(CANARY);
  });

  describe("D16 never asks a link-local address or one of a cloud's metadata", () => {
    const TOLD = "The link leads to a link-local address or one of a cloud's metadata";
    const SPELLINGS = [
      "169.254.169.254",
      "169.254.0.1:8080",
      "[::ffff:169.254.169.254]",
      "[0:0:0:0:0:ffff:a9fe:a9fe]",
      "[64:ff9b::a9fe:a9fe]",
      "[fe80::1]",
      "[FEBF:0::1]",
      "[fd00:ec2::254]",
      "[fd00:0ec2:0:0::0254]:80",
      "168.63.129.16",
    ];
    const STRANGE = [
      "2852039166",
      "0xa9fea9fe",
      "0xA9.0xfe.0xa9.0xfe",
      "0251.0376.0251.0376",
      "169.16689662",
      "169.254.43518",
      "169.254.169.254.",
      "0169.254.169.254",
    ];

    // a proxy would be asked for any address, so that one can see here what is
    const proxied = () => ({ http_proxy: server.url, TIME_LIMIT_SECONDS: "1", CACHE_FOLDER: "" });

    test.each(SPELLINGS)("as %s", async (host) => {
      pod.writeSecret(`http://${host}/latest/meta-data?${CANARY}`);
      expect(await refused(pod, proxied())).toContain(TOLD);
      expect(server.requests).toEqual([]);
    });

    test.each(STRANGE)("as %s", async (host) => {
      pod.writeSecret(`http://${host}/latest/meta-data?${CANARY}`);
      expect(await refused(pod, proxied())).toContain("The link's host is not a host name");
      expect(server.requests).toEqual([]);
    });

    test("by a name that leads there, also beside other addresses", async () => {
      pod.replaceProgram("getent", "echo '127.0.0.1 STREAM'; echo '169.254.169.254 STREAM'");
      pod.writeSecret(`http://store.test/?${CANARY}`);
      expect(await refused(pod, proxied())).toContain(`${TOLD}, by way of store.test`);
      expect(server.requests).toEqual([]);
    });

    test.each([...SPELLINGS, ...STRANGE])("by a redirect to %s", async (host) => {
      server.answer = refuse(302, { location: `http://${host}/latest/meta-data` });
      const told = await refused(pod, { TIME_LIMIT_SECONDS: "1", CACHE_FOLDER: "" });
      // curl itself writes strange ones as addresses here
      expect(told).toMatch(new RegExp(`${TOLD}|where to is not allowed`));
      expect(server.requests).toHaveLength(1);
    });
  });

  test("connects to the addresses that were looked at, wherever the name leads by then", async () => {
    pod.replaceProgram("getent", "echo '127.0.0.1 STREAM store.test'; echo '127.0.0.1 DGRAM'");
    pod.writeSecret(`http://store.test:${new URL(server.url).port}/?${CANARY}`);
    expect((await pod.fetch()).code).toBe(0);
    expect(server.requests[0]?.headers.host).toContain("store.test");
  });

  test("leaves names to a proxy that only it can find", async () => {
    pod.writeSecret(`http://store.invalid/bundle?${CANARY}`);
    expect((await pod.fetch({ http_proxy: server.url })).code).toBe(0);
    expect(server.requests[0]?.target).toContain("store.invalid");
  });

  test.each([
    ["to a file", "file:///etc/passwd"],
    ["to another protocol", "ftp://127.0.0.1/x"],
    ["in a circle", "/bundle.tar.gz"],
  ] as const)("D14 does not follow a redirect %s", async (_, location) => {
    server.answer = refuse(302, { location });
    const reason = await refused(pod, { TIME_LIMIT_SECONDS: "1" });
    expect(reason).toContain("redirects, and where to is not allowed");
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  test("stops an archive without end when it is too large", async () => {
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

  test("ends at once when the pod is taken down", async () => {
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
