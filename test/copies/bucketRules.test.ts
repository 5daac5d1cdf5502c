// What stores refuse, hide or let others change, in real ones.
import { rm } from "node:fs/promises";
import { BlobClient, BlobServiceClient, StorageSharedKeyCredential } from "@azure/storage-blob";
import { beforeEach, describe, expect, test, type TestContext, vi } from "vitest";
import { draftingDestination } from "../simulation/draftingDestination.ts";
import { makeBundle, operation } from "./bucketOperation.ts";
import { publish, sites } from "./publishedSites.ts";
import { ACCOUNT, azure, KEY, startAzurite } from "./stores/azure.ts";
import { gcs } from "./stores/gcs.ts";
import { EACH_STORE } from "./stores/kinds.ts";

const FOR_EVER = "public, max-age=31536000, immutable";
const NAMED_BY_HASH = "assets/app-DxYz12Ab.js";

const SITE = {
  "index.html": "<h1>Start</h1>",
  "guide.html": "<h1>Guide</h1>",
  "a.svgz": "zipped",
  [NAMED_BY_HASH]: "one()",
};

/** Of the account that every emulator has: Azure's documents publish it. */
const EMULATOR_KEY =
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

const useEnvironment = (environment: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
};

describe.each(EACH_STORE)("%s:", (_name, kind) => {
  beforeEach(() => useEnvironment(kind.environment));

  test.for([
    ["a type", "index.html", { contentType: "application/octet-stream" }],
    ["the type of a page's second address", "guide", { contentType: "application/octet-stream" }],
    ["a cache rule", "guide.html", { cacheControl: "public, max-age=3600" }],
    ["an encoding", "guide.html", { contentEncoding: "compress" }],
    ["a disposition", "index.html", { contentDisposition: "attachment" }],
  ] as const)(
    "%s that somebody changed is drift, and the next version sends the file again",
    async ([, path, headers], context) => {
      const store = await kind.start(context);
      const copy = await publish(context, sites(store), SITE);
      const { contentType, cacheControl, contentEncoding, contentDisposition } = await store.read(
        `v/${path}`,
      );
      await store.setHeaders(`v/${path}`, headers);
      expect(await store.read(`v/${path}`)).toMatchObject(headers);
      expect(await sites(store).compare(copy, await operation(context))).toBe("changed");
      const next = await publish(context, sites(store), { ...SITE, "new.html": "<h1>New</h1>" });
      const again = await store.read(`v/${path}`);
      expect([again.contentType, again.cacheControl]).toEqual([contentType, cacheControl]);
      expect([again.contentEncoding || undefined, again.contentDisposition || undefined]).toEqual([
        contentEncoding || undefined,
        contentDisposition || undefined,
      ]);
      expect(await sites(store).compare(next, await operation(context))).toBe("same");
    },
  );

  test("names that are no hashes are revalidated, and so is a path that got other content, for ever", async (context) => {
    const store = await kind.start(context);
    const cacheRule = async (path: string): Promise<string | undefined> =>
      (await store.read(`v/${path}`)).cacheControl;
    const words = [
      "assets/shot-MyScreen.png",
      "images/build-20240115a1b2.png",
      "_next/static/v1/_buildManifest.js",
    ];
    const named = Object.fromEntries(words.map((path) => [path, path]));
    await publish(context, sites(store), { ...SITE, ...named });
    for (const path of words) expect(await cacheRule(path)).toBe("no-cache");
    expect(await cacheRule(NAMED_BY_HASH)).toBe(FOR_EVER);
    const by = await operation(context);
    const copy = await publish(context, sites(store), { ...SITE, [NAMED_BY_HASH]: "two()" }, by);
    expect(await cacheRule(NAMED_BY_HASH)).toBe("no-cache");
    expect(by.lines).toContainEqual(
      expect.stringContaining(`named as if after their content: ${NAMED_BY_HASH}`),
    );
    expect(await sites(store).compare(copy, await operation(context))).toBe("same");
    await publish(context, sites(store), { ...SITE, "new.html": "<h1>New</h1>" });
    expect(await cacheRule(NAMED_BY_HASH)).toBe("no-cache");
  });
});

describe("azure", () => {
  beforeEach(() => useEnvironment(azure.environment));

  test("names that end with a dot are refused before anything is written; only a second address is left out", async (context) => {
    const store = await azure.start(context);
    await expect(publish(context, sites(store), { ...SITE, "LICENSE.": "MIT" })).rejects.toThrow(
      /no part of a name ends with a dot/,
    );
    expect(await store.keys()).toEqual([]);
    const copy = await publish(context, sites(store), { ...SITE, "Acme Inc..html": "<h1>Acme</h1>" });
    expect(await store.keys("v/Acme")).toEqual(["v/Acme Inc..html"]);
    expect(await sites(store).compare(copy, await operation(context))).toBe("same");
    await sites(store).release([copy], await operation(context));
    expect(await store.keys()).toEqual([]);
  });

  test("a page in the archive tier is named, and the next run writes it again", async (context) => {
    const store = await azure.start(context);
    const copy = await publish(context, sites(store), SITE);
    const blob = new BlobClient(
      `${store.address}/v/guide.html`,
      new StorageSharedKeyCredential(ACCOUNT, KEY),
    );
    await blob.setAccessTier("Archive");
    const by = await operation(context);
    expect(await sites(store).compare(copy, by)).toBe("changed");
    expect(by.lines).toContainEqual(expect.stringMatching(/in the tier Archive: guide\.html/));
    const again = await publish(context, sites(store), SITE);
    expect((await blob.getProperties()).accessTier).toBe("Hot");
    expect((await store.read("v/guide.html")).content.toString()).toBe(SITE["guide.html"]);
    expect(await sites(store).compare(again, await operation(context))).toBe("same");
  });

  test("a mark in the archive tier is refused with what helps", async (context) => {
    const store = await azure.start(context);
    await publish(context, sites(store), SITE);
    const mark = new BlobClient(
      `${store.address}/v/.docs-hosting/owner.json`,
      new StorageSharedKeyCredential(ACCOUNT, KEY),
    );
    await mark.setAccessTier("Archive");
    await expect(
      publish(context, sites(store), { ...SITE, "new.html": "<h1>New</h1>" }),
    ).rejects.toMatchObject({
      message: expect.stringContaining("is in the archive tier (BlobArchived)") as string,
      remedy: expect.stringMatching(/^Set its tier to Hot/) as string,
    });
  });

  /** An emulator of its own, with the account that every emulator has. */
  const startEmulator = async (context: TestContext, switches?: readonly string[]) => {
    const { server, folder } = await startAzurite(undefined, switches);
    context.onTestFinished(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    vi.stubEnv("AZURE_STORAGE_KEY", undefined);
    vi.stubEnv("AZURE_STORAGE_CONNECTION_STRING", "UseDevelopmentStorage=true");
    const endpoint = `http://127.0.0.1:${server.ready[1] ?? ""}/devstoreaccount1`;
    return { azureContainer: "docs", storageAccount: "devstoreaccount1", endpoint };
  };

  test("an emulator that is older than the SDK's API version is named, with its switch", async (context) => {
    const place = await startEmulator(context, []);
    for (const layout of ["site", "archive"] as const) {
      const [bundle, by] = [await makeBundle(context, 100), await operation(context)];
      const published = draftingDestination({ ...place, layout })
        .begin(bundle, by)
        .then((draft) => draft.publish());
      await expect(published).rejects.toMatchObject({
        message: expect.stringContaining("does not accept a header of the Azure SDK") as string,
        remedy: expect.stringContaining("azurite --skipApiVersionCheck") as string,
      });
    }
  });

  test("the emulator's own account needs no key in the program: UseDevelopmentStorage=true", async (context) => {
    const place = await startEmulator(context);
    const service = new BlobServiceClient(
      place.endpoint,
      new StorageSharedKeyCredential(place.storageAccount, EMULATOR_KEY),
    );
    await service.getContainerClient(place.azureContainer).create();
    const copy = await publish(context, sites({ place }), SITE);
    expect(await sites({ place }).compare(copy, await operation(context))).toBe("same");
  });
});

describe("gcs", () => {
  beforeEach(() => useEnvironment(gcs.environment));

  test("files of ACME challenges at the bucket's root are refused before anything is written; below a prefix they are kept", async (context) => {
    const store = await gcs.start(context);
    const site = { ...SITE, ".well-known/acme-challenge/token": "token" };
    await expect(publish(context, sites(store, ""), site)).rejects.toThrow(
      /no name begins with \.well-known/,
    );
    expect(await store.keys()).toEqual([]);
    await publish(context, sites(store), site);
    expect(await store.keys("v/.well-known/")).toEqual(["v/.well-known/acme-challenge/token"]);
  });
});
