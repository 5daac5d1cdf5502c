import type { TextKind } from "../inspection/embedded";
import { mediaTypeOf } from "../inspection/mediaTypes";
import { type Digests, hasIntegrity } from "./integrity";
import type { RecordedAsset } from "./keptAssets";
import type { LoadKind } from "./loadKinds";

/** An address that was requested, and what came. */
export interface Asset {
  readonly url: URL;
  /** The kind of the first reference. */
  readonly kind: LoadKind;
  /** Why there is none. */
  failure?: string;
  /** Where it was in the end. */
  from: URL;
  type: string;
  /** The encoding that its host names. */
  charset?: string | undefined;
  bytes: number;
  sha256: string;
  digests?: Digests;
  /** Why its content is not what a reference of a kind wants. */
  problem?: (kind: LoadKind) => string | undefined;
  /** How it is searched for further addresses. */
  text?: TextKind | undefined;
  /** Names the file in the scratch folder. */
  readonly file: string;
  /** Set once its fetch has begun. */
  done?: Promise<void>;
  /** Whether it was searched for further addresses. */
  isScanned?: true;
  /** Who refers to it and as what: each once. */
  readonly references: Set<string>;
  /** Set if an earlier copy has it. */
  kept?: RecordedAsset;
  /** The addresses that it refers to. */
  readonly refers: Set<string>;
  /** A custom property has its address. */
  isInProperty?: true;
  /** Where it is stored, once all are fetched. */
  path?: string;
  /** Its content as an address, if a custom property has its own. */
  content?: string | undefined;
  /** `integrity` of what is stored, if that is not what was fetched. */
  storedIntegrity?: string;
}

/** A reference to an asset. */
export interface Link {
  /** The fetched file that has it; undefined for a file of the site. */
  readonly from: Asset | undefined;
  readonly to: Asset;
  readonly kind: LoadKind;
  readonly integrity: string | undefined;
}

/** Why an asset is not what a reference wants. */
export function problemOf(asset: Asset, kind: LoadKind, integrity: string | undefined): string | undefined {
  if (asset.failure !== undefined) return asset.failure;
  const problem = asset.problem?.(kind);
  if (problem !== undefined) return problem;
  if (integrity !== undefined && asset.digests && !hasIntegrity(asset.digests, integrity)) {
    return "its content is not that of the attribute integrity";
  }
  return undefined;
}

/**
 * What the site needs, directly or through others.
 *
 * @param note gets why a reference stays
 */
export function usableAssets(links: readonly Link[], note: (url: URL, reason: string) => void): Set<Asset> {
  const byFrom = Map.groupBy(links, ({ from }) => from);
  const usable = new Set<Asset>();
  for (const open = [...(byFrom.get(undefined) ?? [])]; open.length > 0;) {
    const link = open.pop();
    if (link === undefined) break;
    const { to, kind, integrity } = link;
    const problem = problemOf(to, kind, integrity);
    if (problem !== undefined) note(to.url, problem);
    else if (!usable.has(to)) {
      usable.add(to);
      open.push(...(byFrom.get(to) ?? []));
    }
  }
  return usable;
}

/** How a fetched file is searched for further addresses; undefined if it has none. */
export function textKindOf(kind: LoadKind, type: string, url: URL): TextKind | undefined {
  if (kind === "style" || type === "text/css") return "css";
  if (kind === "script" || kind === "module" || /(?:java|ecma)script$/.test(type)) return "module";
  if (kind === "manifest") return "manifest";
  if (type === "image/svg+xml") return "xml";
  if (type === "text/html") return "html";
  if (type === "application/xhtml+xml") return "xml";
  const known = mediaTypeOf(url.pathname)?.inspectedAs;
  return /^(?:|(?:application|binary)\/octet-stream)$/.test(type) && known !== "html" ? known : undefined;
}
