// A proxy, a gateway or a login page that answers in place of a store: nothing is called missing, empty, removed or stored because of it.
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

const KINDS: Readonly<Record<string, (context: TestContext) => Promise<Opened>>> = {
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
      if (answer.status === 404) await expect(store.read("a", () => Promise.resolve())).rejects.toThrow();
      // the store's own answer to HEAD has no reason: it proves nothing, and is no proof for anybody
      if (name !== "S3") await expect(store.head("a")).rejects.toThrow();
      store.close();
    });
  });
});
