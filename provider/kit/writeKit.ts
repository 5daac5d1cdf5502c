import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { SiteLimits } from "../archive/site";
import { digestFile } from "../files/listing";
import { copyInto } from "../files/writeFile";
import { formatBytes } from "../messages/formatBytes";
import type { SearchFacts, WantedSearch } from "../offlineSearch/unpackSite";
import type { RegistryContext } from "../registry/exchange";
import { BundleRefusedError, DestinationError } from "../messages/errors";
import { BlobStore } from "./blobStore";
import { buildSiteImage, type KitBundle } from "./buildSiteImage";
import { packChart, type KitChart } from "./chartArchive";
import { chartValues } from "./chartValues";
import { KitDraft } from "./draft";
import type { EarlierKit } from "./earlierKit";
import type { KitImage, PulledImage } from "./kitImage";
import { kitManifest, manifestText, type KitContent, type KitManifest } from "./manifest";
import { BLOBS, writeLayout } from "./ociLayout";
import { writeOriginFiles } from "./originFiles";
import { writeParts } from "./parts";
import { pullImage } from "./pullImage";
import type { Signer } from "../signing/signer";
import { signatureFiles, sigstoreBundle } from "./signatureFiles";
import { sumFiles, sumsText, type SummedFile } from "./sums";
import { writeReadme, writeSchema, writeScript, type TextValues } from "./texts";

/** The content of a kit. */
export interface KitRequest {
  readonly bundle: KitBundle;
  /** Base URL of the service that exported the bundle. Absent for a bundle that was a file. */
  readonly serviceUrl?: string | undefined;
  /** The search to add to the site's image, if any. */
  readonly search?: WantedSearch | undefined;
  readonly limits: SiteLimits;
  /** Path of the chart. */
  readonly chart?: string | undefined;
  /** Names of images: the site's own image is built on the first one. */
  readonly images: readonly string[];
  readonly platforms: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly signer?: Signer | undefined;
  readonly since?: EarlierKit | undefined;
  /** Maximum size of a part, in bytes. Without it, the kit is not split. */
  readonly partSize?: number | undefined;
  /** Folders of local kits from which blobs may be copied. */
  readonly earlier: readonly string[];
}

/** Where the kit is written, and by which resource. */
export interface KitDestination {
  readonly folder: string;
  /** Distinguishes the drafts of several resources. */
  readonly owner: string;
  /** Called just before the rename that publishes the kit. */
  readonly placing?: (kit: WrittenKit) => void;
}

/** What the state stores of a kit, so that later runs can find, compare and remove it. */
export interface WrittenKit {
  /** Name of its folder. */
  readonly name: string;
  /** SHA-256 of its `SHA256SUMS`. */
  readonly sha256: string;
  /**
   * The list of the files in its folder, and the digest of that list: of a kit in parts, the list of the parts.
   */
  readonly list: { readonly file: string; readonly sha256: string };
  /** Size of all files in its folder, in bytes. */
  readonly size: number;
  /** Number of files in its folder. */
  readonly files: number;
  readonly signed: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  /** About the search in the site's image. */
  readonly search?: SearchFacts;
}

const SUMS = "SHA256SUMS";
const PARTS_SUMS = "PARTS.SHA256SUMS";
const MANIFEST = "manifest.json";
/** Longest label in a folder's name, in characters. */
const LABEL_LIMIT = 60;
const NAME_DIGITS = 12;

/**
 * Writes a kit and publishes it with one rename. After a failure, the fetched blobs stay for the next run.
 *
 * @throws DocsHostingError; the error of the file system; the signal's reason
 */
export async function writeKit(
  request: KitRequest,
  { folder, owner, placing }: KitDestination,
  context: RegistryContext,
): Promise<WrittenKit> {
  const draft = await KitDraft.claim(folder, owner);
  try {
    const written = await new KitWriter(request, draft, context).write();
    placing?.(written.kit);
    await draft.publish(written.from, written.kit.name);
    return written.kit;
  } catch (error) {
    await draft.release().catch(() => undefined); // the first error is the one to report
    throw error;
  }
}

class KitWriter {
  readonly #request: KitRequest;
  readonly #draft: KitDraft;
  readonly #kit: string;
  readonly #context: RegistryContext;
  readonly #createdAt: string;
  #search: SearchFacts | undefined;

  constructor(request: KitRequest, draft: KitDraft, context: RegistryContext) {
    this.#request = request;
    this.#draft = draft;
    this.#kit = draft.kit;
    this.#context = context;
    this.#createdAt = new Date(context.clock.now()).toISOString();
  }

  /** @returns the kit, and the folder that contains it now */
  async write(): Promise<{ kit: WrittenKit; from: string }> {
    const { reporter, signal } = this.#context;
    const { bundle, signer, partSize } = this.#request;
    // first everything that can fail without a network
    const chart = await this.#chart();
    const bundleName = await this.#bundle();
    const { images, blobs } = await this.#images();
    await this.#originFiles(images, chart);
    await writeFile(join(this.#kit, "values.yaml"), chartValues(bundle, images, this.#request.values));
    await writeScript("verify.sh", this.#kit);
    if (images.length > 0) await writeScript("load.sh", this.#kit);
    if (chart) await writeScript("install.sh", this.#kit);
    await writeSchema(this.#kit);
    reporter.progress("computing the checksums of the kit");
    const files = await sumFiles(this.#kit, signal);
    refuseOtherBlobs(files);
    const file = (path: string): SummedFile =>
      present(
        files.find((each) => each.path === path),
        path,
      );
    const manifest = kitManifest({
      bundle,
      bundleFile: file(bundleName),
      chart: chart && { ...chart, ...file(chart.path) },
      images,
      blobs,
      since: this.#request.since,
      isSigned: signer !== undefined,
      createdAt: this.#createdAt,
    });
    await writeFile(join(this.#kit, MANIFEST), manifestText(manifest));
    const texts = this.#texts(manifest, file("verify.sh"));
    await writeReadme(this.#kit, { ...texts, parts: false });
    const name = this.#name(files, manifest);
    const sums = await this.#sign(this.#kit, SUMS, files);
    const facts = {
      name,
      sha256: sums.sha256,
      signed: signer !== undefined,
      createdAt: this.#createdAt,
      ...(this.#search && { search: this.#search }),
    };
    const whole = { ...facts, list: { file: SUMS, sha256: sums.sha256 }, ...totalOf(sums.files) };
    if (partSize === undefined) return { kit: whole, from: this.#kit };
    const parts = await this.#cut(sums.files, partSize, texts);
    return { kit: { ...facts, ...parts.totals }, from: parts.folder };
  }

  /** Splits the finished kit into parts, in a folder that also has what is needed to verify and join them. */
  async #cut(
    files: readonly SummedFile[],
    partSize: number,
    texts: TextValues,
  ): Promise<{ folder: string; totals: Pick<WrittenKit, "list" | "size" | "files"> }> {
    const { reporter, signal } = this.#context;
    const folder = join(this.#draft.scratch, "parts");
    await mkdir(folder);
    reporter.progress("splitting the kit into parts");
    const count = await writeParts(this.#kit, files, folder, partSize, signal);
    await writeScript("verify.sh", folder);
    await writeReadme(folder, { ...texts, parts: true, partCount: String(count) });
    const sums = await this.#sign(folder, PARTS_SUMS, []);
    return { folder, totals: { list: { file: PARTS_SUMS, sha256: sums.sha256 }, ...totalOf(sums.files) } };
  }

  async #chart(): Promise<KitChart | undefined> {
    const { chart } = this.#request;
    return chart === undefined ? undefined : packChart(chart, this.#kit, this.#context.signal);
  }

  /** Copies the archive, byte for byte. */
  async #bundle(): Promise<string> {
    const { path, format, sha256, size } = this.#request.bundle;
    const name = `bundle.${format}`;
    this.#context.reporter.progress(`writing ${formatBytes(size)}`);
    const copied = await copyInto(path, join(this.#kit, name), this.#context.signal);
    if (copied.sha256 !== sha256) {
      throw new BundleRefusedError(
        "the bundle's file changed while it was put into the kit",
        "Run `pulumi up` again.",
      );
    }
    return name;
  }

  /** Pulls the images, builds the site's own image, and writes the OCI layout. */
  async #images(): Promise<Pick<KitContent, "images" | "blobs">> {
    const { bundle, limits, search, images: references, platforms, since, earlier } = this.#request;
    const { reporter, signal } = this.#context;
    const known = earlier.map((kit) => join(kit, BLOBS));
    const store = new BlobStore(this.#draft.blobs, known, since, signal);
    const pulled: PulledImage[] = [];
    for (const reference of references) {
      pulled.push(await pullImage(reference, platforms, store, this.#context));
    }
    const [base] = pulled;
    if (base === undefined) return { images: [], blobs: [] };
    reporter.progress("building the site's image");
    const { scratch } = this.#draft;
    const site = await buildSiteImage(bundle, base, store, { limits, scratch, signal }, search);
    if (search !== undefined) this.#search = site.search;
    const images = [...pulled, site.image];
    const { blobs } = store;
    await writeLayout(this.#kit, images, store);
    return { images, blobs };
  }

  async #originFiles(images: readonly KitImage[], chart: KitChart | undefined): Promise<void> {
    const { bundle, serviceUrl, search } = this.#request;
    const version = this.#search?.searchVersion;
    const packed = chart && (await digestFile(join(this.#kit, chart.path), this.#context.signal));
    await writeOriginFiles(this.#kit, {
      origin: {
        bundle,
        serviceUrl,
        ...(search && version !== undefined && { search: { options: search.options, version } }),
      },
      images,
      ...(chart && packed && { chart: { ...chart, ...packed } }),
    });
  }

  #texts(manifest: KitManifest, verify: SummedFile): TextValues {
    const { chart, images, since, needs, bundle } = manifest;
    return {
      version: manifest.version,
      domain: manifest.domain,
      jobId: manifest.jobId,
      signed: manifest.signed,
      keyId: this.#request.signer?.keyId,
      verifySha256: verify.sha256,
      bundle: basename(bundle.path),
      bundleSha256: bundle.sha256,
      chart: chart?.path,
      chartName: chart?.name,
      chartVersion: chart?.version,
      images: images.length > 0,
      imageList: images.map(({ name }) => name),
      siteImage: images.find(({ site }) => site)?.name,
      since: since?.version,
      size: formatBytes(needs.diskBytes),
      kubernetes: needs.kubernetes,
    };
  }

  /** The folder's name: the same for the same content. It depends on the signing key and on everything except the date. */
  #name(files: readonly SummedFile[], manifest: KitManifest): string {
    const { bundle, partSize, signer } = this.#request;
    const undated = { ...manifest, createdAt: "" };
    const digest = createHash("sha256").update(
      JSON.stringify([sumsText(files), undated, partSize, signer?.keyId]),
    );
    const label = bundle.version
      .replace(/[^A-Za-z0-9._-]+/g, "-")
      .replace(/^[.-]+/, "")
      .slice(0, LABEL_LIMIT);
    return `${label || "kit"}-${digest.digest("hex").slice(0, NAME_DIGITS)}`;
  }

  /**
   * Writes the list of the files in a folder, and signs it.
   *
   * @param known files whose digest is already computed
   * @returns all files of the folder
   */
  async #sign(
    folder: string,
    name: string,
    known: readonly SummedFile[],
  ): Promise<{ sha256: string; files: SummedFile[] }> {
    const { signer } = this.#request;
    const { signal } = this.#context;
    const files = await sumFiles(folder, signal, known);
    const bytes = Buffer.from(sumsText(files));
    await writeFile(join(folder, name), bytes);
    if (signer) {
      const signature = signer.sign(bytes);
      const [raw, sigstore] = signatureFiles(name);
      await writeFile(join(folder, raw), signature);
      await writeFile(join(folder, sigstore), sigstoreBundle(bytes, signature, signer));
    }
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { sha256, files: await sumFiles(folder, signal, files) };
  }
}

/** Verifies that every blob on the disk matches the digest in its name. */
function refuseOtherBlobs(files: readonly SummedFile[]): void {
  const other = files.find(({ path, sha256 }) => path.startsWith(`${BLOBS}/`) && basename(path) !== sha256);
  if (other) {
    throw new DestinationError(
      `${other.path} of the kit has other bytes than were written`,
      "Check the disk, and run `pulumi up` again.",
    );
  }
}

function totalOf(files: readonly SummedFile[]): { files: number; size: number } {
  return { files: files.length, size: files.reduce((total, { size }) => total + size, 0) };
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the kit has no ${what}`);
  return value;
}
