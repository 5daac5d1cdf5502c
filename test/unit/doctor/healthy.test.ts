import { join } from "node:path";
import { expect, test } from "vitest";
import { identity, SERVICE_HOST, trustAuthority } from "../../faults/certificates.ts";
import { connectProxy } from "../../faults/connectProxy.ts";
import { scriptedServer } from "../../faults/scriptedServer.ts";
import { startBucketStub, STUB_BUCKET, stubOperation } from "../../simulation/bucketStub.ts";
import { startRegistryStub } from "../../simulation/registryStub.ts";
import { DOMAIN, examined, healthyMachine, problemsOf } from "./examined.ts";

test("on a healthy machine everything is ok, each source is named, and no job is started", async () => {
  const machine = await healthyMachine();
  const { findings, exitCode, text } = await examined(machine, "--domain", DOMAIN);
  expect(problemsOf({ findings, exitCode, text })).toEqual([]);
  expect(exitCode).toBe(0);
  expect(findings.map(({ check }) => check)).toEqual([
    "node",
    "package",
    "pulumi-cli",
    "base-url",
    "api-key",
    "settings",
    "proxy",
    "dns",
    "connection",
    "key-accepted",
    "clock",
    "domain",
    "pulumi-home",
    "temporary-folder",
  ]);
  const message = (check: string) => findings.find((each) => each.check === check)?.message;
  expect(message("base-url")).toBe(
    `${machine.service.url}, from the environment variable DOCS_HOSTING_BASE_URL`,
  );
  expect(message("api-key")).toBe("set, from the environment variable DOCS_HOSTING_ADMIN_API_KEY");
  expect(message("key-accepted")).toContain(
    "accepts the key: a request for a job that does not exist was answered 404",
  );
  expect(text).toContain("ok       key-accepted");
  expect(text).toMatch(/No problem was found\. No job was started\.\n$/);
  expect(machine.starts()).toBe(0);
  expect(machine.service.requests.every(({ method }) => method === "GET")).toBe(true);
});

test("a job starts with --start only, and its id is named", async () => {
  const machine = await healthyMachine();
  const { findings, exitCode } = await examined(machine, "--domain", DOMAIN, "--start");
  expect(machine.starts()).toBe(1);
  expect(findings).toContainEqual({
    check: "start",
    status: "ok",
    message: expect.stringMatching(
      /^started the export job [\w-]+ of docs\.example\.com: to use it, give it to a StaticExport as `jobId`$/,
    ) as unknown,
  });
  expect(exitCode).toBe(0);
});

test("jobs of an export and of an agent are reported", async () => {
  const machine = await healthyMachine();
  machine.service.agentJobs.set("p1", { id: "a1", status: "completed" });
  expect((await examined(machine, "--job", "a1", "--project", "p1")).findings).toContainEqual({
    check: "job",
    status: "ok",
    message: expect.stringContaining("is completed") as unknown,
  });
  const start = await examined(machine, "--domain", DOMAIN, "--start");
  const [, jobId = ""] =
    /export job (\S+) of/.exec(start.findings.find(({ check }) => check === "start")?.message ?? "") ?? [];
  const { findings } = await examined(machine, "--job", jobId, "--domain", DOMAIN);
  expect(findings).toContainEqual({
    check: "job",
    status: "ok",
    message: expect.stringMatching(new RegExp(`^export job ${jobId} is \\w+`)) as unknown,
  });
  // a job is found without its site, too
  expect(problemsOf(await examined(machine, "--job", jobId))).toEqual([]);
  machine.service.setSite("other.example.com", join(machine.folder, "../source"));
  const [other] = problemsOf(await examined(machine, "--job", jobId, "--domain", "other.example.com"));
  expect(other?.message).toContain(`job ${jobId} is an export of ${DOMAIN}, not of other.example.com`);
});

test("destinations are read, and written to with --write only; nothing stays there", async (context) => {
  const machine = await healthyMachine();
  const registry = await startRegistryStub(context);
  const bucket = await startBucketStub(context);
  await stubOperation(context); // credentials
  const folder = join(machine.folder, "copies");
  const places = [
    ...["--folder", folder],
    ...["--bucket", STUB_BUCKET, "--endpoint", bucket.endpoint, "--prefix", "v"],
    ...["--repository", `${registry.host}/docs/site`, "--plain-http"],
  ];
  const reading = await examined(machine, ...places);
  expect(problemsOf(reading)).toEqual([]);
  expect(bucket.requests.map(({ method }) => method)).toEqual(["GET", "GET"]); // text and JSON
  expect([...new Set(registry.requests.map((request) => request.split(" ")[0]))]).toEqual(["HEAD"]);

  const writing = await examined(machine, ...places, "--write");
  expect(problemsOf(writing)).toEqual([]);
  expect(writing.findings.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      `s3://${STUB_BUCKET}/v can be written: an object was written and deleted`,
      `${registry.host}/docs/site can be written: an upload was begun and cancelled`,
      `${folder} can be made in ${machine.folder}`,
    ]),
  );
  expect(bucket.objects.size).toBe(0);
  expect(registry.requests.at(-1)).toMatch(/^DELETE /);
  expect(registry.blobs.size + registry.manifests.size).toBe(0);
});

test("through a proxy, the certificate is that of the service, and DNS is the proxy's", async () => {
  await trustAuthority();
  const server = await scriptedServer(
    (socket, { headers }) => {
      const status = headers["authorization"] === undefined ? "401 Unauthorized" : "404 Not Found";
      socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 2\r\n\r\n{}`);
    },
    { identity: await identity({ days: 30 }) },
  );
  const proxy = await connectProxy();
  const machine = await healthyMachine();
  machine.environment["DOCS_HOSTING_BASE_URL"] = `https://${SERVICE_HOST}:${server.port}`;
  machine.environment["HTTPS_PROXY"] = proxy.url.replace("//", "//me:c4n4ry@");
  const result = await examined(machine);
  expect(problemsOf(result)).toEqual([]);
  const messages = result.findings.map(({ check, message }) => `${check}: ${message}`);
  expect(messages).toContain(`proxy: requests to the service go through ${proxy.address}`);
  expect(messages.find((each) => each.startsWith("tls:"))).toMatch(
    /TLSv1\.3 with api\.docs-host\.test:\d+, certificate by Authority of the tests, valid until \d{4}-\d\d-\d\d$/,
  );
  expect(messages.join()).not.toContain("dns:");
});
