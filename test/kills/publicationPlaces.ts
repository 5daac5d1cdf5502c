import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { startBucketStub, STUB_BUCKET } from "../simulation/bucketStub.ts";
import { startRegistryServer } from "../simulation/registryStub.ts";
import type { Job } from "./publicationProcess.ts";

/** A destination of one content, and its state as read from outside. */
export interface Target {
  readonly resource: Job["resource"];
  readonly inputs: Job["inputs"];
  /** All of our files there. */
  left(): string[];
  /** How often each content was sent, by its name. */
  sent(): Readonly<Record<string, number>>;
}

export type DestinationInputs = (
  context: Pick<TestContext, "onTestFinished">,
  root: string,
) => Promise<Target>;

/** A file with another inode than the run before left was written twice. */
function inFolder(resource: Job["resource"], inputs: (folder: string) => Job["inputs"]): DestinationInputs {
  return (_context, root) => {
    const folder = join(root, "place");
    mkdirSync(folder);
    const inodes = new Map<string, Set<number>>();
    const left = (): string[] => readdirSync(folder, { recursive: true }).map(String);
    return Promise.resolve({
      resource,
      inputs: inputs(folder),
      left,
      sent: () => {
        // files under their final names, not in a hidden draft; the list of a site's files is a record that is written before
        // them
        const isContent = (name: string): boolean => !/^(?:\.|current|[0-9a-f]{64}\.json$)/.test(name);
        for (const name of left().filter(isContent)) {
          const seen = lstatSync(join(folder, name));
          if (seen.isFile()) inodes.set(name, (inodes.get(name) ?? new Set()).add(seen.ino));
        }
        return Object.fromEntries([...inodes].map(([name, all]) => [name, all.size]));
      },
    });
  };
}

const inBucket =
  (layout: "archive" | "site"): DestinationInputs =>
  async (context) => {
    const store = await startBucketStub(context);
    const { objects } = store;
    const counts: Record<string, number> = {};
    const set = objects.set.bind(objects);
    objects.set = (key, value) => {
      // a site's record is written before and after its files
      if (!key.startsWith(".docs-hosting/")) counts[key] = (counts[key] ?? 0) + 1;
      return set(key, value);
    };
    const destination = {
      bucket: STUB_BUCKET,
      endpoint: store.endpoint,
      region: "eu-west-1",
      layout,
      ...(layout === "archive" && { linkLife: "1h" }),
    };
    return {
      resource: "BundleCopy",
      inputs: { destination },
      left: () => [...objects.keys(), ...store.uploads.keys()],
      sent: () => counts,
    };
  };

/** Each kind of destination. */
export const PLACES: Readonly<Record<string, DestinationInputs>> = {
  "folder, archive": inFolder("BundleCopy", (folder) => ({ destination: { folder } })),
  "folder, site": inFolder("BundleCopy", (folder) => ({ destination: { folder, layout: "site" } })),
  "folder, site with an offline search": inFolder("BundleCopy", (folder) => ({
    destination: { folder, layout: "site" },
    offlineSearch: true,
  })),
  "bucket, archive": inBucket("archive"),
  "bucket, site": inBucket("site"),
  registry: async (context) => {
    const registry = await startRegistryServer(context);
    return {
      resource: "BundleCopy",
      inputs: { destination: { repository: `${registry.host}/docs/site`, tag: "latest" } },
      left: () => [...registry.at("docs/site").manifests.keys()],
      sent: () => Object.fromEntries(registry.sent),
    };
  },
  kit: inFolder("AirGapKit", (folder) => ({ folder })),
};
