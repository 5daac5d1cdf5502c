import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, test, type TestContext, vi } from "vitest";
import type { Copy, DraftingDestination } from "../../provider/publishing/destinations/destination.ts";
import type { Bundle } from "../../provider/publishing/inspection/bundle.ts";
import { draftingDestination } from "../simulation/draftingDestination.ts";
import { makeBundle, operation } from "./bucketOperation.ts";
import { EACH_STORE } from "./stores/kinds.ts";
import type { BucketStore } from "./stores/store.ts";

const MB = 1024 * 1024;

function archives(store: BucketStore, more: object = {}): DraftingDestination {
  return draftingDestination({ ...store.place, prefix: "site/archives", ...more });
}

async function publish(
  context: TestContext,
  destination: DraftingDestination,
  bundle: Bundle,
  signal?: AbortSignal,
): Promise<Copy> {
  const draft = await destination.begin(bundle, await operation(context, signal));
  return draft.publish();
}

const keyFor = (bundle: Bundle): string => `site/archives/${bundle.sha256}.tar.gz`;

/** All keys, without marks and records. */
async function allKeys(store: BucketStore): Promise<string[]> {
  return (await store.keys()).filter((key) => !key.includes("/.docs-hosting/"));
}

async function expectStored(store: BucketStore, bundle: Bundle & { content: Buffer }): Promise<void> {
  const { content } = await store.read(keyFor(bundle));
  expect(content.equals(bundle.content)).toBe(true);
  expect(await store.openUploads()).toEqual([]);
}

describe.each(EACH_STORE)("%s:", (_name, kind) => {
  beforeEach(() => {
    vi.unstubAllEnvs();
    for (const [name, value] of Object.entries(kind.environment)) vi.stubEnv(name, value);
  });

  describe.for([
    ["in one piece", 3 * MB],
    ["in parts", 37 * MB + 5],
  ] as const)("an archive %s", ([, size]) => {
    test("is one object under its digest, checked by the store, and found by one request", async (context) => {
      const store = await kind.start(context);
      const destination = archives(store);
      const bundle = await makeBundle(context, size);
      const copy = await publish(context, destination, bundle);
      expect(destination.id).toBe(`${store.uri}/site/archives`);
      expect(copy).toMatchObject({
        sha256: bundle.sha256,
        uri: `${store.uri}/${keyFor(bundle)}`,
        address: `${store.address}/${keyFor(bundle)}`,
      });
      expect(await allKeys(store)).toEqual([keyFor(bundle)]);
      await expectStored(store, bundle);
      const { metadata, contentType, checksum } = await store.read(keyFor(bundle));
      expect(metadata).toEqual({ sha256: bundle.sha256 });
      expect(contentType).toBe("application/gzip");
      expect(checksum).toMatch(size > 16 * MB ? kind.checksum.parts : kind.checksum.whole);

      const before = store.requests.length;
      expect(await destination.compare(copy, await operation(context))).toBe("same");
      // the object, and the list of its marks
      expect(store.requests.slice(before).map(({ method }) => method)).toEqual(kind.compareMethods);
    });

    test.for(["slowDown", "cut", "lost", "changed"] as const)(
      "arrives whole despite faulty requests (%s)",
      async (way, context) => {
        const store = await kind.start(context);
        const bundle = await makeBundle(context, size);
        let count = 0;
        store.spoil = ({ method }) =>
          (method === "PUT" || method === "POST") && count++ % 2 === 0 ? way : undefined;
        const result = publish(context, archives(store), bundle);
        if (way === "changed") {
          await expect(result).rejects.toThrow(/differs from the data that was sent/);
          expect(await allKeys(store)).toEqual([]);
          expect(await store.openUploads()).toEqual([]);
        } else {
          await result;
          await expectStored(store, bundle);
        }
        expect(count).toBeGreaterThan(0);
      },
    );

    test("that two runs put at the same time exists once, whole", async (context) => {
      const store = await kind.start(context);
      const bundle = await makeBundle(context, size);
      const copies = await Promise.all([1, 2, 3].map(() => publish(context, archives(store), bundle)));
      expect(new Set(copies.map(({ uri }) => uri)).size).toBe(1);
      await expectStored(store, bundle);
    });
  });

  test("a part of another content, left under the archive's name, does not become part of it", async (context) => {
    const store = await kind.start(context);
    const bundle = await makeBundle(context, 20 * MB);
    const content = await readFile((await makeBundle(context, 16 * MB)).path);
    const parts = [content.subarray(0, 8 * MB), content.subarray(8 * MB)];
    await store.leaveUpload(keyFor(bundle), parts, bundle.sha256);
    await publish(context, archives(store), bundle);
    await expectStored(store, bundle);
  });

  test("a signed link returns the archive until it ends, and no address does without a signature", async (context) => {
    const store = await kind.start(context);
    const destination = archives(store, { linkLife: "2s" });
    const bundle = await makeBundle(context, 1_000);
    const copy = await publish(context, destination, bundle);
    expect(copy.address).toBeUndefined();
    const link = await destination.link?.(copy, await operation(context));
    expect(link?.expiresAtMs).toBeLessThanOrEqual(Date.now() + 2_000);
    const fetched = await fetch(link?.url ?? "");
    expect(Buffer.from(await fetched.arrayBuffer()).equals(bundle.content)).toBe(true);
    if (kind.isOpen) return;
    // signed three seconds ago
    const past = await operation(context);
    const clock = { ...past.clock, now: () => Date.now() - 3_000 };
    const ended = await destination.link?.(copy, { ...past, clock });
    expect(ended?.expiresAtMs).toBeLessThan(Date.now());
    const refused = await fetch(ended?.url ?? "");
    expect(refused.status).toBe(403);
    await refused.body?.cancel();
  });

  test("without the right to write, nothing is there; without that to remove, everything stays until there is one", async (context) => {
    const store = await kind.start(context);
    const destination = archives(store);
    const bundle = await makeBundle(context, 9 * MB);
    store.spoil = ({ method }) => (method === "PUT" || method === "POST" ? "denied" : undefined);
    await expect(publish(context, destination, bundle)).rejects.toThrow(/is not allowed/);
    expect(await store.keys()).toEqual([]);
    store.spoil = ({ method }) => (method === "DELETE" ? "denied" : undefined);
    const copy = await publish(context, destination, bundle);
    await expect(destination.release([copy], await operation(context))).rejects.toThrow(/is not allowed/);
    await expectStored(store, bundle);
    store.spoil = () => undefined;
    await destination.release([copy], await operation(context));
    expect(await store.keys()).toEqual([]);
  });

  test.for(kind.refusals)(
    "a refusal has its reason: $name",
    async ({ place, environment = {}, message }, context) => {
      const store = await kind.start(context);
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
      const bundle = await makeBundle(context, 100);
      const error = await publish(context, archives(store, place), bundle).catch(
        (reason: unknown) => reason as Error & { remedy: string },
      );
      if (!("remedy" in error)) expect.fail("nothing was refused");
      expect(`${error.message}. ${error.remedy}`).toMatch(message);
      const secret = kind.environment[kind.secret] ?? "";
      expect(`${error.message} ${error.remedy}`).not.toContain(secret);
    },
  );
});
