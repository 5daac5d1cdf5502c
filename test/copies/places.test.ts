// The contract of places at a real store of each protocol, for both layouts, and at a real registry.
import { beforeEach, describe, test, type TestContext, vi } from "vitest";
import { OWN_PLACE_ROWS, PLACE_ROWS, placeRow, type PlaceUnderTest } from "../contracts/place.ts";
import { operation } from "./bucketOperation.ts";
import { crane } from "./images.ts";
import { startRegistry } from "./registry.ts";
import { operation as registryOperation } from "./siteCopies.ts";
import { EACH_STORE } from "./stores/kinds.ts";
import type { BucketStore } from "./stores/store.ts";

const PREFIX = "docs";
/** Each place starts a store of its own. */
const LIMIT = { timeout: 120_000 };

function inStore(store: BucketStore, layout: "archive" | "site", context: TestContext): PlaceUnderTest {
  return {
    inputs: { ...store.place, prefix: PREFIX, layout },
    operation: () => operation(context),
    mark: "owner.json",
    async content() {
      const found: Record<string, string> = {};
      for (const key of await store.keys(`${PREFIX}/`)) {
        found[key.slice(PREFIX.length + 1)] = (await store.read(key)).content.toString("latin1");
      }
      return found;
    },
    async lose(text) {
      for (const key of await store.keys(`${PREFIX}/`)) if (key.includes(text)) await store.remove(key);
    },
    damage: ({ uri }) =>
      store.put(layout === "site" ? `${PREFIX}/index.html` : uri.slice(store.uri.length + 1), "other"),
    put: (name, text) => store.put(`${PREFIX}/${name}`, text),
  };
}

async function inRegistry(context: TestContext): Promise<PlaceUnderTest> {
  const { host } = await startRegistry(context);
  const repository = `${host}/docs/site`;
  const tags = async (): Promise<string[]> => {
    // a registry forgets a repository without tags
    const listed = await crane("ls", "--insecure", repository).catch(() => "");
    return listed.split("\n").filter((tag) => tag !== "");
  };
  return {
    inputs: { repository },
    operation: () => registryOperation(context),
    mark: "docs-hosting-owner-",
    async content() {
      const found: Record<string, string> = {};
      for (const tag of await tags()) {
        found[tag] = await crane("digest", "--insecure", `${repository}:${tag}`);
      }
      return found;
    },
    async lose(text) {
      for (const tag of (await tags()).filter((each) => each.includes(text))) {
        await crane(
          "delete",
          "--insecure",
          `${repository}@${await crane("digest", "--insecure", `${repository}:${tag}`)}`,
        );
      }
    },
    async damage({ uri }) {
      const manifest = JSON.parse(await crane("manifest", "--insecure", uri)) as {
        layers: { digest: string }[];
      };
      const [layer] = manifest.layers;
      await fetch(`http://${host}/v2/docs/site/blobs/${layer?.digest ?? ""}`, { method: "DELETE" });
    },
  };
}

describe.each(EACH_STORE)("%s:", (_name, kind) => {
  beforeEach(() => {
    vi.unstubAllEnvs();
    for (const [name, value] of Object.entries(kind.environment)) vi.stubEnv(name, value);
  });

  describe.each(["archive", "site"] as const)("the layout %s:", (layout) => {
    test.for(OWN_PLACE_ROWS)("%s", LIMIT, async (name, context) =>
      placeRow(name, inStore(await kind.start(context), layout, context)),
    );
  });
});

describe("a registry:", () => {
  test.for(PLACE_ROWS)("%s", LIMIT, async (name, context) => placeRow(name, await inRegistry(context)));
});
