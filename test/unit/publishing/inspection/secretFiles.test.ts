// Files that usually hold secrets.
import { expect, test } from "vitest";
import { SITE, tarGz } from "../../../chart/tarArchive.ts";
import { inspected } from "../archives/bundleOnDisk.ts";

const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n";

test.each([
  [".env", "A=1"],
  ["app/.env.production", "A=1"],
  [".htpasswd", "a:b"],
  [".git-credentials", "x"],
  ["keys/id_ed25519", "x"],
  ["server.key", "-----BEGIN PRIVATE KEY-----\n"],
  [
    "server.pem",
    "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n-----BEGIN RSA PRIVATE KEY-----\n",
  ],
  ["deploy", KEY],
  ["deploy.txt", KEY],
  ["site.pfx", "x"],
  [".npmrc", "//registry.example/:_authToken=npm_x\n"],
  [".yarnrc.yml", 'nodeLinker: node-modules\nnpmAuthToken: "npm_x"\n'],
  [".cargo/credentials.toml", "[registry]"],
  [".kube/config", "apiVersion: v1"],
  [
    "my-service-account.json",
    '{ "type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\\nMII" }',
  ],
])("%s is warned of", async (name, content) => {
  expect((await inspected(tarGz([...SITE, { name, content }]))).secretFiles).toEqual([name]);
});

test.each([
  [".env.example", "A=1"],
  ["env.html", "A=1"],
  ["cert.pem", "-----BEGIN CERTIFICATE-----\n"],
  ["talk.key", "PK\u0003\u0004"],
  ["LICENSE", "MIT"],
  ["guide.txt", `Write a key:\n${KEY}`],
  ["keys.html", KEY],
  [".npmrc", "registry=https://registry.example\n# _authToken=x\n"],
  ["id_rsa.pub", "ssh-rsa x"],
  [".yarnrc.yml", "nodeLinker: node-modules\n# npmAuthToken: x\n"],
  ["search-keys.json", '{ "text": "private_key: -----BEGIN PRIVATE KEY-----" }'],
])("%s is published without a word", async (name, content) => {
  expect((await inspected(tarGz([...SITE, { name, content }]))).secretFiles).toEqual([]);
});

test("a file is named below the site's root, and a large one is not read", async () => {
  const entries = [
    { name: "site/index.html" },
    { name: "site/.env" },
    { name: "site/large", content: KEY.padEnd(64 * 1_024 + 1) },
  ];
  expect((await inspected(tarGz(entries))).secretFiles).toEqual([".env"]);
});
