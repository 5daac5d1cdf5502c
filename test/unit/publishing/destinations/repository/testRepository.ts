import { createHash } from "node:crypto";
import { beforeEach } from "vitest";
import type { Copy, Destination } from "../../../../../provider/publishing/destinations/destination.ts";
import { repositoryDestination } from "../../../../../provider/publishing/destinations/repository/repositoryDestination.ts";
import { OWNER } from "../../../../simulation/owners.ts";
import { type RegistryStub, startRegistryStub } from "../../../../simulation/registryStub.ts";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
/** The digest of an empty configuration. */
export const EMPTY = `sha256:${sha256("{}")}`;

export const digestIn = ({ uri }: Copy): string => uri.split("@")[1] ?? "";
export const ownTag = (copy: Copy): string =>
  digestIn(copy)
    .replace(":", "-")
    .slice(0, "sha256-".length + 16);
export const markOf = (copy: Copy, kind = "owner"): string =>
  `docs-hosting-${kind}-${ownTag(copy).slice("sha256-".length)}-${OWNER.id}`;
export const listOf = ({ parts }: Copy): { digest: string } => parts["files"] as { digest: string };
export const manifestsIn = ({ parts }: Copy): string[] => parts["manifests"] as string[];

/** A repository in a registry in memory: an empty one for each test of the file. */
export interface TestRepository {
  readonly registry: RegistryStub;
  readonly repository: string;
  readonly destination: (more?: object) => Destination;
  /** A stored manifest, by its digest or tag. */
  readonly read: (name: string) => Record<string, unknown>;
  /** The stored manifests and removals, in order. */
  readonly written: (method?: string) => string[];
  readonly sentBlobs: () => number;
  /** The digests of the blobs that were downloaded. */
  readonly blobsRead: () => string[];
}

export function testRepository(): TestRepository {
  let registry: RegistryStub;
  beforeEach(async (context) => {
    registry = await startRegistryStub(context);
  });
  const repository = (): string => `${registry.host}/docs/site`;
  /** What follows a part of the path in requests of a method. */
  const namesIn = (method: string, part: string): string[] =>
    registry.requests
      .filter((each) => each.startsWith(`${method} `) && each.includes(part))
      .map((each) => each.split(part)[1] ?? "");
  return {
    get registry() {
      return registry;
    },
    get repository() {
      return repository();
    },
    destination: (more = {}) => repositoryDestination({ repository: repository(), ...more }),
    read: (name) => JSON.parse(String(registry.manifests.get(name)?.body)) as Record<string, unknown>,
    written: (method = "PUT") => namesIn(method, "/manifests/"),
    sentBlobs: () => namesIn("PUT", "/blobs/").length,
    blobsRead: () => namesIn("GET", "/blobs/"),
  };
}
