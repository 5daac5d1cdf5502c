// Faults of the destinations of copies and kits, and of signing keys.
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freeAddress, scriptedServer } from "../../faults/scriptedServer.ts";
import { startBucketStub, STUB_BUCKET, stubError, stubOperation } from "../../simulation/bucketStub.ts";
import { FasterClock } from "../../simulation/fasterClock.ts";
import { startRegistryStub } from "../../simulation/registryStub.ts";
import { examined, healthyMachine, type Machine, problemsOf, write } from "./examined.ts";
import { OF_REGISTRY, replies, testFaults } from "./faults.ts";

const repository = (host: string): string[] => ["--repository", `${host}/docs/site`];
const signedBy = (pem: string | Buffer, machine: Machine): string[] => {
  machine.environment["SIGNING_KEY"] = pem.toString();
  return ["--signing-key-env", "SIGNING_KEY"];
};

testFaults([
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
      host.clock = new FasterClock(50);
      const address = await freeAddress();
      return [...repository(`${address.host}:${address.port}`), "--plain-http"];
    },
    { check: "registry", message: "ECONNREFUSED", remedy: "that the registry is up" },
  ],
  [
    "a registry without referrers",
    async (machine) => {
      const { port } = await scriptedServer(replies("404 Not Found", OF_REGISTRY));
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
        replies(request.method === "POST" ? "403 Forbidden" : "404 Not Found", OF_REGISTRY)(
          socket,
          request,
          number,
        ),
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
]);

test("a file of logins that is not JSON is named beside the refusal that follows from it", async () => {
  const machine = await healthyMachine();
  const { port } = await scriptedServer(replies("401 Unauthorized", 'www-authenticate: Basic realm="r"'));
  const file = write(join(machine.folder, "docker/config.json"), "{c4n4ry");
  machine.environment["DOCKER_CONFIG"] = join(file, "..");
  const result = await examined(machine, ...repository(`127.0.0.1:${port}`), "--plain-http");
  expect(problemsOf(result)).toMatchObject([
    {
      status: "warning",
      message: `${file} is not used for credentials of registries: it is not JSON`,
      remedy: "Correct it, or ignore it if it is intended.",
    },
    { status: "failure", message: expect.stringContaining("answered 401") as unknown },
  ]);
});
