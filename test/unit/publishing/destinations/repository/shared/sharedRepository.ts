import { beforeEach, expect } from "vitest";
import type {
  Copy,
  DraftingDestination,
  Signing,
} from "../../../../../../provider/publishing/destinations/destination.ts";
import { repositoryDestination } from "../../../../../../provider/publishing/destinations/repository/repositoryDestination.ts";
import type { Owner } from "../../../../../../provider/publishing/ownership/owner.ts";
import { otherOwner } from "../../../../../simulation/owners.ts";
import { type RegistryStub, startRegistryStub } from "../../../../../simulation/registryStub.ts";
import { copySite, operation } from "../repositoryCopies.ts";

/** The second resource that publishes to the repository. */
export const OTHER: Owner = otherOwner();
/** How messages name it. */
export const OTHER_NAME = `${OTHER.urn ?? ""} (stack website/prod)`;

type Operation = Awaited<ReturnType<typeof operation>>;

interface Publication {
  readonly tag?: string;
  readonly signing?: Signing;
  readonly base?: string;
  readonly takeOver?: boolean;
  readonly earlier?: readonly Copy[];
}

/** A repository that several resources publish to: an empty one for each test of the file. */
export interface SharedRepository {
  readonly registry: RegistryStub;
  readonly repository: string;
  /** The messages of all operations. */
  readonly lines: Operation["reporter"]["lines"];
  /** An operation of this resource. */
  readonly as: (owner: Owner) => Promise<Operation>;
  readonly place: (tag?: string) => DraftingDestination;
  /** Publishes a site whose only page has this text. */
  readonly publish: (owner: Owner, text: string, options?: Publication) => Promise<Copy>;
  /** Prunes copies beside those that are kept, or releases the place. */
  readonly remove: (
    owner: Owner,
    copies: readonly Copy[],
    tag?: string,
    kept?: readonly Copy[],
  ) => Promise<void>;
  /** A removal that is killed when it removes the first manifest at which `isThen` holds. */
  readonly killedRemoval: (owner: Owner, copy: Copy, isThen?: () => boolean, tag?: string) => Promise<void>;
  readonly compare: (owner: Owner, copy: Copy, tag?: string) => Promise<string>;
  readonly digestIn: (copy: Copy) => string;
  /** Tags and digests of all manifests in the registry. */
  readonly left: () => string[];
  /** The digest that a tag names. */
  readonly named: (tag: string) => string | undefined;
}

export function sharedRepository(): SharedRepository {
  let registry: RegistryStub;
  let lines: SharedRepository["lines"];
  beforeEach(async (context) => {
    registry = await startRegistryStub(context);
    lines = { progress: [], info: [], warn: [] };
  });

  const repository = (): string => `${registry.host}/docs/site`;
  const place = (tag?: string): DraftingDestination =>
    repositoryDestination({ repository: repository(), ...(tag !== undefined && { tag }) });
  const as = async (owner: Owner): Promise<Operation> => {
    const given = await operation();
    Object.assign(given.reporter.lines, lines);
    return { ...given, owner };
  };
  const left = (): string[] => [...registry.manifests.keys()];

  return {
    get registry() {
      return registry;
    },
    get repository() {
      return repository();
    },
    get lines() {
      return lines;
    },
    as,
    place,
    publish: async (owner, text, { tag, signing, base, takeOver = false, earlier = [] } = {}) =>
      copySite(
        {
          repository: repository(),
          ...(tag !== undefined && { tag }),
          ...(base !== undefined && { base }),
        },
        {
          files: { "index.html": text },
          context: { ...(await as(owner)), takeOver },
          earlier,
          ...(signing && { signing }),
        },
      ),
    remove: async (owner, copies, tag, kept = []) => {
      const [newest, ...older] = kept;
      const context = await as(owner);
      await (newest
        ? place(tag).prune(copies, [newest, ...older], context)
        : place(tag).release(copies, context));
    },
    killedRemoval: async (owner, copy, isThen = () => true, tag) => {
      const kill = new AbortController();
      registry.rule = (method, path) => {
        if (method !== "DELETE" || !path.includes("/manifests/") || !isThen()) return undefined;
        kill.abort(new Error("killed"));
        return 500;
      };
      const context = { ...(await as(owner)), signal: kill.signal };
      await expect(place(tag).release([copy], context)).rejects.toThrow("killed");
      registry.rule = undefined;
    },
    compare: async (owner, copy, tag) => place(tag).compare(copy, await as(owner)),
    digestIn: ({ uri }) => uri.split("@")[1] ?? "",
    left,
    named: (tag) => {
      const body = registry.manifests.get(tag)?.body;
      return left().find((key) => key.startsWith("sha256:") && registry.manifests.get(key)?.body === body);
    },
  };
}
