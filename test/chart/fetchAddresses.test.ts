import { beforeEach, describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { type ArchiveServer, refuse, send, startArchiveServer } from "./archiveServer.ts";
import { CANARY, type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { ARCHIVE } from "./largeArchive.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";

describe.each(shortened(SYSTEMS))("with %s, the download", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, ARCHIVE));
  });

  test.each([
    ["127.0.0.1:9", "no connection"],
    ["store.invalid", "the host name was not found"],
  ])("reports %s: %s", async (host, why) => {
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

  describe("D16 never sends a request to a link-local address or a cloud's metadata service", () => {
    const REFUSAL = "The link leads to a link-local address or a cloud's metadata service";
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

    // a proxy gets requests for any address, so that the test sees them here
    const proxied = () => ({ http_proxy: server.url, TIME_LIMIT_SECONDS: "1", CACHE_FOLDER: "" });

    test.each(SPELLINGS)("as %s", async (host) => {
      pod.writeSecret(`http://${host}/latest/meta-data?${CANARY}`);
      expect(await refused(pod, proxied())).toContain(REFUSAL);
      expect(server.requests).toEqual([]);
    });

    test.each(STRANGE)("as %s", async (host) => {
      pod.writeSecret(`http://${host}/latest/meta-data?${CANARY}`);
      expect(await refused(pod, proxied())).toContain("The link's host is not a host name");
      expect(server.requests).toEqual([]);
    });

    test("by a name that resolves to one, also beside other addresses", async () => {
      pod.replaceProgram("getent", "echo '127.0.0.1 STREAM'; echo '169.254.169.254 STREAM'");
      pod.writeSecret(`http://store.test/?${CANARY}`);
      expect(await refused(pod, proxied())).toContain(`${REFUSAL}, through store.test`);
      expect(server.requests).toEqual([]);
    });

    test.each([...SPELLINGS, ...STRANGE])("by a redirect to %s", async (host) => {
      server.answer = refuse(302, { location: `http://${host}/latest/meta-data` });
      const message = await refused(pod, { TIME_LIMIT_SECONDS: "1", CACHE_FOLDER: "" });
      // curl itself normalizes strange addresses here
      expect(message).toMatch(new RegExp(`${REFUSAL}|in a way that is not allowed`));
      expect(server.requests).toHaveLength(1);
    });
  });

  test("connects to the addresses that were checked, even if the name resolves to others later", async () => {
    pod.replaceProgram("getent", "echo '127.0.0.1 STREAM store.test'; echo '127.0.0.1 DGRAM'");
    pod.writeSecret(`http://store.test:${new URL(server.url).port}/?${CANARY}`);
    expect((await pod.fetch()).code).toBe(0);
    expect(server.requests[0]?.headers.host).toContain("store.test");
  });

  test("leaves names that only the proxy can resolve to the proxy", async () => {
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
    expect(reason).toContain("redirects in a way that is not allowed");
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });
});
