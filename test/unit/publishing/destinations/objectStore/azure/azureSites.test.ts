import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import { azureDestination } from "../../../../../../provider/publishing/destinations/objectStore/azure/azureStore.ts";
import { startAzureStub, STUB_ACCOUNT, STUB_ACCOUNT_KEY } from "../../../../../simulation/azureStub.ts";
import { STUB_BUCKET, stubOperation } from "../../../../../simulation/bucketStub.ts";

test("no file is asked for its headers, also in the second of its record: the revision covers them", async (context) => {
  const store = await startAzureStub(context);
  vi.stubEnv("AZURE_STORAGE_KEY", STUB_ACCOUNT_KEY);
  const { endpoint } = store;
  const place = { azureContainer: STUB_BUCKET, storageAccount: STUB_ACCOUNT, endpoint };
  const destination = azureDestination({ ...place, prefix: "v", layout: "site" });
  const operation = await stubOperation(context);
  const sha256 = hash("sha256", "site");
  const bundle = { path: "/nowhere", format: "tar.gz", sha256, size: 1, version: "1" } as const;
  const draft = await destination.begin(bundle, operation);
  for (const path of ["index.html", "a.css"]) {
    await draft.sink?.file({ path, size: path.length }, Readable.from([Buffer.from(path)]));
  }
  const copy = await draft.publish();
  const at = store.requests.length;
  expect(await destination.compare(copy, await stubOperation(context))).toBe("same");
  const asked = store.requests.slice(at).filter(({ method }) => method === "HEAD");
  expect(asked.map(({ key }) => key).filter((key) => !key.includes(".docs-hosting"))).toEqual([]);
});
