import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Semaphore } from "../../base/runtime/concurrency/semaphore";
import { formatBytes } from "../../base/runtime/messages/formatBytes";
import { parseDuration } from "../../base/runtime/time/duration";
import { Yielder } from "../archives/yielder";
import type { TextKind } from "../inspection/embedded";
import { decoded, externalAddress, SITE_BASE } from "../inspection/externalAddress";
import { mediaTypeOf } from "../inspection/mediaTypes";
import { MAX_BYTES } from "../inspection/textLoads";
import { assetPath } from "./assetNames";
import { type AssetNetwork, requestAsset, type SilentHosts } from "./assetRequest";
import { cyclesIn } from "./cycles";
import type { FetchedAsset } from "./fetchedAsset";
import { type Digests, digestsOf, hasIntegrity, integrityOf } from "./integrity";
import type { KeptAssets, RecordedAsset } from "./keptAssets";
import { contentProblem, type LoadKind } from "./loadKinds";
import { DEFAULT_FETCH_LIMITS, type FetchExternal } from "./options";
import type { AssetReference, Replacement, Replacing } from "./references";
import { siteText } from "./siteText";
import { replaceInText } from "./textReferences";
import { WantedAddresses } from "./wantedAddresses";

/** Stands for the content of a file that was looked at when it was fetched. */
const KEPT_CONTENT = Buffer.from(" ");
/** How many files are fetched at once. */
const CONCURRENCY = 8;

/** What a fetch needs from the outside. */
export interface AssetContext extends AssetNetwork {
  /** An empty folder on the local disk, made on first use. */
  readonly scratch: () => Promise<string>;
}

/** A site that something is fetched for. */
export interface FetchingSite {
  /** Its domain, if it is known: what it loads from there by a whole address may be its own file. */
  readonly domain?: string | undefined;
  /** Whether the site has a file. @param path below the site's root */
  readonly hasFile: (path: string) => boolean;
}

/** An address that was requested, and what came. */
interface Asset {
  readonly url: URL;
  /** The kind of the first reference. */
  readonly kind: LoadKind;
  /** Why there is none. */
  failure?: string;
  /** Where it was in the end. */
  from: URL;
  type: string;
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
  /** Where it is stored, once all are fetched. */
  path?: string;
  /** `integrity` of what is stored, if that is not what was fetched. */
  storedIntegrity?: string;
}

/** A reference to an asset. */
interface Link {
  /** The fetched file that has it; undefined for a file of the site. */
  readonly from: Asset | undefined;
  readonly to: Asset;
  readonly kind: LoadKind;
  readonly integrity: string | undefined;
}

/** The address of a path, as seen from a file of the site. */
export type AddressOf = (path: string) => string | undefined;

/** Fetches what the texts of a site refer to, and what that refers to. Each address is requested once. */
export class FetchedAssets {
  readonly #context: AssetContext;
  readonly #site: FetchingSite;
  readonly #wanted: WantedAddresses;
  readonly #limits: typeof DEFAULT_FETCH_LIMITS;
  readonly #timeMs: number;
  readonly #slots = new Semaphore(CONCURRENCY);
  readonly #silent: SilentHosts = new Map();
  readonly #turns: Yielder;
  /** By the whole address. */
  readonly #assets = new Map<string, Asset>();
  /** Why addresses stay: by the address as the inspection reports it. */
  readonly #reasons = new Map<string, string>();
  /** Names of modules that import maps may translate, and the prefixes that they translate. */
  readonly #names = new Set<string>();
  readonly #prefixes = new Map<string, Map<string, URL>>();
  /** References whose address was requested. */
  readonly #links: Link[] = [];
  readonly #kept: KeptAssets | undefined;
  #recorded: readonly RecordedAsset[] = [];
  #startedAtMs: number | undefined;
  #fetchedBytes = 0;
  #running: Promise<void>[] = [];

  /** @param kept what an earlier copy of the same site has: it is not requested again */
  constructor(wanted: FetchExternal, site: FetchingSite, context: AssetContext, kept?: KeptAssets) {
    this.#kept = kept;
    this.#context = context;
    this.#site = site;
    this.#wanted = new WantedAddresses(wanted);
    this.#limits = { ...DEFAULT_FETCH_LIMITS, ...(wanted === true ? {} : wanted.limits) };
    this.#timeMs = parseDuration(this.#limits.time) ?? Infinity;
    this.#turns = new Yielder(context.signal);
  }

  /** Notes the references of a text, and requests what they refer to. */
  readonly noting: Replacing = {
    replace: (reference) => {
      this.#want(reference);
      return undefined;
    },
    dropsConnection: (url) => this.#wanted.dropsConnection(url),
    named: (specifier) => this.#name(specifier),
    prefixed: (prefix, url) => {
      this.#prefix(prefix, url);
      return new Map();
    },
  };

  /**
   * Replaces the references of a text. Only after {@link complete}.
   *
   * @param addressOf the address of a stored file as the text needs it
   * @param isFetched whether the text was itself fetched: an address that stays must not become relative to the copy
   */
  replacing(addressOf: AddressOf, isFetched = false): Replacing {
    const replaced = (reference: AssetReference): Replacement | undefined => {
      const found = this.#storedAs(reference);
      const address = found === undefined ? undefined : addressOf(found.path);
      if (found !== undefined && address !== undefined) {
        return { address, integrity: reference.integrity === undefined ? undefined : found.storedIntegrity };
      }
      if (found !== undefined) this.#note(reference.url, "a <base> of another host stands before it");
      return isFetched ? { address: reference.url.href } : undefined;
    };
    return {
      replace: replaced,
      dropsConnection: (url) => this.#wanted.dropsConnection(url),
      prefixed: (prefix, url) => {
        const found = new Map<string, string>();
        for (const name of this.#names) {
          if (!name.startsWith(prefix)) continue;
          const inner = URL.parse(name.slice(prefix.length), url.href);
          const stored = inner && replaced({ url: inner, kind: "module" });
          if (stored) found.set(name, stored.address);
        }
        return found;
      },
    };
  }

  /** Waits until everything is fetched, and decides where it is stored. */
  async complete(): Promise<void> {
    while (this.#running.length > 0) await Promise.all(this.#running.splice(0));
    await this.#store();
    this.#recorded = await this.#record();
  }

  /** What was fetched, in the order of the addresses. */
  get fetched(): FetchedAsset[] {
    return this.#recorded.map(({ address, sha256, bytes, path }) => ({ address, sha256, bytes, path }));
  }

  /** The same for the record of the copy. Only after {@link complete}. */
  get recorded(): readonly RecordedAsset[] {
    return this.#recorded;
  }

  /** The same text for the same content at the same addresses. */
  get digest(): string {
    const rows = this.#recorded.map(({ id, path }) => [id, path]);
    return hash("sha256", JSON.stringify(rows.sort(([one = ""], [other = ""]) => compare(one, other))));
  }

  /** Why an address stays, if it is known. @param address as the inspection reports it */
  reasonOf(address: string): string | undefined {
    return this.#reasons.get(address);
  }

  /** The stored files, each once. */
  async *files(): AsyncGenerator<{ path: string; bytes: Buffer }> {
    const byId = new Map([...this.#assets.values()].map((each) => [each.file, each]));
    const seen = new Set<string>();
    for (const { id, path } of this.#recorded.toSorted((one, other) => compare(one.path, other.path))) {
      if (seen.has(path)) continue;
      seen.add(path);
      const asset = byId.get(id);
      const kept = this.#kept?.find(id);
      const bytes = asset?.path === undefined ? kept && this.#kept?.bytes(kept) : this.#storedBytes(asset);
      if (bytes !== undefined) yield { path, bytes: await bytes };
    }
  }

  /** What the copy has: what was fetched now, and what is kept. */
  async #record(): Promise<RecordedAsset[]> {
    const rows: RecordedAsset[] = [...(this.#kept?.all ?? [])];
    for (const asset of this.#assets.values()) {
      const { url, sha256, bytes, path, type, digests, kept, file: id } = asset;
      if (path === undefined || digests === undefined || kept !== undefined) continue;
      const stored = asset.text === undefined ? sha256 : hash("sha256", await this.#storedBytes(asset));
      rows.push({ address: shownAddress(url), sha256, bytes, path, id, type, digests, stored });
    }
    return rows.sort(
      (one, other) =>
        compare(one.address, other.address) || compare(one.sha256, other.sha256) || compare(one.id, other.id),
    );
  }

  #storedAs({
    url,
    kind,
    integrity,
  }: AssetReference): { path: string; storedIntegrity?: string } | undefined {
    const own = this.#ownFile(url);
    if (own !== undefined) return { path: own };
    const asset = this.#assets.get(url.href);
    if (asset?.path === undefined || this.#wanted.reasonAgainst(url, kind) !== undefined) return undefined;
    if (this.#problemOf(asset, kind, integrity) !== undefined) return undefined;
    const { path, storedIntegrity } = asset;
    return { path, ...(storedIntegrity !== undefined && { storedIntegrity }) };
  }

  /** The file of the site that a whole address on its own domain leads to. */
  #ownFile({ hostname, pathname }: URL): string | undefined {
    if (hostname !== this.#site.domain) return undefined;
    const path = decoded(pathname)?.slice(1);
    return path !== undefined && path !== "" && this.#site.hasFile(path) ? path : undefined;
  }

  #problemOf(asset: Asset, kind: LoadKind, integrity: string | undefined): string | undefined {
    if (asset.failure !== undefined) return asset.failure;
    const problem = asset.problem?.(kind);
    if (problem !== undefined) return problem;
    if (integrity !== undefined && asset.digests && !hasIntegrity(asset.digests, integrity)) {
      return "its content is not that of the attribute integrity";
    }
    return undefined;
  }

  #note(url: URL, reason: string): void {
    const address = shownAddress(url);
    if (!this.#reasons.has(address)) this.#reasons.set(address, reason);
  }

  /** @param from the fetched file that has the reference; undefined for a file of the site */
  #want({ url, kind, integrity }: AssetReference, from?: Asset): void {
    if (this.#ownFile(url) !== undefined) return;
    const against = this.#wanted.reasonAgainst(url, kind);
    if (against !== undefined) return this.#note(url, against);
    const known = this.#assets.get(url.href);
    const asset = known ?? this.#begin(url, kind);
    if (asset === undefined) return;
    // thousands of pages have the same references
    const key = `${from?.file ?? ""} ${kind} ${integrity ?? ""}`;
    if (asset.references.has(key)) return;
    asset.references.add(key);
    this.#links.push({ from, to: asset, kind, integrity });
    if (known?.done) this.#run(known.done.then(() => this.#scan(known, kind)));
  }

  #begin(url: URL, kind: LoadKind): Asset | undefined {
    if (this.#assets.size >= this.#limits.assets) {
      this.#note(
        url,
        `more than ${this.#limits.assets} files are loaded from other hosts (fetchExternal.limits.assets)`,
      );
      return undefined;
    }
    const file = hash("sha256", url.href);
    const asset: Asset = {
      url,
      kind,
      from: url,
      type: "",
      bytes: 0,
      sha256: "",
      file,
      refers: new Set(),
      references: new Set(),
    };
    this.#assets.set(url.href, asset);
    const kept = this.#kept?.find(file);
    if (kept !== undefined) {
      const { type, bytes, sha256, digests } = kept;
      // what it refers to is kept, too
      Object.assign(asset, { type, bytes, sha256, digests, kept, isScanned: true });
      asset.problem = (wanted) => contentProblem(wanted, type, url, KEPT_CONTENT);
      return asset;
    }
    this.#startedAtMs ??= this.#context.clock.monotonic();
    const { signal } = this.#context;
    asset.done = this.#slots.run(
      () => this.#fetch(asset),
      signal,
      () => undefined,
    );
    this.#run(asset.done);
    return asset;
  }

  /** Work that {@link complete} waits for. It may fail before. */
  #run(work: Promise<void>): void {
    work.catch(() => undefined);
    this.#running.push(work);
  }

  async #fetch(asset: Asset): Promise<void> {
    const { url, kind } = asset;
    const { clock, reporter } = this.#context;
    const { assetBytes, bytes: allBytes, redirects } = this.#limits;
    const remainingMs = (): number => this.#timeMs - (clock.monotonic() - (this.#startedAtMs ?? 0));
    reporter.progress(`fetching from other hosts: ${this.#assets.size} files`);
    const answer = await requestAsset(
      url,
      { bytes: assetBytes, redirects, remainingMs },
      this.#context,
      this.#silent,
      (target) => this.#wanted.reasonAgainstTarget(target),
    );
    if ("failure" in answer) {
      asset.failure = answer.failure;
      return;
    }
    const { bytes, type, url: from } = answer;
    if (this.#fetchedBytes + bytes.length > allBytes) {
      asset.failure = `all files together have more than ${formatBytes(allBytes)} (fetchExternal.limits.bytes)`;
      return;
    }
    this.#fetchedBytes += bytes.length;
    Object.assign(asset, {
      type,
      from,
      bytes: bytes.length,
      sha256: hash("sha256", bytes),
      digests: digestsOf(bytes),
    });
    const beginning = Buffer.from(bytes.subarray(0, 4_096));
    asset.problem = (wanted) => contentProblem(wanted, type, url, beginning);
    await writeFile(await this.#file(asset), bytes);
    await this.#scan(asset, kind);
  }

  /** Searches a fetched text for further addresses, once it is known that it is what a reference wants. */
  async #scan(asset: Asset, kind: LoadKind): Promise<void> {
    if (asset.isScanned || asset.bytes > MAX_BYTES || this.#problemOf(asset, kind, undefined) !== undefined) {
      return;
    }
    asset.isScanned = true;
    asset.text = textKindOf(kind, asset.type, asset.url);
    if (asset.text === undefined) return;
    const noting: Replacing = {
      ...this.noting,
      replace: (reference) => {
        asset.refers.add(reference.url.href);
        this.#want(reference, asset);
        return undefined;
      },
    };
    const { text } = siteText(await readFile(await this.#file(asset)));
    const base = { url: asset.from.href, href: asset.from.href };
    await replaceInText(asset.text, text, base, () => noting, this.#turns);
  }

  #name(specifier: string): void {
    if (this.#names.has(specifier)) return;
    this.#names.add(specifier);
    for (const [prefix, addresses] of this.#prefixes) {
      for (const url of addresses.values()) this.#wantNamed(specifier, prefix, url);
    }
  }

  #prefix(prefix: string, url: URL): void {
    const addresses = this.#prefixes.get(prefix) ?? new Map<string, URL>();
    this.#prefixes.set(prefix, addresses);
    if (addresses.has(url.href)) return;
    addresses.set(url.href, url);
    for (const name of this.#names) this.#wantNamed(name, prefix, url);
  }

  #wantNamed(name: string, prefix: string, url: URL): void {
    if (!name.startsWith(prefix)) return;
    const inner = URL.parse(name.slice(prefix.length), url.href);
    if (inner) this.#want({ url: inner, kind: "module" });
  }

  async #file({ file }: Pick<Asset, "file">): Promise<string> {
    return join(await this.#context.scratch(), `asset-${file}`);
  }

  /** Decides where each asset is stored: those that others refer to first, because their names are part of the others' content. */
  async #store(): Promise<void> {
    const usable = [...this.#usable()].sort((one, other) => compare(one.url.href, other.url.href));
    const known = new Set(usable.map(({ url }) => url.href));
    const edges = (address: string): string[] =>
      [...(this.#assets.get(address)?.refers ?? [])].filter((each) => known.has(each)).sort();
    for (const group of cyclesIn(
      usable.map(({ url }) => url.href),
      edges,
    )) {
      const assets = group.map((address) => this.#assets.get(address)).filter((each) => each !== undefined);
      const isCycle = group.length > 1 || group.some((address) => edges(address).includes(address));
      const within = isCycle ? new Set(group) : undefined;
      const contents: string[] = [];
      for (const asset of assets) {
        if (asset.kept) asset.path = asset.kept.path;
        if (asset.kept && asset.kept.stored !== asset.sha256) {
          asset.storedIntegrity = integrityOf(await this.#storedBytes(asset));
        }
      }
      if (assets.some(({ kept }) => kept !== undefined)) continue;
      for (const asset of assets) contents.push(hash("sha256", await this.#contentOf(asset, within)));
      const all = hash("sha256", contents.toSorted().join(" "));
      for (const [index, asset] of assets.entries()) {
        const own = contents[index] ?? "";
        // files that refer to each other are named after all of them
        const digest = isCycle ? hash("sha256", `${own} ${all}`) : own;
        asset.path = this.#freePath(assetPath(asset.url, asset.kind, asset.type, digest));
      }
      for (const asset of assets) {
        if (asset.text === undefined) continue;
        const stored = await this.#contentOf(asset, undefined);
        if (hash("sha256", stored) !== asset.sha256) asset.storedIntegrity = integrityOf(stored);
        await writeFile(`${await this.#file(asset)}.stored`, stored);
      }
    }
  }

  /** What the site needs, directly or through others. Notes why references stay. */
  #usable(): Set<Asset> {
    const links = Map.groupBy(this.#links.splice(0), ({ from }) => from);
    const usable = new Set<Asset>();
    for (const open = [...(links.get(undefined) ?? [])]; open.length > 0;) {
      const link = open.pop();
      if (link === undefined) break;
      const { to, kind, integrity } = link;
      const problem = this.#problemOf(to, kind, integrity);
      if (problem !== undefined) this.#note(to.url, problem);
      else if (!usable.has(to)) {
        usable.add(to);
        open.push(...(links.get(to) ?? []));
      }
    }
    return usable;
  }

  /** The content of an asset with its references replaced. @param within addresses that have no name yet */
  async #contentOf(asset: Asset, within: ReadonlySet<string> | undefined): Promise<Buffer> {
    const bytes = await readFile(await this.#file(asset));
    if (asset.text === undefined) return bytes;
    const { text, bytesOf } = siteText(bytes);
    const own = asset.path;
    const final = this.replacing((path) => (own === undefined ? path : relativeAddress(own, path)), true);
    const replacing: Replacing = {
      ...final,
      replace: (reference, base) =>
        within?.has(reference.url.href) === true
          ? { address: `cycle:${hash("sha256", reference.url.href)}` }
          : final.replace(reference, base),
    };
    const base = { url: asset.from.href, href: asset.from.href };
    return bytesOf(await replaceInText(asset.text, text, base, () => replacing, this.#turns));
  }

  async #storedBytes(asset: Asset): Promise<Buffer> {
    if (asset.kept && this.#kept) return this.#kept.bytes(asset.kept);
    const file = await this.#file(asset);
    return readFile(asset.text === undefined ? file : `${file}.stored`);
  }

  /** A path that the site has no file at. */
  #freePath(path: string): string {
    let free = path;
    for (let count = 2; this.#site.hasFile(free); count++) {
      free = path.replace(/(?=\.[^./]*$|$)/, `-${count}`);
    }
    return free;
  }
}

function textKindOf(kind: LoadKind, type: string, url: URL): TextKind | undefined {
  if (kind === "style" || type === "text/css") return "css";
  if (kind === "script" || kind === "module" || /(?:java|ecma)script$/.test(type)) return "module";
  if (kind === "manifest") return "manifest";
  if (type === "image/svg+xml") return "xml";
  if (type === "text/html") return "html";
  if (type === "application/xhtml+xml") return "xml";
  const known = mediaTypeOf(url.pathname)?.inspectedAs;
  return /^(?:|(?:application|binary)\/octet-stream)$/.test(type) && known !== "html" ? known : undefined;
}

/** An address as the inspection reports it. */
export function shownAddress({ href }: URL): string {
  return externalAddress(href, SITE_BASE) ?? "";
}

/** The address of a file, relative to another. Both are below the site's root. */
export function relativeAddress(from: string, to: string): string {
  const [own, other] = [from.split("/").slice(0, -1), to.split("/")];
  let common = 0;
  while (common < own.length && common < other.length - 1 && own[common] === other[common]) common++;
  return "../".repeat(own.length - common) + other.slice(common).map(encodeURIComponent).join("/");
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
