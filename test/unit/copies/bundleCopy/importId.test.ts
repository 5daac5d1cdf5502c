import { expect, test } from "vitest";
import { parseImportId } from "../../../../provider/copies/bundleCopy/importId.ts";

const SHA256 = "a".repeat(64);
const SOURCE = "domain, jobId, version, file, baseUrl, apiKeyEnv";

test.each<[string, object]>([
  [`copies/${SHA256}.tar.gz`, { name: `${SHA256}.tar.gz`, destination: { folder: "copies" } }],
  [`/a?b/${SHA256}.zip`, { name: `${SHA256}.zip`, destination: { folder: "/a?b" } }],
  [`/srv/a b/${SHA256}`, { name: SHA256, destination: { folder: "/srv/a b", layout: "site" } }],
  [`s3://docs/${SHA256}.tar.gz`, { name: `${SHA256}.tar.gz`, destination: { bucket: "docs" } }],
  [`s3://docs/a/b/${SHA256}.zip`, { name: `${SHA256}.zip`, destination: { bucket: "docs", prefix: "a/b" } }],
  [
    `s3://docs/a/#sha256:${SHA256}`,
    { name: SHA256, destination: { bucket: "docs", prefix: "a", layout: "site" } },
  ],
  [
    `r.internal:5000/docs@sha256:${SHA256}`,
    { name: `sha256:${SHA256}`, destination: { repository: "r.internal:5000/docs" } },
  ],
])("the address %s has its name and its destination, and no source", (uri, parts) => {
  expect(parseImportId(uri)).toStrictEqual({ uri, source: {}, additions: {}, ...parts });
});

test("fields after the address are those of the source and of the destination; values may be percent-encoded", () => {
  const uri = `s3://docs/#sha256:${SHA256}`;
  const source = {
    domain: "docs.example.com",
    jobId: "7f3a",
    version: "a=b & c",
    file: "",
    baseUrl: "https://api.example.com",
    apiKeyEnv: "KEY",
  };
  const texts = { endpoint: "https://s3.internal?x", region: "eu", linkLife: "24h" };
  const destination = { ...texts, pathStyle: false };
  const query = new URLSearchParams({ ...source, ...texts, pathStyle: "false" })
    .toString()
    .replaceAll("+", "%20");
  expect(parseImportId(`${uri}?${query}`)).toStrictEqual({
    uri,
    name: SHA256,
    source,
    additions: {},
    destination: { bucket: "docs", layout: "site", ...destination },
  });
});

test.each<[string, object]>([
  ["plainHttp=true", { destination: { repository: "r.internal/docs", plainHttp: true } }],
  [
    "base=r%2Fnginx&maxPreviousBytes=0",
    { destination: { repository: "r.internal/docs", base: "r/nginx", maxPreviousBytes: 0 } },
  ],
  ["plainHttp=yes", { destination: { repository: "r.internal/docs", plainHttp: "yes" } }],
  ["tag=1&base=r%2Fnginx:1", { destination: { repository: "r.internal/docs", tag: "1", base: "r/nginx:1" } }],
  ["offlineSearch=true", { additions: { offlineSearch: true } }],
  ['offlineSearch={"button":false}', { additions: { offlineSearch: { button: false } } }],
  ['llmsTxt={"full":true}', { additions: { llmsTxt: { full: true } } }],
  ["offlineSearch=yes", { additions: { offlineSearch: "yes" } }],
  ["signingKeyEnv=KEY", { signingKeyEnv: "KEY" }],
])("the image of ?%s is parsed", (query, parts) => {
  const uri = `r.internal/docs@sha256:${SHA256}`;
  expect(parseImportId(`${uri}?${query}`)).toStrictEqual({
    uri,
    name: `sha256:${SHA256}`,
    source: {},
    destination: { repository: "r.internal/docs" },
    additions: {},
    ...parts,
  });
});

test.each([
  [`copies/${SHA256}.tar.gz`, SOURCE],
  [`copies/${SHA256}`, `${SOURCE}, offlineSearch, llmsTxt, fetchExternal`],
  [
    `s3://docs/${SHA256}.zip`,
    `${SOURCE}, endpoint, pathStyle, region, encryption, kmsKeyId, cleanUrls, linkLife`,
  ],
  [
    `s3://docs/#sha256:${SHA256}`,
    `${SOURCE}, endpoint, pathStyle, region, encryption, kmsKeyId, cleanUrls, linkLife, offlineSearch, llmsTxt, fetchExternal`,
  ],
  [`gs://docs/site/${SHA256}.zip`, `${SOURCE}, endpoint, cleanUrls, linkLife`],
  [
    `https://docs.blob.core.windows.net/site/${SHA256}.zip`,
    `${SOURCE}, websiteEndpoint, connectionStringVariable, cleanUrls, linkLife`,
  ],
  [
    `r.internal/docs@sha256:${SHA256}`,
    `${SOURCE}, tag, base, plainHttp, maxPreviousBytes, offlineSearch, llmsTxt, fetchExternal, signingKeyEnv`,
  ],
])("another field of %s is refused with those that there are", (uri, fields) => {
  const id = `${uri}?jobId=7f3a&place=x`;
  expect(() => parseImportId(id)).toThrow(`${id}: there is no field place. Fields are: ${fields}`);
});

test.each([
  `s3://docs/#sha256:${SHA256}:1`,
  "s3://docs",
  `s3:///${SHA256}.zip`,
  `s3://docs/${SHA256}`,
  `s3://docs/${SHA256}.zip/x`,
  `copies/${SHA256}.tar`,
  `copies/x${SHA256}`,
  `https://storage.example.com/docs/${SHA256}.tar.gz`,
  `GS://docs/${SHA256}.zip`,
  `file:///srv/${SHA256}`,
  `copies/${SHA256}.zip.tar.gz`,
  `r.internal/Docs@sha256:${SHA256}`,
  `@sha256:${SHA256}`,
  `r.internal/docs@sha256:${SHA256}0`,
  `copies/${SHA256}?`,
  `copies/${SHA256}?1=2`,
  `copies/${SHA256}?domain=docs.example.com&`,
  `copies/${SHA256}?domain`,
])("%s is not the address of a copy: the message has all forms of one", (id) => {
  expect(() => parseImportId(id)).toThrow(
    `${id}: is not the address of a copy. Write the output uri of the copy: FOLDER/SHA256.tar.gz, FOLDER/SHA256, ` +
      "s3://BUCKET/PREFIX/SHA256.tar.gz, s3://BUCKET/PREFIX/#sha256:SHA256, " +
      "https://ACCOUNT.blob.core.windows.net/CONTAINER/PREFIX/SHA256.tar.gz, " +
      "https://ACCOUNT.blob.core.windows.net/CONTAINER/PREFIX/#sha256:SHA256, gs://BUCKET/PREFIX/SHA256.tar.gz, " +
      "gs://BUCKET/PREFIX/#sha256:SHA256 or REGISTRY/REPOSITORY@sha256:SHA256",
  );
});

test("a value that is not percent-encoded is refused by its name", () => {
  const id = `copies/${SHA256}?domain=docs.example.com&version=%`;
  expect(() => parseImportId(id)).toThrow(`${id}: the value of version is not percent-encoded`);
});

test("a key in place of its variable is refused, and is not in the message", () => {
  const uri = `r.internal/docs@sha256:${SHA256}`;
  const refusal = (): unknown => parseImportId(`${uri}?signingKeyEnv=-----BEGIN%20PRIVATE%20KEY-----`);
  expect(refusal).toThrow(
    `${uri}: cannot be imported: signingKeyEnv must be the name of an environment variable`,
  );
  expect(refusal).not.toThrow("PRIVATE");
});
