// The contract of object stores at a real store of each protocol.
import { beforeEach, describe, test, vi } from "vitest";
import { InternalError } from "../../provider/base/runtime/messages/errors.ts";
import { forItsKind } from "../../provider/publishing/destinations/inputs.ts";
import { openAzure } from "../../provider/publishing/destinations/objectStore/azure/azureStore.ts";
import { openGcs } from "../../provider/publishing/destinations/objectStore/gcs/gcsStore.ts";
import type { ObjectStore } from "../../provider/publishing/destinations/objectStore/objectStore.ts";
import { openS3 } from "../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { STORE_ROWS, storeRow } from "../contracts/objectStore.ts";
import { operation } from "./bucketOperation.ts";
import { EACH_STORE } from "./stores/kinds.ts";

const noBucket = (): Promise<ObjectStore> => Promise.reject(new InternalError("no bucket", ""));

describe.each(EACH_STORE)("%s:", (_name, kind) => {
  beforeEach(() => {
    vi.unstubAllEnvs();
    for (const [name, value] of Object.entries(kind.environment)) vi.stubEnv(name, value);
  });

  test.for(STORE_ROWS)("%s", { timeout: 120_000 }, async (name, context) => {
    const store = await kind.start(context);
    await storeRow(name, {
      prefix: "v/",
      async open(signal) {
        const given = await operation(context, signal);
        return forItsKind(store.place, {
          folder: noBucket,
          bucket: (inputs) => openS3(inputs, given),
          azureContainer: (inputs) => openAzure(inputs, given),
          gcsBucket: (inputs) => openGcs(inputs, given),
          repository: noBucket,
        });
      },
      async seen(key) {
        return (await store.keys(key)).includes(key) ? store.read(key) : undefined;
      },
      openUploads: () => store.openUploads(),
    });
  });
});
