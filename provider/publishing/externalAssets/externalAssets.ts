import { hash } from "node:crypto";
import { extname } from "node:path/posix";
import { BundleRefusedError } from "../../base/runtime/messages/errors";
import { shown } from "../archives/refusal";
import { asContent, type SiteFile, type SiteLimits, type SiteSink } from "../archives/siteSink";
import { Yielder } from "../archives/yielder";
import { type BundleFile, unpackBundle, type Unpacking } from "../inspection/bundle";
import { SITE_HOST } from "../inspection/externalAddress";
import { inspectedCharacters, InspectionBudget } from "../inspection/inspectionBudget";
import { mediaTypeOf } from "../inspection/mediaTypes";
import type { ExternalLoad } from "../inspection/siteLoads";
import { COMPRESSED_ENDINGS, SiteLoads } from "../inspection/siteLoads";
import { MAX_BYTES } from "../inspection/textLoads";
import { SiteAddresses } from "../sitePages/siteAddresses";
import { relativeAddress } from "./assetAddresses";
import { ASSETS_FOLDER } from "./assetNames";
import type { FetchedAsset } from "./fetchedAsset";
import { type AssetContext, FetchedAssets, type FetchingSite } from "./fetchedAssets";
import { baseOf, FoundTexts } from "./foundTexts";
import { KeptAssets, type ReadCopy, RECORD_PATH, recordText } from "./keptAssets";
import { canonicalFetch, FETCH_VERSION, type FetchExternal } from "./options";
import type { AssetReference, Replacing, TextBase } from "./references";
import { siteText } from "./siteText";
import { replaceInText } from "./textReferences";

/** Why an address stays that nothing else explains. */
function unexplained(address: string): string {
  const [, scheme = "https:"] = /^([a-z][a-z0-9+.-]*:)/i.exec(address) ?? [];
  if (!/^https?:$/i.test(scheme)) return `${scheme.toLowerCase()} is not fetched, only https:`;
  return "nothing is replaced where it stands (a redirect, a rule for later pages, a data: address, a text with entities of its own)";
}

/** What a copy has of other hosts, and what it still loads from there. */
export interface ExternalFacts {
  readonly fetchedAssets: readonly FetchedAsset[];
  readonly selfContained: boolean;
  /** As in an inspection, with the reason why it was not fetched. */
  readonly externalLoads: readonly ExternalLoad[];
}

/** A sink that gets a site without references to other hosts. */
interface ExternalSink extends SiteSink {
  /** Passes the fetched files on. The sink then accepts no more. */
  finish(): Promise<ExternalFacts>;
}

/** What is known of the site. */
export interface ExternalSite extends FetchingSite, Omit<Unpacking, "signal"> {}

/** What is fetched for, and how. */
interface Fetching {
  readonly site: ExternalSite;
  readonly limits: SiteLimits;
  readonly signal: AbortSignal;
  /** Identifies the options. */
  readonly options: string;
}

/** What the pages of a site load from other hosts, fetched. */
export class ExternalAssets {
  readonly #assets: FetchedAssets;
  readonly #site: ExternalSite;
  readonly #limits: SiteLimits;
  readonly #signal: AbortSignal;
  /** Identifies the options. */
  readonly #options: string;
  readonly #addresses: SiteAddresses;
  /** Scripts that pages load as modules. */
  readonly #modules: ReadonlySet<string>;
  /** Files with replaced references: their compressed copies are others. */
  readonly #changed: ReadonlySet<string>;

  private constructor(
    assets: FetchedAssets,
    { site, limits, signal, options }: Fetching,
    found: Pick<FoundTexts, "modules" | "changed">,
  ) {
    this.#assets = assets;
    this.#site = site;
    this.#limits = limits;
    this.#signal = signal;
    this.#options = options;
    this.#addresses = new SiteAddresses(site.hasFile);
    this.#modules = found.modules;
    this.#changed = found.changed;
  }

  /**
   * Reads an inspected bundle, and fetches what its pages load from other hosts, and what that loads.
   *
   * @param earlier reads an earlier copy of the same site: what it has is not requested again
   * @throws BundleRefusedError; the signal's reason; the error of the file system
   */
  static async fetch(
    bundle: BundleFile,
    limits: SiteLimits,
    site: ExternalSite,
    wanted: FetchExternal,
    context: AssetContext,
    earlier?: ReadCopy,
  ): Promise<ExternalAssets> {
    const { signal } = context;
    const options = hash("sha256", JSON.stringify(canonicalFetch(wanted)));
    const kept =
      earlier &&
      (await KeptAssets.read(earlier, await context.scratch(), { version: FETCH_VERSION, options }));
    const assets = new FetchedAssets(wanted, site, context, kept);
    const texts = new FoundTexts(assets.noting, signal);
    await unpackBundle(bundle, limits, texts, { ...site, signal });
    texts.followModules(site.hasFile);
    await assets.complete();
    return new ExternalAssets(assets, { site, limits, signal, options }, texts);
  }

  /** Identifies what was fetched. */
  get digest(): string {
    return this.#assets.digest;
  }

  get fetched(): readonly FetchedAsset[] {
    return this.#assets.fetched;
  }

  /** Changes the files of the site on their way to a sink. */
  sink(next: SiteSink): ExternalSink {
    const turns = new Yielder(this.#signal);
    const loads = new SiteLoads(new InspectionBudget(inspectedCharacters(this.#limits.unpackedBytes), turns));
    const inspected = async (file: SiteFile, bytes: Buffer): Promise<void> => {
      await loads.inspect(file.path, bytes.length, asContent(bytes));
      await next.file({ path: file.path, size: bytes.length }, asContent(bytes));
    };
    return {
      file: async (file, content) => {
        const { path, size } = file;
        const plain = plainPath(path);
        if (path === ASSETS_FOLDER || path === RECORD_PATH || ASSETS_FOLDER.startsWith(`${path}/`)) {
          throw noFolder(path);
        }
        if (mediaTypeOf(plain)?.inspectedAs === undefined || size > MAX_BYTES) {
          await loads.inspect(path, size, asContent());
          return next.file(file, content);
        }
        const bytes = Buffer.concat(await Array.fromAsync(content));
        if (plain === path) return inspected(file, await this.#changedBytes(path, bytes, turns));
        // a web server would send the compressed copy in place of the changed file
        if (!this.#changed.has(plain)) await inspected(file, bytes);
      },
      finish: async () => {
        const stored = new Set<string>();
        for await (const { path, bytes } of this.#assets.files()) {
          stored.add(path);
          await inspected({ path, size: bytes.length }, bytes);
        }
        const files = this.#assets.recorded;
        if (files.length > 0) {
          const record = Buffer.from(recordText({ version: FETCH_VERSION, options: this.#options, files }));
          await next.file({ path: RECORD_PATH, size: record.length }, asContent(record));
        }
        loads.followModules("", (path) => stored.has(path) || this.#site.hasFile(path));
        const externalLoads = loads.external.map(({ page, ...load }) => ({
          ...load,
          page: shown(page),
          reason: this.#assets.reasonOf(load.address) ?? unexplained(load.address),
        }));
        return { fetchedAssets: this.fetched, selfContained: externalLoads.length === 0, externalLoads };
      },
    };
  }

  async #changedBytes(path: string, bytes: Buffer, turns: Yielder): Promise<Buffer> {
    const kind = mediaTypeOf(path)?.inspectedAs;
    const isPacked = mediaTypeOf(path)?.encoding !== undefined;
    if (kind === undefined || isPacked || !this.#changed.has(path)) return bytes;
    if (kind === "module" && !this.#modules.has(path)) return bytes;
    const { text, bytesOf } = siteText(bytes);
    const next = await replaceInText(
      kind,
      text,
      baseOf(path),
      (rooted) => this.#replacingIn(path, rooted),
      turns,
    );
    return next === text ? bytes : bytesOf(next);
  }

  /** @param rooted addresses of the page's own loads that begin with a slash */
  #replacingIn(path: string, rooted: readonly string[]): Replacing {
    const root = this.#addresses.rootOf(rooted);
    const atRoot = (to: string): string => to.split("/").map(encodeURIComponent).join("/");
    const own = this.#assets.replacing((to) =>
      root === undefined ? relativeAddress(path, to) : `${root}${atRoot(to)}`,
    );
    const forBase = ({ url, href, isRooted }: TextBase): Replacing => {
      // what its own addresses lead to is on another host
      if (new URL(href).host !== SITE_HOST) return this.#assets.replacing(() => undefined);
      if (root !== undefined || url === href) return own;
      // `<base href="/docs/">` says where the site is on its server
      if (isRooted === true) return this.#assets.replacing(atRoot);
      const from = decodeURI(new URL(href).pathname.slice(1));
      return this.#assets.replacing((to) => relativeAddress(from, to));
    };
    return {
      replace: (reference: AssetReference, base) => forBase(base).replace(reference, base),
      dropsConnection: (url) => own.dropsConnection(url),
      policy: () => this.#assets.origins,
      prefixed: (prefix, url, base) => forBase(base).prefixed?.(prefix, url, base) ?? new Map(),
      scope: (url, base) => forBase(base).scope?.(url, base),
    };
  }
}

/** The path of a compressed copy without the ending of the compression. */
function plainPath(path: string): string {
  const ending = extname(path).toLowerCase();
  return COMPRESSED_ENDINGS.has(ending) ? path.slice(0, -ending.length) : path;
}

function noFolder(path: string): BundleRefusedError {
  return new BundleRefusedError(
    `the site has a file ${path}, where what is fetched from other hosts is put`,
    "Take it out of the site's sources, or switch `fetchExternal` off.",
  );
}
