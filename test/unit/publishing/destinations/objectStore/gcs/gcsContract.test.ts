// The contract of object stores at a bucket in memory. test/copies/objectStores.test.ts: at fake-gcs-server.
import fetch from "node-fetch";
import { test, vi } from "vitest";
import { openGcs } from "../../../../../../provider/publishing/destinations/objectStore/gcs/gcsStore.ts";
import { STORE_ROWS, storeRow } from "../../../../../contracts/objectStore.ts";
import { STUB_BUCKET, stubOperation } from "../../../../../simulation/bucketStub.ts";
import { startGcsStub, stubServiceAccount } from "../../../../../simulation/gcsStub.ts";

test.for(STORE_ROWS)("%s", async (name, context) => {
  const { endpoint, objects } = await startGcsStub(context);
  for (const [variable, value] of Object.entries(stubServiceAccount(context))) vi.stubEnv(variable, value);
  await storeRow(name, {
    prefix: "",
    open: async (signal) =>
      openGcs({ gcsBucket: STUB_BUCKET, endpoint }, { ...(await stubOperation(context, signal)), fetch }),
    seen(key) {
      const { body: content, headers } = objects.get(key) ?? {};
      const type = (headers as { contentType?: string } | undefined)?.contentType;
      return Promise.resolve(content && { content, contentType: type });
    },
    // Google lists none
    openUploads: () => Promise.resolve([]),
  });
});
