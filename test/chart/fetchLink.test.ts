import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { type ArchiveServer, cutOff, inTurn, refuse, send, startArchiveServer } from "./archiveServer.ts";
import { CANARY, CONTENT, filesThatHold, isInSomeProcess, type PodFolders, SYSTEMS } from "./fetchRun.ts";
import { podBesideStore, refused } from "./podBesideStore.ts";
import { SITE, tarGz } from "./tarArchive.ts";

const ARCHIVE = tarGz(SITE);
const ONE_SECOND = { TIME_LIMIT_SECONDS: "1" };

describe.each(shortened(SYSTEMS))("with %s, the link", (system) => {
  let pod: PodFolders;
  let server: ArchiveServer;
  beforeEach(async (context) => {
    ({ pod, server } = await podBesideStore(context, system, ARCHIVE));
  });

  test.each([
    "/a,b?x=1,2",
    "/{a,b}[1-3]?q={c}&r=[4-6]",
    "/a%2Fb%20c%7B?sig=a%2Bb%3D%3D&x=%",
    "/a?q=a\\b\\\\c",
    "/a?q=\"quoted\"'single'`back`",
    "/a?q=$(touch${IFS}x)$HOME$$&b=;|<>^~!*",
    "/a/../b/./c//d?x=/../y",
    "/a?b=1&a=2&b=3&=&&",
    "/a?plus=+&at=@x&colon=:",
    `/a?long=${"x".repeat(65_000)}`,
  ])("U09 reaches the store byte for byte: %.60s", async (target) => {
    pod.writeSecret(server.url + target);
    expect((await pod.fetch()).code).toBe(0);
    expect(server.requests.map((request) => request.target)).toEqual([target]);
  });

  test.each<[string, string, string, environment?: Record<string, string>]>([
    ["a space", `https://store.example.com/a b?${CANARY}`, "contains a space or a control character"],
    [
      "a line break",
      `https://store.example.com/a\nurl=b?${CANARY}`,
      "contains a space or a control character",
    ],
    ["a password", `https://user:${CANARY}@store.example.com/a`, "contains a user name or password"],
    ["another protocol", `file:///etc/passwd?${CANARY}`, "is not an https: URL"],
    ["no host", `https:///a?${CANARY}`, "host is not a host name"],
    ["a quote in its host", `https://a"b/?${CANARY}`, "host is not a host name"],
    [
      "http: unless that is allowed",
      `http://store.example.com/a?${CANARY}`,
      "The link is http:, not https:. To allow it, set fetch.allowHttp to true",
      { ALLOW_HTTP: "false" },
    ],
    ["a port that is none", `https://store.example.com:x/${CANARY}`, "host is not a host name"],
    ["two dots at the end of its host", `https://store.example.com../${CANARY}`, "host is not a host name"],
  ])("is not used with %s, and the message does not quote it", async (_, link, reason, settings) => {
    pod.writeSecret(link);
    const message = await refused(pod, { ...ONE_SECOND, ...settings });
    expect(message).toMatch(/^Not fetched within 1 s. Last problem: /);
    expect(message).toContain(reason);
  });

  test("is in no process, no output and no file but the Secret's, also when everything fails", async () => {
    server.answer = inTurn(
      refuse(307, { location: `/moved?${CANARY}` }),
      cutOff(ARCHIVE, 200, { etag: `"e"` }),
      refuse(500),
      refuse(403),
    );
    const run = await pod.start({ TIME_LIMIT_SECONDS: "5" });
    let reads = 0;
    while (run.isRunning) {
      reads++;
      expect(isInSomeProcess(CANARY)).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { log, terminationMessage } = await run.ended;
    expect(reads).toBeGreaterThan(10);
    expect(server.requests.length).toBeGreaterThanOrEqual(4);
    expect(log + terminationMessage).not.toContain(CANARY);
    expect(log + terminationMessage).not.toContain("/bundle.tar.gz");
    expect(filesThatHold(CANARY, pod.root).filter((path) => !path.includes("/secret/"))).toEqual([]);
  });

  test.each([400, 401, 403, 404, 410])(
    "D01 D02 refused with HTTP %s makes the pod wait, and a renewed one is used at once",
    async (status) => {
      server.answer = inTurn(refuse(status), send(ARCHIVE));
      const run = await pod.start();
      // written after the line in the log
      await expect.poll(() => run.terminationMessage).toContain(`the link was refused (HTTP ${status})`);
      await expect.poll(() => run.log).toContain(`the link was refused (HTTP ${status})`);
      expect(run.log).toContain(
        "Run `pulumi up`: it renews the link, and this pod then continues by itself.",
      );
      pod.writeSecret(`${server.url}/fresh?${CANARY}`);
      const { code, log } = await run.ended;
      expect(log).toContain("The Secret was renewed: trying its link.");
      expect(code).toBe(0);
      expect(server.requests.map(({ target }) => target.split("?")[0])).toEqual(["/bundle.tar.gz", "/fresh"]);
    },
  );

  test("refused is reported repeatedly but not all the time, and the run ends with the reason", async () => {
    server.answer = refuse(403);
    const { code, log, terminationMessage } = await pod.fetch({ TIME_LIMIT_SECONDS: "2", CACHE_FOLDER: "" });
    expect(code).toBe(1);
    // at 0, 0.6, 1.2 and 1.8 s; a busy machine is late
    const times = log.match(/it has probably expired\. Run `pulumi up`/g)?.length;
    expect(times).toBeGreaterThanOrEqual(2);
    expect(times).toBeLessThanOrEqual(4);
    expect(server.requests).toHaveLength(1);
    expect(terminationMessage).toMatch(
      /^Not fetched within 2 s. Last problem: the link was refused \(HTTP 403\)/,
    );
  });

  test("refused is still tried again from time to time, because some stores err", async () => {
    server.answer = inTurn(refuse(403), refuse(403), send(ARCHIVE));
    expect((await pod.fetch({ REFUSED_RETRY_MS: "100" })).code).toBe(0);
  });

  test.each(["no file", "an empty one"])(
    "of the pod's content is waited for while the Secret has %s for it",
    async (has) => {
      pod.writeSecret(`${server.url}/other?${CANARY}`, "fedcba9876543210");
      if (has === "an empty one") pod.writeSecret("");
      const run = await pod.start({ EXPORT_VERSION: "2030-01" });
      const message = "Waiting for the Secret: it has no link of this pod's content (version «2030-01») yet";
      await expect.poll(() => run.log).toContain(message);
      expect(run.terminationMessage).toContain(message);
      pod.writeSecret(`${server.url}/own?${CANARY}`);
      const { code, log } = await run.ended;
      expect(log).toContain("The Secret was renewed: trying its link.");
      expect(code).toBe(0);
      expect(server.requests.map(({ target }) => target)).toEqual([`/own?${CANARY}`]);
      expect(readFileSync(join(pod.site, "active.content"), "utf8")).toBe(CONTENT);
    },
  );

  test("of another content is never used, however late the pod's own is", async () => {
    pod.writeSecret(`${server.url}/other?${CANARY}`, "fedcba9876543210");
    expect(await refused(pod, ONE_SECOND)).toContain(
      "Not fetched within 1 s. Last problem: the Secret has no link",
    );
    expect(server.requests).toEqual([]);
  });

  test("is not waited for without a content id", async () => {
    expect(await refused(pod, { CONTENT_ID: "" })).toBe("CONTENT_ID is not set\n");
  });

  test("may have a version of any characters, of which one line is printed", async () => {
    const version = "v 1 «ü» $(HOME) %s \\n 'x' \"y\" *";
    const { code, log } = await pod.fetch({ EXPORT_VERSION: `${version}\nmore` });
    expect(code).toBe(0);
    expect(log).toContain(`Serving version «${version}»`);
    expect(log).not.toContain("more");
  });

  test("may have a host with a dot at its end, which no search domain completes", async () => {
    pod.replaceProgram("getent", '[ "$2" = store.example.com. ] && echo "127.0.0.1 STREAM"');
    pod.writeSecret(`${server.url.replace("127.0.0.1", "store.example.com.")}/a?${CANARY}`);
    const { code, log } = await pod.fetch(ONE_SECOND);
    expect(log).toContain("from store.example.com.");
    expect(code).toBe(0);
  });

  test("with http: goes to the proxy of HTTP_PROXY, which curl itself does not read", async () => {
    pod.writeSecret(`http://store.invalid/a?${CANARY}`);
    expect((await pod.fetch({ HTTP_PROXY: server.url })).code).toBe(0);
    expect(server.requests.map(({ target }) => target)).toEqual([`http://store.invalid/a?${CANARY}`]);
  });

  describe("over https:", () => {
    const folder = mkdtempSync(join(tmpdir(), "certificates-"));
    const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", keyFile];
    execFileSync("openssl", ["req", "-x509", ...key, "-days", "2", "-out", certFile, ...subject], {
      stdio: "ignore",
    });
    chmodSync(folder, 0o755);
    const tls = { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
    rmSync(keyFile);

    let secure: ArchiveServer;
    beforeEach(async () => {
      secure = await startArchiveServer(send(ARCHIVE), tls);
    });
    afterEach(() => secure.close());

    test("is only used with a trusted certificate", async () => {
      pod.writeSecret(`${secure.url}/?${CANARY}`);
      expect(await refused(pod, ONE_SECOND)).toContain("the server's certificate is not trusted");
      expect(secure.requests).toEqual([]);
      expect((await pod.fetch({ CERTIFICATE_AUTHORITY: certFile, ALLOW_HTTP: "false" })).code).toBe(0);
    });

    test("reports a certificate of another name, and an expired one, each as what it is", async () => {
      pod.writeSecret(`${secure.url.replace("127.0.0.1", "localhost")}/?${CANARY}`);
      const other = await refused(pod, { CERTIFICATE_AUTHORITY: certFile, ...ONE_SECOND });
      expect(other).toContain("the server's certificate is for another name than localhost");

      const expired = await startArchiveServer(send(ARCHIVE), expiredCertificate(folder));
      pod.writeSecret(`${expired.url}/?${CANARY}`);
      const authority = { CERTIFICATE_AUTHORITY: join(folder, "expired.pem") };
      expect(await refused(pod, { ...authority, ...ONE_SECOND })).toContain(
        "the server's certificate has expired",
      );
      await expired.close();
    });

    test("D14 never follows a redirect to http:, even where http: is allowed", async () => {
      pod.writeSecret(`${secure.url}/?${CANARY}`);
      secure.answer = refuse(302, { location: `${server.url}/?${CANARY}` });
      expect(await refused(pod, { CERTIFICATE_AUTHORITY: certFile, ...ONE_SECOND })).toContain(
        "redirects in a way that is not allowed (at most 3 times, and only to https URLs)",
      );
      expect(server.requests).toEqual([]);
    });
  });
});

/** Its own authority, of the year 2020. */
function expiredCertificate(folder: string): { key: string; cert: string } {
  const file = (name: string) => join(folder, name);
  writeFileSync(file("index"), "");
  writeFileSync(
    file("ca.conf"),
    `[ca]\ndefault_ca = own\n[own]\ndatabase = ${file("index")}\nnew_certs_dir = ${folder}\n` +
      "rand_serial = yes\ndefault_md = sha256\npolicy = any\n[any]\ncommonName = supplied\n" +
      "[names]\nsubjectAltName = IP:127.0.0.1\n",
  );
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    ...key,
    "-keyout",
    file("expired.key"),
    "-out",
    file("expired.csr"),
    "-subj",
    "/CN=127.0.0.1",
  );
  const dates = ["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"];
  const own = ["-selfsign", "-keyfile", file("expired.key"), "-extensions", "names", ...dates];
  openssl(
    "ca",
    "-batch",
    "-notext",
    "-config",
    file("ca.conf"),
    ...own,
    "-in",
    file("expired.csr"),
    "-out",
    file("expired.pem"),
  );
  const read = (name: string) => readFileSync(file(name), "utf8");
  const made = { key: read("expired.key"), cert: read("expired.pem") };
  rmSync(file("expired.key"));
  return made;
}
