// Each test breaks one thing of a healthy machine. The command must name it and what to do, and must start no job.
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { runCommand } from "../../../provider/doctor/command.ts";
import type { Finding } from "../../../provider/doctor/finding.ts";
import { thisMachine } from "../../../provider/doctor/thisMachine.ts";
import { identity, trustAuthority } from "../../faults/certificates.ts";
import { connectProxy } from "../../faults/connectProxy.ts";
import { freeAddress, scriptedServer, type Answer } from "../../faults/scriptedServer.ts";
import { startBucketStub, STUB_BUCKET, stubError, stubOperation } from "../../simulation/bucketStub.ts";
import { FasterClock } from "../../simulation/fasterClock.ts";
import { startRegistryStub } from "../../simulation/registryStub.ts";
import { examined, healthyMachine, KEY, problemsOf, write, type Machine } from "./examined.ts";

/** Breaks the machine. @returns the options of the command */
type Break = (machine: Machine, context: TestContext) => Promise<string[] | undefined> | string[] | undefined;

interface Expected {
  readonly check: string;
  readonly status?: Finding["status"];
  readonly message: string | RegExp;
  readonly remedy: string | RegExp;
}

const replies =
  (status: string, ...headers: string[]): Answer =>
  (socket) =>
    socket.end([`HTTP/1.1 ${status}`, "content-length: 2", ...headers, "", "{}"].join("\r\n"));
/** An address of the service with TLS. */
async function overTls(machine: Machine, options: Parameters<typeof identity>[0]): Promise<void> {
  const server = await scriptedServer(replies("404 Not Found"), { identity: await identity(options) });
  machine.environment["DOCS_HOSTING_BASE_URL"] = server.baseUrl;
}
const signedBy = (pem: string | Buffer, machine: Machine): string[] => {
  machine.environment["SIGNING_KEY"] = pem.toString();
  return ["--signing-key-env", "SIGNING_KEY"];
};
const unset = (environment: Machine["environment"], name: string): undefined => {
  Reflect.deleteProperty(environment, name);
};
const repository = (host: string): string[] => ["--repository", `${host}/docs/site`];

const FAULTS: readonly (readonly [fault: string, Break, Expected])[] = [
  [
    "no base URL",
    ({ environment }) => unset(environment, "DOCS_HOSTING_BASE_URL"),
    { check: "base-url", message: "is not set", remedy: "pulumi config set docs-hosting:baseUrl" },
  ],
  [
    "a base URL with the version of the API",
    ({ environment, service }) => void (environment["DOCS_HOSTING_BASE_URL"] = `${service.url}/v1`),
    { check: "base-url", message: "DOCS_HOSTING_BASE_URL ends in /v1", remedy: /Write http.*:\d+$/ },
  ],
  [
    "a base URL of something else",
    ({ environment, service }) => void (environment["DOCS_HOSTING_BASE_URL"] = `${service.url}/wrong`),
    {
      check: "key-accepted",
      status: "warning",
      message: "with and without the key",
      remedy: "path and host of the base URL",
    },
  ],
  [
    "no key",
    ({ environment }) => unset(environment, "DOCS_HOSTING_ADMIN_API_KEY"),
    {
      check: "api-key",
      message: "the admin API key is not set",
      remedy: "--secret docs-hosting:adminApiKey",
    },
  ],
  [
    "a key of another kind",
    ({ environment }) => void (environment["DOCS_HOSTING_ADMIN_API_KEY"] = "pk_c4n4ry"),
    { check: "api-key", message: "its 9 characters do not begin with svc_", remedy: "API keys page" },
  ],
  [
    "a key with a line break",
    ({ environment }) => void (environment["DOCS_HOSTING_ADMIN_API_KEY"] = `${KEY}\n`),
    { check: "api-key", status: "warning", message: "white space around it", remedy: "Set it again" },
  ],
  [
    "a key that the service does not know",
    ({ service }) => service.setAdminApiKey("svc_rotated") as undefined,
    {
      check: "key-accepted",
      message: "the service rejected the API key",
      remedy: "DOCS_HOSTING_ADMIN_API_KEY",
    },
  ],
  [
    "a key without the right",
    ({ service }) => {
      service.intercept(() => ({ status: 403, body: { error: "the key may not read exports" } }));
      return undefined;
    },
    { check: "key-accepted", message: "the key may not read exports", remedy: "the API key lacks the scope" },
  ],
  [
    "a wrong port",
    async ({ environment }) => {
      const { host, port } = await freeAddress();
      environment["DOCS_HOSTING_BASE_URL"] = `http://${host}:${port}`;
      return undefined;
    },
    { check: "connection", message: "ECONNREFUSED", remedy: "Nothing listens at 127." },
  ],
  [
    "a port without TLS",
    ({ environment, service }) =>
      void (environment["DOCS_HOSTING_BASE_URL"] = service.url.replace("http:", "https:")),
    { check: "tls", message: "failed", remedy: "does not speak TLS" },
  ],
  [
    "a host that DNS does not know",
    (machine) => {
      machine.environment["DOCS_HOSTING_BASE_URL"] = "https://api.docs-host.test";
      machine.host.lookup = (_host, _options, callback) =>
        callback(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }), []);
      return undefined;
    },
    {
      check: "dns",
      message: "api.docs-host.test has no address (ENOTFOUND)",
      remedy: "Check the host in the base URL",
    },
  ],
  [
    "a proxy that refuses",
    async ({ environment }) => {
      environment["DOCS_HOSTING_BASE_URL"] = "https://api.docs-host.test";
      const proxy = await connectProxy(() => "HTTP/1.1 403 Forbidden\r\n\r\n");
      environment["HTTPS_PROXY"] = proxy.url.replace("//", "//me:c4n4ry@");
      return undefined;
    },
    {
      check: "proxy",
      message: /the proxy 127\.0\.0\.1:\d+ refused to connect to api\.docs-host\.test \(status 403\)/,
      remedy: "Check HTTPS_PROXY",
    },
  ],
  [
    "a proxy of another protocol",
    ({ environment }) => {
      environment["DOCS_HOSTING_BASE_URL"] = "https://api.docs-host.test";
      environment["HTTPS_PROXY"] = "socks5://127.0.0.1:1080";
      return undefined;
    },
    { check: "proxy", message: "HTTPS_PROXY is not the URL of an http(s) proxy", remedy: "NO_PROXY" },
  ],
  [
    "an expired certificate",
    async (machine) => {
      await trustAuthority();
      await overTls(machine, { days: -1 });
      return undefined;
    },
    { check: "tls", message: "is not trusted (CERT_HAS_EXPIRED)", remedy: "Renew the certificate" },
  ],
  [
    "a certificate that ends soon",
    async (machine) => {
      await trustAuthority();
      await overTls(machine, { days: 3 });
      return undefined;
    },
    {
      check: "tls",
      status: "warning",
      message: /certificate by Authority of the tests, valid until \d{4}-/,
      remedy: "Renew the certificate",
    },
  ],
  [
    "a certificate of an own authority",
    async (machine) => {
      await overTls(machine, { signed: false });
      return undefined;
    },
    { check: "tls", message: "is not trusted", remedy: "NODE_EXTRA_CA_CERTS to a file" },
  ],
  [
    "a certificate for another host",
    async (machine) => {
      await trustAuthority();
      await overTls(machine, { host: "other.docs-host.test" });
      return undefined;
    },
    {
      check: "tls",
      message: "ERR_TLS_CERT_ALTNAME_INVALID",
      remedy: "a host name that the certificate contains",
    },
  ],
  [
    "a file of authorities that is missing",
    ({ environment, folder }) => void (environment["NODE_EXTRA_CA_CERTS"] = join(folder, "ca.pem")),
    {
      check: "authorities",
      status: "warning",
      message: /ca\.pem of NODE_EXTRA_CA_CERTS cannot be read \(ENOENT\)/,
      remedy: "in PEM",
    },
  ],
  [
    "a file of authorities that is none",
    ({ environment, folder }) =>
      void (environment["NODE_EXTRA_CA_CERTS"] = write(join(folder, "ca.pem"), "DER")),
    { check: "authorities", status: "warning", message: "holds no certificate in PEM", remedy: "in PEM" },
  ],
  [
    "a service that is down",
    ({ service, host }) => {
      host.clock = new FasterClock(20);
      service.intercept(() => ({ status: 503, body: { error: "maintenance" } }));
      return undefined;
    },
    { check: "key-accepted", message: "answered 503: maintenance", remedy: "try again later" },
  ],
  [
    "a domain that is a URL",
    () => ["--domain", "https://docs.example.com"],
    { check: "domain", message: "--domain is a URL", remedy: "Correct it" },
  ],
  [
    "a job that does not exist",
    () => ["--job", "job-of-yesterday"],
    { check: "job", message: "answered 404", remedy: "Check the domain, the job id and the base URL" },
  ],
  [
    "an agent's job that failed",
    ({ service }) => {
      service.agentJobs.set("p1", { id: "a1", status: "failed" });
      return ["--job", "a1", "--project", "p1"];
    },
    { check: "job", status: "warning", message: "is failed", remedy: "Start the agent again" },
  ],
  [
    "a home folder that cannot be written",
    ({ environment, folder }) =>
      void (environment["PULUMI_HOME"] = join(write(join(folder, "file"), ""), "home")),
    { check: "pulumi-home", message: "ENOTDIR", remedy: "set PULUMI_HOME to another folder" },
  ],
  [
    "a temporary folder that cannot be written",
    ({ host, folder }) => void (host.temporaryFolder = write(join(folder, "tmp"), "")),
    { check: "temporary-folder", message: "ENOTDIR", remedy: "set TMPDIR to another folder" },
  ],
  [
    "a destination folder that is a file",
    ({ folder }) => ["--folder", write(join(folder, "copies"), "")],
    { check: "folder", message: "copies is a file", remedy: "the right to write" },
  ],
  [
    "a wrong login of a registry",
    async ({ environment, folder }) => {
      const { port } = await scriptedServer(replies("401 Unauthorized", 'www-authenticate: Basic realm="r"'));
      const auth = Buffer.from("me:c4n4ry-password").toString("base64");
      const auths = { [`127.0.0.1:${port}`]: { auth } };
      environment["DOCKER_CONFIG"] = join(
        write(join(folder, "docker/config.json"), JSON.stringify({ auths })),
        "..",
      );
      return [...repository(`127.0.0.1:${port}`), "--plain-http"];
    },
    { check: "registry", message: "answered 401", remedy: /log in|login/i },
  ],
  [
    "no login of a registry",
    async () => {
      const { port } = await scriptedServer(replies("401 Unauthorized", 'www-authenticate: Basic realm="r"'));
      return [...repository(`127.0.0.1:${port}`), "--plain-http"];
    },
    { check: "registry", message: "answered 401", remedy: "docker login" },
  ],
  [
    "a registry that is down",
    async ({ host }) => {
      host.clock = new FasterClock(20);
      const address = await freeAddress();
      return [...repository(`${address.host}:${address.port}`), "--plain-http"];
    },
    { check: "registry", message: "ECONNREFUSED", remedy: "that the registry is up" },
  ],
  [
    "a registry without referrers",
    async (machine) => {
      const { port } = await scriptedServer(replies("404 Not Found"));
      const { privateKey } = generateKeyPairSync("ed25519");
      const pem = privateKey.export({ type: "pkcs8", format: "pem" });
      return [...repository(`127.0.0.1:${port}`), "--plain-http", ...signedBy(pem, machine)];
    },
    {
      check: "referrers",
      status: "warning",
      message: "has no API for the referrers",
      remedy: "found by their tags",
    },
  ],
  [
    "a registry that refuses to write",
    async () => {
      const { port } = await scriptedServer((socket, request, number) =>
        replies(request.method === "POST" ? "403 Forbidden" : "404 Not Found")(socket, request, number),
      );
      return [...repository(`127.0.0.1:${port}`), "--plain-http", "--write"];
    },
    { check: "registry", message: "answered 403", remedy: "docker login" },
  ],
  [
    "a base image that is missing",
    async (_machine, context) => {
      const { host } = await startRegistryStub(context);
      return [...repository(host), "--plain-http", "--base", `${host}/nginx:1.30`];
    },
    { check: "base", message: "there is no image", remedy: "push that image" },
  ],
  [
    "a repository that is no name",
    () => ["--repository", "https://registry.example.com/Docs"],
    { check: "registry", message: "repository ", remedy: "Correct the option" },
  ],
  [
    "a bucket that does not exist",
    async (_machine, context) => {
      const store = await startBucketStub(context);
      await stubOperation(context);
      store.rule = () => stubError(404, "NoSuchBucket");
      return ["--bucket", STUB_BUCKET, "--endpoint", store.endpoint];
    },
    { check: "bucket", message: `there is no bucket ${STUB_BUCKET}`, remedy: "Make it" },
  ],
  [
    "a bucket that may not be written",
    async (_machine, context) => {
      const store = await startBucketStub(context);
      await stubOperation(context);
      store.rule = ({ method }) => (method === "PUT" ? stubError(403, "AccessDenied") : undefined);
      return ["--bucket", STUB_BUCKET, "--endpoint", store.endpoint, "--write"];
    },
    { check: "bucket", message: "s3:PutObject", remedy: "Allow these credentials s3:PutObject" },
  ],
  [
    "a signing key of a wrong type",
    (machine) => {
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
      return signedBy(privateKey.export({ type: "pkcs8", format: "pem" }), machine);
    },
    { check: "signing-key", message: "unsupported type (rsa)", remedy: "ECDSA" },
  ],
  [
    "an encrypted signing key",
    (machine) => {
      const { privateKey } = generateKeyPairSync("ed25519");
      const cipher = { cipher: "aes-256-cbc", passphrase: "c4n4ry" };
      return signedBy(privateKey.export({ type: "pkcs8", format: "pem", ...cipher }), machine);
    },
    { check: "signing-key", message: "has a passphrase", remedy: "openssl pkey" },
  ],
  [
    "a Node.js that is too old",
    ({ host }) => void (host.nodeVersion = "22.11.0"),
    { check: "node", message: "Node.js 22.11.0 is too old", remedy: "Install Node.js 22.12 or later" },
  ],
];

test.for(FAULTS)("%s is named, with what to do", async ([, breakIt, expected], context) => {
  const machine = await healthyMachine();
  const args = (await breakIt(machine, context)) ?? [];
  const result = await examined(machine, ...args);
  const { check, status = "failure", message, remedy } = expected;
  const found = result.findings.find((each) => each.check === check && each.status === status);
  expect(found, JSON.stringify(result.findings, null, 1)).toBeDefined();
  expect(found?.message).toMatch(message);
  expect(found?.remedy ?? "").toMatch(remedy);
  expect(result.exitCode).toBe(status === "failure" ? 1 : 0);
  expect(result.text).toMatch(message);
  const ofService = result.findings
    .map((each) => each.check)
    .filter((each) => each !== "registry" && each !== "bucket");
  expect(new Set(ofService).size).toBe(ofService.length);
  expect(machine.starts()).toBe(0);
});

test.each([10, -10])(
  "a clock that is %i min off is a failure that says in which direction",
  async (minutes) => {
    const machine = await healthyMachine({ now: () => Date.now() - minutes * 60_000 });
    const [problem, ...others] = problemsOf(await examined(machine));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      check: "clock",
      status: "failure",
      message: expect.stringMatching(
        minutes > 0 ? /(10m|9m 59s).* ahead of/ : /(10m|9m 5\ds).* behind/,
      ) as unknown,
      remedy: expect.stringContaining("NTP") as unknown,
    });
  },
);

test("a clock that is a minute off is a warning", async () => {
  const machine = await healthyMachine({ now: () => Date.now() - 60_500 });
  expect(problemsOf(await examined(machine))).toMatchObject([{ check: "clock", status: "warning" }]);
});

test("a plan without exports is known after a start, which starts no job", async () => {
  const machine = await healthyMachine();
  expect(problemsOf(await examined(machine, "--domain", "small.example.com"))).toEqual([]);
  expect(machine.starts()).toBe(0);
  const [problem] = problemsOf(await examined(machine, "--domain", "small.example.com", "--start"));
  expect(problem).toMatchObject({
    check: "start",
    status: "failure",
    message: expect.stringMatching(/answered 403.*plan/) as unknown,
    remedy: expect.stringContaining("enterprise plan") as unknown,
  });
});

test("a file of logins that is not JSON is named beside the refusal that follows from it", async () => {
  const machine = await healthyMachine();
  const { port } = await scriptedServer(replies("401 Unauthorized", 'www-authenticate: Basic realm="r"'));
  const file = write(join(machine.folder, "docker/config.json"), "{c4n4ry");
  machine.environment["DOCKER_CONFIG"] = join(file, "..");
  const result = await examined(machine, ...repository(`127.0.0.1:${port}`), "--plain-http");
  expect(problemsOf(result)).toMatchObject([
    { status: "warning", message: `${file} is not used for credentials of registries: it is not JSON` },
    { status: "failure", message: expect.stringContaining("answered 401") as unknown },
  ]);
});

test("a start without a reply is named: a job with an unknown id may run", async () => {
  const machine = await healthyMachine();
  machine.host.clock = new FasterClock(20);
  machine.service.intercept(({ method }) => (method === "POST" ? { hangUp: "processed" } : undefined));
  const problems = problemsOf(await examined(machine, "--domain", "docs.example.com", "--start"));
  expect(problems.map(({ check, status }) => `${check} ${status}`)).toContain("start failure");
  expect(problems.find(({ status }) => status === "warning")?.message).toMatch(
    /two jobs run|may have started a job/,
  );
});

test("an error of the checks themselves is reported, without secrets", async () => {
  const machine = await healthyMachine();
  machine.host.run = () => Promise.reject(new Error("svc_c4n4ry is in this text"));
  const { stdout, stderr, exitCode } = await runCommand(["doctor"], {
    ...thisMachine,
    ...machine.host,
    folder: machine.folder,
  });
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toBe(
    "pulumi-docs-hosting: internal error (Error: [removed] is in this text). Please report it.\n",
  );
});
