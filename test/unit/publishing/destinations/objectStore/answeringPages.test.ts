// A proxy, a gateway or a login page that answers in place of a store: nothing is called missing, empty, removed or stored because of it.
import { gzipSync } from "node:zlib";
import fetch from "node-fetch";
import { describe, expect, test, type TestContext, vi } from "vitest";
import { openAzure } from "../../../../../provider/publishing/destinations/objectStore/azure/azureStore.ts";
import { openGcs } from "../../../../../provider/publishing/destinations/objectStore/gcs/gcsStore.ts";
import type { ObjectStore } from "../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import { openS3 } from "../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { startAzureStub, STUB_ACCOUNT, STUB_ACCOUNT_KEY } from "../../../../simulation/azureStub.ts";
import {
  type BucketStub,
  startBucketStub,
  STUB_BUCKET,
  type StubAnswer,
  stubOperation,
} from "../../../../simulation/bucketStub.ts";
import { FasterClock } from "../../../../simulation/fasterClock.ts";
import { startGcsStub } from "../../../../simulation/gcsStub.ts";

interface Opened {
  readonly stub: BucketStub;
  readonly store: ObjectStore;
}

const KINDS: Readonly<Record<"S3" | "Azure" | "Google", (context: TestContext) => Promise<Opened>>> = {
  async S3(context) {
    const stub = await startBucketStub(context);
    const inputs = { bucket: STUB_BUCKET, endpoint: stub.endpoint };
    return { stub, store: await openS3(inputs, await stubOperation(context)) };
  },
  async Azure(context) {
    const stub = await startAzureStub(context);
    vi.stubEnv("AZURE_STORAGE_KEY", STUB_ACCOUNT_KEY);
    const operation = { ...(await stubOperation(context)), clock: new FasterClock(50) };
    const inputs = { azureContainer: STUB_BUCKET, storageAccount: STUB_ACCOUNT, endpoint: stub.endpoint };
    return { stub, store: await openAzure(inputs, operation) };
  },
  async Google(context) {
    const stub = await startGcsStub(context);
    const operation = { ...(await stubOperation(context)), clock: new FasterClock(50), fetch };
    return { stub, store: await openGcs({ gcsBucket: STUB_BUCKET, endpoint: stub.endpoint }, operation) };
  },
};

const page = (status: number, type: string, body: string): StubAnswer => ({
  status,
  headers: { "content-type": type },
  body,
});
const PAGES: Readonly<Record<string, StubAnswer>> = {
  "a login page": page(200, "text/html", "<!doctype html><title>Sign in</title>"),
  "nothing, with 200": page(200, "text/plain", ""),
  "an empty object of a gateway": page(200, "application/json", "{}"),
  "a proxy's 404": page(404, "text/html", "<html><h1>404 Not Found</h1></html>"),
  "a router's 404": page(404, "text/plain", "404 page not found"),
  "a gateway's 404": page(404, "application/json", '{"message":"no Route matched with those values"}'),
  "a gateway's 404 with an error": page(404, "application/json", '{"error":"not found"}'),
  "a gateway's 404 with an error's fields": page(
    404,
    "application/json",
    '{"error":{"message":"no such route"}}',
  ),
  "a page with 404 that calls itself JSON": page(404, "application/json", "<html><h1>404</h1></html>"),
  "a page with 404 that calls itself XML": page(404, "application/xml", "<html><h1>404</h1></html>"),
  "a compressed page with 404": {
    status: 404,
    headers: { "content-type": "text/html", "content-encoding": "gzip" },
    body: gzipSync("<html><h1>404 Not Found</h1></html>"),
  },
  "an empty 404": page(404, "text/plain", ""),
  "a page with 410": page(410, "text/html", "<html><h1>410 Gone</h1></html>"),
  "a redirect to a login page": {
    status: 302,
    headers: { location: "http://login.invalid/", "content-type": "text/html" },
    body: "<html>Found</html>",
  },
  "a permanent redirect to a login page": {
    status: 301,
    headers: { location: "http://login.invalid/", "content-type": "text/html" },
    body: "<html>Moved</html>",
  },
  "a proxy that wants a login": page(407, "text/html", "<html><h1>407</h1></html>"),
  "a network that wants a login": page(511, "text/html", "<html><h1>511</h1></html>"),
  "a login page as a part of an object": {
    status: 206,
    headers: { "content-type": "text/html", "content-range": "bytes 0-30/31" },
    body: "<html><title>Sign in</title></html>".slice(0, 31),
  },
};

const object = (key: string) => ({
  key,
  size: 1,
  sha256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
  headers: { contentType: "text/plain", cacheControl: "no-store" },
});

const ASKED: Readonly<Record<string, (store: ObjectStore) => Promise<unknown>>> = {
  list: (store) => store.list("", () => undefined),
  remove: (store) => store.remove(["a"]),
  "remove several": (store) => store.remove(["a", "b", "c"]),
  send: (store) => store.send(object("new"), Buffer.from("x")),
};

describe.each(Object.entries(KINDS))("%s:", (name, open) => {
  describe.each(Object.entries(PAGES))("%s", (_, answer) => {
    test.for(Object.entries(ASKED))("is not the answer to: %s", async ([, ask], context) => {
      const { stub, store } = await open(context);
      stub.rule = () => answer;
      await expect(ask(store)).rejects.toThrow();
      store.close();
    });

    test("is not the answer to: read, head", async (context) => {
      const { stub, store } = await open(context);
      stub.rule = () => answer;
      // what a reader makes of content is its own matter: a mark, a record and an archive are known by what is in them
      if (answer.status >= 300) await expect(store.read("a", () => Promise.resolve())).rejects.toThrow();
      // the store's own answer to HEAD has no reason: it proves nothing, and is no proof for anybody
      if (name !== "S3") await expect(store.head("a")).rejects.toThrow();
      store.close();
    });
  });

  test.for(Object.entries(ASKED))(
    "a redirect to a login page that answers is not the answer to: %s",
    async ([, ask], context) => {
      const { stub, store } = await open(context);
      const login = await startBucketStub(context);
      login.rule = () => page(200, "text/html", "<!doctype html><title>Sign in</title>");
      stub.rule = () => ({ status: 302, headers: { location: `${login.endpoint}/login` }, body: "" });
      await expect(ask(store)).rejects.toThrow();
      store.close();
    },
  );
});

/** The replies to the removal of «a» and «b» in one batch. Amazon's names what it removed. */
const BATCHES: Readonly<Record<"Azure" | "Google", (part: string) => StubAnswer>> = {
  Azure: (part) => batch(202, (at) => `Content-ID: ${at}\r\n\r\n${part}`),
  Google: (part) => batch(200, (at) => `Content-ID: <response-${at}>\r\n\r\n${part}`),
};

function batch(status: number, part: (at: number) => string): StubAnswer {
  const parts = [0, 1].map((at) => `--b0\r\nContent-Type: application/http\r\n${part(at)}\r\n`);
  const headers = { "content-type": "multipart/mixed; boundary=b0" };
  return { status, headers, body: `${parts.join("")}--b0--` };
}

describe.each(["Azure", "Google"] as const)("%s, where a part of a batch's reply is", (name) => {
  test.for([
    ["a page with 404", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<h1>404 Not Found</h1>"],
    ["an empty 404", "HTTP/1.1 404 Not Found\r\n\r\n"],
    ["a gateway's 404", 'HTTP/1.1 404 Not Found\r\n\r\n{"error":{"message":"no such route"}}'],
    ["a page with 200", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Sign in</title>"],
  ] as const)("%s: each object is removed with a request of its own", async ([, part], context) => {
    const { stub, store } = await KINDS[name](context);
    for (const key of ["a", "b"]) stub.put(key, key);
    stub.rule = ({ method, key }) => (method === "POST" && key === "" ? BATCHES[name](part) : undefined);
    await store.remove(["a", "b"]);
    expect([...stub.objects.keys()]).toEqual([]);
    store.close();
  });
});
