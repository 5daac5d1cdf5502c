// The contract of places at folders, and at a bucket and a registry in memory. test/copies/places.test.ts: at real ones.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, onTestFinished, test, type TestContext } from "vitest";
import type { Copy } from "../../../../provider/publishing/destinations/destination.ts";
import { OWN_PLACE_ROWS, PLACE_ROWS, placeRow, type PlaceUnderTest } from "../../../contracts/place.ts";
import { startBucketStub, STUB_BUCKET, stubOperation } from "../../../simulation/bucketStub.ts";
import { startRegistryStub } from "../../../simulation/registryStub.ts";
import { operation } from "./repository/repositoryCopies.ts";

type Layout = "archive" | "site";

const LAYOUTS = ["archive", "site"] as const;

function inFolder(layout: Layout, context: TestContext): PlaceUnderTest {
  const root = mkdtempSync(join(tmpdir(), "places-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "public");
  const names = (): string[] =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      : [];
  const put = (name: string, text: string): Promise<void> => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    return Promise.resolve();
  };
  return {
    inputs: { folder, layout },
    operation: () => stubOperation(context),
    mark: "owner.json",
    content: () =>
      Promise.resolve(
        Object.fromEntries(names().map((name) => [name, readFileSync(join(folder, name), "latin1")])),
      ),
    lose: (text) => {
      for (const name of names()) if (name.includes(text)) rmSync(join(folder, name));
      return Promise.resolve();
    },
    damage: ({ uri }) =>
      put(
        layout === "site" ? join(uri, "index.html").slice(folder.length) : uri.slice(folder.length),
        "other",
      ),
    put,
  };
}

async function inBucket(layout: Layout, context: TestContext): Promise<PlaceUnderTest> {
  const store = await startBucketStub(context);
  const put = (name: string, text: string): Promise<void> => {
    store.put(`public/${name}`, text);
    return Promise.resolve();
  };
  return {
    inputs: { bucket: STUB_BUCKET, prefix: "public", endpoint: store.endpoint, layout },
    operation: () => stubOperation(context),
    mark: "owner.json",
    content: () =>
      Promise.resolve(
        Object.fromEntries(
          [...store.objects].map(([key, { body }]) => [key.slice("public/".length), body.toString("latin1")]),
        ),
      ),
    lose: (text) => {
      for (const key of [...store.objects.keys()]) if (key.includes(text)) store.objects.delete(key);
      return Promise.resolve();
    },
    damage: ({ uri }: Copy) =>
      put(layout === "site" ? "index.html" : (uri.split("/public/")[1] ?? ""), "other"),
    put,
  };
}

async function inRegistry(context: TestContext): Promise<PlaceUnderTest> {
  const registry = await startRegistryStub(context);
  const { manifests } = registry;
  return {
    inputs: { repository: `${registry.host}/docs/site` },
    operation,
    mark: "docs-hosting-owner-",
    content: () =>
      Promise.resolve(Object.fromEntries([...manifests].map(([key, { body }]) => [key, String(body)]))),
    lose: (text) => {
      for (const [key, { body }] of [...manifests]) {
        if (!key.includes(text)) continue;
        // a tag, and what it names
        for (const [other, { body: same }] of [...manifests]) if (same === body) manifests.delete(other);
      }
      return Promise.resolve();
    },
    // the registry's garbage collection
    damage: () => {
      registry.blobs.clear();
      return Promise.resolve();
    },
  };
}

describe.each(LAYOUTS)("a folder, %s:", (layout) => {
  test.for(OWN_PLACE_ROWS)("%s", (name, context) => placeRow(name, inFolder(layout, context)));
});

describe.each(LAYOUTS)("a bucket, %s:", (layout) => {
  test.for(OWN_PLACE_ROWS)("%s", async (name, context) => placeRow(name, await inBucket(layout, context)));
});

describe("a repository:", () => {
  test.for(PLACE_ROWS)("%s", async (name, context) => placeRow(name, await inRegistry(context)));
});
