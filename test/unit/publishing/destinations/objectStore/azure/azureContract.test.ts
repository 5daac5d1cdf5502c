// The contract of object stores at a container in memory. test/copies/objectStores.test.ts: at Azurite.
import { test, vi } from "vitest";
import { openAzure } from "../../../../../../provider/publishing/destinations/objectStore/azure/azureStore.ts";
import { STORE_ROWS, storeRow } from "../../../../../contracts/objectStore.ts";
import { startAzureStub, STUB_ACCOUNT, STUB_ACCOUNT_KEY } from "../../../../../simulation/azureStub.ts";
import { STUB_BUCKET, stubOperation } from "../../../../../simulation/bucketStub.ts";

test.for(STORE_ROWS)("%s", async (name, context) => {
  const { endpoint, objects, uploads } = await startAzureStub(context);
  vi.stubEnv("AZURE_STORAGE_KEY", STUB_ACCOUNT_KEY);
  const inputs = { azureContainer: STUB_BUCKET, storageAccount: STUB_ACCOUNT, endpoint };
  await storeRow(name, {
    prefix: "",
    open: async (signal) => openAzure(inputs, await stubOperation(context, signal)),
    seen(key) {
      const { body: content, headers } = objects.get(key) ?? {};
      return Promise.resolve(content && { content, contentType: headers?.["content-type"] });
    },
    // blocks beside a blob of their name are not listed, and go after a week
    openUploads: () => Promise.resolve([...uploads.keys()].filter((key) => !objects.has(key))),
  });
});
