// Destinations of copies and kits; destinationFaults.test.ts has their faults.
import { createHash, generateKeyPairSync } from "node:crypto";
import { join, resolve } from "node:path";
import fetch, { Response } from "node-fetch";
import { expect, test } from "vitest";
import { runCommand } from "../../../provider/doctor/command.ts";
import { failure, ok, warning } from "../../../provider/doctor/finding.ts";
import { scriptedServer } from "../../faults/scriptedServer.ts";
import { startBucketStub, STUB_BUCKET, stubError, stubOperation } from "../../simulation/bucketStub.ts";
import { FasterClock } from "../../simulation/fasterClock.ts";
import { startRegistryStub } from "../../simulation/registryStub.ts";
import { examined, healthyMachine, hostOf, type Machine, problemsOf } from "./examined.ts";
import { OF_REGISTRY, replies } from "./faults.ts";

/** What a registry does not have. */
const NONE = { status: 404, headers: { "docker-distribution-api-version": "registry/2.0" } };

const messagesOf = async (check: string, machine: Machine, args: readonly string[]): Promise<string[]> => {
  const { findings } = await examined(machine, ...args);
  return findings.filter((each) => each.check === check).map(({ message }) => message);
};
const TYPE = "application/vnd.oci.image.manifest.v1+json";

test("a folder is not made where nothing may be written", async () => {
  const machine = await healthyMachine();
  const folder = join(machine.folder, "copies");
  expect((await examined(machine, "--folder", folder)).findings).toContainEqual(
    ok("folder", `${resolve(folder)} is a folder that this user may write, or can be made`),
  );
});

test("an image of a registry is named by its digest, and a tag latest is noticed", async (context) => {
  const machine = await healthyMachine();
  const registry = await startRegistryStub(context);
  const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: TYPE }));
  const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
  const args = ["--repository", `${registry.host}/docs/site`, "--plain-http"];
  expect(await messagesOf("registry", machine, args)).toEqual([
    `${registry.host}/docs/site can be read; it has no tag latest`,
  ]);
  for (const name of ["latest", "1.30", digest]) registry.manifests.set(name, { type: TYPE, body });
  expect(await messagesOf("registry", machine, args)).toEqual([`${registry.host}/docs/site can be read`]);
  for (const base of [
    `${registry.host}/nginx:1.30`,
    `${registry.host}/nginx`,
    `${registry.host}/nginx@${digest}`,
  ]) {
    expect(await messagesOf("base", machine, [...args, "--base", base])).toEqual([`${base} is ${digest}`]);
  }
  expect((await examined(machine, ...args, "--base", `${registry.host}/nginx:2`)).findings).toContainEqual(
    failure(
      "base",
      `there is no image ${registry.host}/nginx:2`,
      "Correct --base and the destination's `base`, or push that image.",
    ),
  );
});

test("--plain-http is about the registry of the repository: a base image of another one is read with TLS", async () => {
  const machine = await healthyMachine();
  const asked = new Set<string>();
  machine.host.fetch = (url, options) => {
    if (url.startsWith(machine.service.url)) return fetch(url, options);
    asked.add(new URL(url).origin);
    return Promise.resolve(new Response("{}", NONE));
  };
  const args = ["--repository", "registry.internal/docs/site", "--plain-http"];
  await examined(machine, ...args, "--base", "registry.internal/nginx:1");
  expect([...asked]).toEqual(["http://registry.internal"]);
  await examined(machine, ...args, "--base", "other.internal/nginx:1");
  expect([...asked]).toEqual(["http://registry.internal", "https://other.internal"]);
  asked.clear();
  await examined(machine, "--repository", "registry.internal/docs", "--base", "registry.internal/nginx:1");
  expect([...asked]).toEqual(["https://registry.internal"]);
});

test("to write, a login is for writing, and an upload is begun and cancelled; to read, it is for reading", async () => {
  const machine = await healthyMachine();
  const scopes: (string | null)[] = [];
  const uploads: string[] = [];
  machine.host.fetch = (url, options) => {
    if (url.startsWith(machine.service.url)) return fetch(url, options);
    const { method, headers } = options;
    const { host, pathname, searchParams } = new URL(url);
    if (host === "auth.internal") {
      scopes.push(searchParams.get("scope"));
      return Promise.resolve(new Response('{"token":"t"}'));
    }
    if ((headers as Record<string, string | undefined>)["authorization"] === undefined) {
      const challenge = 'Bearer realm="https://auth.internal/token",service="registry"';
      return Promise.resolve(new Response("{}", { status: 401, headers: { "www-authenticate": challenge } }));
    }
    if (method === "HEAD") return Promise.resolve(new Response("", NONE));
    uploads.push(`${method ?? ""} ${pathname}`);
    if (method !== "POST") return Promise.resolve(new Response(undefined, { status: 204 }));
    return Promise.resolve(new Response("", { status: 202, headers: { location: "/v2/docs/site/u/1" } }));
  };
  const args = ["doctor", "--repository", "registry.internal/docs/site"];
  await runCommand(args, hostOf(machine));
  expect([scopes, uploads]).toEqual([["repository:docs/site:pull"], []]);
  scopes.splice(0);
  await runCommand([...args, "--write"], hostOf(machine));
  expect(scopes).toEqual(["repository:docs/site:pull", "repository:docs/site:pull,push"]);
  expect(uploads).toEqual(["POST /v2/docs/site/blobs/uploads/", "DELETE /v2/docs/site/u/1"]);
});

test.each([
  ["200 OK", "ok"],
  ["404 Not Found", "warning"],
  ["405 Method Not Allowed", "warning"],
  ["400 Bad Request", "warning"],
])("a registry that answers %s about referrers: %s", async (status, expected) => {
  const machine = await healthyMachine();
  const { privateKey } = generateKeyPairSync("ed25519");
  machine.environment["SIGNING_KEY"] = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const { port } = await scriptedServer((socket, request, number) =>
    replies(request.path.includes("/referrers/") ? status : "404 Not Found", OF_REGISTRY)(
      socket,
      request,
      number,
    ),
  );
  const host = `127.0.0.1:${port}`;
  const args = ["--repository", `${host}/docs/site`, "--plain-http", "--signing-key-env", "SIGNING_KEY"];
  const { findings } = await examined(machine, ...args);
  expect(findings).toContainEqual(
    expected === "ok"
      ? ok("referrers", `${host} lists the referrers of an image`)
      : warning(
          "referrers",
          `${host} has no API for the referrers of an image (it answered ${status.slice(0, 3)})`,
          "Signatures, statements and SBOMs are found by their tags instead. Programs that use only the API need another registry, or a newer version of this one.",
        ),
  );
  expect(findings).toContainEqual(ok("signing-key", "SIGNING_KEY holds a private key that can sign"));
});

test("in a bucket, one object below the prefix is listed; with --write, one is written there and deleted", async (context) => {
  const machine = await healthyMachine();
  const bucket = await startBucketStub(context);
  await stubOperation(context);
  const args = ["--bucket", STUB_BUCKET, "--endpoint", bucket.endpoint, "--prefix", "v/"];
  expect(await messagesOf("bucket", machine, args)).toEqual([`s3://${STUB_BUCKET}/v can be read`]);
  const [listing] = bucket.requests;
  expect([listing?.query.get("prefix"), listing?.query.get("max-keys")]).toEqual(["v/", "1"]);
  bucket.requests.splice(0);
  await examined(machine, ...args, "--write");
  const [, put, removal] = bucket.requests;
  expect([put?.method, removal?.method]).toEqual(["PUT", "DELETE"]);
  expect(put?.key).toMatch(/^v\/\.docs-hosting\/doctor-[0-9a-f-]{36}$/);
  expect(removal?.key).toBe(put?.key);
});

test("an object that cannot be deleted again is a failure", async (context) => {
  const machine = await healthyMachine();
  const bucket = await startBucketStub(context);
  await stubOperation(context);
  bucket.rule = ({ method }) => (method === "DELETE" ? stubError(403, "AccessDenied") : undefined);
  const args = ["--bucket", STUB_BUCKET, "--endpoint", bucket.endpoint, "--write"];
  expect(problemsOf(await examined(machine, ...args))).toMatchObject([
    { check: "bucket", message: expect.stringContaining("s3:DeleteObject") as unknown },
  ]);
});

test("a store that does not answer is waited for 20 seconds, and other destinations are still checked", async (context) => {
  const machine = await healthyMachine();
  machine.host.clock = new FasterClock(50);
  const bucket = await startBucketStub(context);
  await stubOperation(context);
  bucket.rule = () => "hang";
  const args = ["--bucket", STUB_BUCKET, "--endpoint", bucket.endpoint, "--folder", machine.folder];
  const result = await examined(machine, ...args);
  expect(problemsOf(result)).toEqual([
    failure(
      "bucket",
      "there was no complete answer within 20 s",
      "Check the network to this destination, and that it is up.",
    ),
  ]);
  expect(result.findings.find(({ check }) => check === "folder")?.status).toBe("ok");
});

test.each([
  [["--bucket", "docs", "--endpoint", "ftp://x"], "bucket", /^endpoint /],
  [["--bucket", "Docs_"], "bucket", /^bucket /],
  [["--repository", "registry.internal/docs", "--base", "a b"], "registry", /^base /],
])("%j are options that are corrected before anything is sent", async (args, check, message) => {
  const machine = await healthyMachine();
  expect(problemsOf(await examined(machine, ...args))).toEqual([
    failure(check, expect.stringMatching(message) as string, "Correct the option of that name."),
  ]);
});
