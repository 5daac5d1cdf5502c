import { hash } from "node:crypto";
import { Semaphore } from "../../base/runtime/concurrency/semaphore";
import { formatBytes } from "../../base/runtime/messages/formatBytes";
import { parseDuration } from "../../base/runtime/time/duration";
import { compareTexts } from "../../base/runtime/values/textOrder";
import { Yielder } from "../archives/yielder";
import { decoded } from "../inspection/externalAddress";
import { MAX_BYTES } from "../inspection/textLoads";
import { type Asset, type Link, problemOf, textKindOf, usableAssets } from "./asset";
import { shownAddress } from "./assetAddresses";
import { assetFolder } from "./assetNames";
import { type AssetNetwork, requestAsset, type SilentHosts } from "./assetRequest";
import { AssetStore, MAX_CONTENT } from "./assetStore";
import { assetText } from "./assetText";
import type { FetchedAsset } from "./fetchedAsset";
import { digestsOf } from "./integrity";
import type { KeptAssets, RecordedAsset } from "./keptAssets";
import { contentProblem, type LoadKind } from "./loadKinds";
import { ModuleNames } from "./moduleNames";
import { DEFAULT_FETCH_LIMITS, type FetchExternal } from "./options";
import type { AssetReference, OwnOrigins, Replacement, Replacing, TextBase } from "./references";
import { replaceInText } from "./textReferences";
import { WantedAddresses } from "./wantedAddresses";

/** Stands for the content of a file that was looked at when it was fetched. */
const KEPT_CONTENT = Buffer.from(" ");
/** Why an address in a custom property stays. */
const IN_PROPERTY = `a custom property has it, which styles in other folders may use, and only images up to ${MAX_CONTENT / 1_024} KiB are put into styles`;
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

/** The address of a path, as seen from a file of the site. */
type AddressOf = (path: string) => string | undefined;

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
  readonly #names = new ModuleNames((url) => this.#want({ url, kind: "module" }));
  readonly #store: AssetStore;
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
    this.#store = new AssetStore({
      scratch: context.scratch,
      hasFile: site.hasFile,
      replacing: (addressOf) => this.replacing(addressOf, true),
      kept,
      turns: this.#turns,
    });
  }

  /** Notes the references of a text, and requests what they refer to. */
  readonly noting: Replacing = {
    replace: (reference) => {
      this.#want(reference);
      return undefined;
    },
    dropsConnection: (url) => this.#wanted.dropsConnection(url),
    named: (specifier) => this.#names.add(specifier),
    prefixed: (prefix, url) => {
      this.#names.addPrefix(prefix, url);
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
    const replaced = (reference: AssetReference, base?: TextBase): Replacement | undefined => {
      if (isFetched && base !== undefined && base.href !== base.url) {
        this.#note(reference.url, "it stands in a page of another host, below its <base>");
        return { address: reference.url.href };
      }
      const found = this.#storedAs(reference);
      const address = found === undefined ? undefined : addressOf(found.path);
      if (found !== undefined && reference.property && address?.startsWith("/") === false) {
        if (found.content !== undefined) return { address: found.content };
        if (!reference.property.isUsedHere) {
          this.#note(reference.url, IN_PROPERTY);
          return isFetched ? { address: reference.url.href } : undefined;
        }
      }
      if (found !== undefined && address !== undefined) {
        return { address, integrity: reference.integrity === undefined ? undefined : found.storedIntegrity };
      }
      if (found !== undefined) this.#note(reference.url, "a <base> of another host stands before it");
      return isFetched ? { address: reference.url.href } : undefined;
    };
    return {
      replace: replaced,
      dropsConnection: (url) => this.#wanted.dropsConnection(url),
      policy: () => this.origins,
      prefixed: (prefix, url) => {
        const found = new Map<string, string>();
        for (const [name, inner] of this.#names.translated(prefix, url)) {
          const stored = replaced({ url: inner, kind: "module" });
          if (stored) found.set(name, stored.address);
        }
        return found;
      },
      scope: (url) => {
        const path = url.pathname.endsWith("/")
          ? this.#usedFolder(url)
          : this.#storedAs({ url, kind: "module" })?.path;
        return path === undefined ? undefined : addressOf(path);
      },
    };
  }

  /** Waits until everything is fetched, and decides where it is stored. */
  async complete(): Promise<void> {
    while (this.#running.length > 0) await Promise.all(this.#running.splice(0));
    const usable = usableAssets(this.#links.splice(0), (url, reason) => this.#note(url, reason));
    await this.#store.name(usable, this.#assets);
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
    return hash("sha256", JSON.stringify(rows.sort(([one = ""], [other = ""]) => compareTexts(one, other))));
  }

  /** Hosts whose files the copy has. Only after {@link complete}. */
  get origins(): OwnOrigins {
    const inProperties = [...this.#assets.values()].filter(({ content }) => content !== undefined);
    return {
      stored: new Set(this.#recorded.map(({ address }) => new URL(address).origin)),
      inStyles: new Set(inProperties.map(({ url }) => url.origin)),
    };
  }

  /** Why an address stays, if it is known. @param address as the inspection reports it */
  reasonOf(address: string): string | undefined {
    return this.#reasons.get(address);
  }

  /** The stored files, each once. */
  async *files(): AsyncGenerator<{ path: string; bytes: Buffer }> {
    const byId = new Map([...this.#assets.values()].map((each) => [each.file, each]));
    const seen = new Set<string>();
    for (const { id, path } of this.#recorded.toSorted((one, other) => compareTexts(one.path, other.path))) {
      if (seen.has(path)) continue;
      seen.add(path);
      const asset = byId.get(id);
      const kept = this.#kept?.find(id);
      const bytes =
        asset?.path === undefined ? kept && this.#kept?.bytes(kept) : this.#store.storedBytes(asset);
      if (bytes !== undefined) yield { path, bytes: await bytes };
    }
  }

  /** What the copy has: what was fetched now, and what is kept. */
  async #record(): Promise<RecordedAsset[]> {
    const rows: RecordedAsset[] = [...(this.#kept?.all ?? [])];
    for (const asset of this.#assets.values()) {
      const { url, sha256, bytes, path, type, digests, kept, file: id } = asset;
      if (path === undefined || digests === undefined || kept !== undefined) continue;
      const stored = asset.text === undefined ? sha256 : hash("sha256", await this.#store.storedBytes(asset));
      rows.push({ address: shownAddress(url), sha256, bytes, path, id, type, digests, stored });
    }
    return rows.sort(
      (one, other) =>
        compareTexts(one.address, other.address) ||
        compareTexts(one.sha256, other.sha256) ||
        compareTexts(one.id, other.id),
    );
  }

  #storedAs({
    url,
    kind,
    integrity,
  }: AssetReference): (Pick<Asset, "content" | "storedIntegrity"> & { readonly path: string }) | undefined {
    const own = ownFile(this.#site, url);
    if (own !== undefined) return { path: own };
    const asset = this.#assets.get(url.href);
    if (asset?.path === undefined || this.#wanted.reasonAgainst(url, kind) !== undefined) return undefined;
    if (problemOf(asset, kind, integrity) !== undefined) return undefined;
    const { path, content, storedIntegrity } = asset;
    return { path, content, ...(storedIntegrity !== undefined && { storedIntegrity }) };
  }

  /** Where what was fetched from a folder of another host is stored. */
  #usedFolder(url: URL): string | undefined {
    const folder = assetFolder(url);
    return this.#recorded.some(({ path }) => path.startsWith(folder)) ? folder : undefined;
  }

  #note(url: URL, reason: string): void {
    const address = shownAddress(url);
    if (!this.#reasons.has(address)) this.#reasons.set(address, reason);
  }

  /** @param from the fetched file that has the reference; undefined for a file of the site */
  #want({ url, kind, integrity, property }: AssetReference, from?: Asset): void {
    if (ownFile(this.#site, url) !== undefined) return;
    const against = this.#wanted.reasonAgainst(url, kind);
    if (against !== undefined) return this.#note(url, against);
    const known = this.#assets.get(url.href);
    const asset = known ?? this.#begin(url, kind);
    if (asset === undefined) return;
    if (property) asset.isInProperty = true;
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
    const reply = await requestAsset(
      url,
      { bytes: assetBytes, redirects, remainingMs },
      this.#context,
      this.#silent,
      (target) => this.#wanted.reasonAgainstTarget(target),
    );
    if ("failure" in reply) {
      asset.failure = reply.failure;
      return;
    }
    const { bytes, type, charset, url: from } = reply;
    if (this.#fetchedBytes + bytes.length > allBytes) {
      asset.failure = `all files together have more than ${formatBytes(allBytes)} (fetchExternal.limits.bytes)`;
      return;
    }
    this.#fetchedBytes += bytes.length;
    Object.assign(asset, {
      type,
      charset,
      from,
      bytes: bytes.length,
      sha256: hash("sha256", bytes),
      digests: digestsOf(bytes),
    });
    const beginning = Buffer.from(bytes.subarray(0, 4_096));
    asset.problem = (wanted) => contentProblem(wanted, type, url, beginning);
    await this.#store.keep(asset, bytes);
    await this.#scan(asset, kind);
  }

  /** Searches a fetched text for further addresses, once it is known that it is what a reference wants. */
  async #scan(asset: Asset, kind: LoadKind): Promise<void> {
    if (asset.isScanned || asset.bytes > MAX_BYTES || problemOf(asset, kind, undefined) !== undefined) {
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
    const { text } = assetText(await this.#store.fetchedBytes(asset), asset);
    const base = { url: asset.from.href, href: asset.from.href };
    await replaceInText(asset.text, text, base, () => noting, this.#turns);
  }
}

/** The file of the site that a whole address on its own domain leads to. */
export function ownFile({ domain, hasFile }: FetchingSite, { hostname, pathname }: URL): string | undefined {
  if (hostname !== domain) return undefined;
  const path = decoded(pathname)?.slice(1);
  return path !== undefined && path !== "" && hasFile(path) ? path : undefined;
}
