import { createPublicKey, hash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { copyInto } from "../../base/runtime/files/writeFile";
import { BundleRefusedError, DestinationError } from "../../base/runtime/messages/errors";
import { formatBytes } from "../../base/runtime/messages/formatBytes";
import {
  folderOwner,
  folderRecords,
  OciLayout,
  type PlaceContext,
  type RegistryContext,
  type Signer,
  wantedIn,
} from "../../publishing/index";
import { packChart } from "./chartArchive";
import { chartValues } from "./chartValues";
import { wholeKit, type WrittenKit } from "./compareKit";
import { claimDraft, type KitDraft } from "./draft";
import { type TextValues } from "./filledIn";
import { BLOBS, IMAGES, INDEX } from "./imagesFolder";
import { labelOf } from "./kitImage";
import { type KitContent, type KitManifest, kitManifest, MANIFEST, manifestText } from "./manifest";
import { writeOriginFiles } from "./originFiles";
import { writeReadme, writeSchema, writeScript } from "./packagedFiles";
import { writeParts } from "./parts";
import { signSite, writeArtifacts } from "./siteSignature";
import { PARTS_SUMS, sumFiles, type SummedFile, SUMS, sumsText, writeList } from "./sums";
import { type ImagesRequest, type KitBundle, writeImages } from "./writeImages";

/** The content of a kit. */
export interface KitRequest extends ImagesRequest {
  /** Base URL of the service that exported the bundle. Absent for a bundle that was a file. */
  readonly serviceUrl?: string | undefined;
  /** Path of the chart. */
  readonly chart?: string | undefined;
  readonly values: Readonly<Record<string, unknown>>;
  readonly signer?: Signer | undefined;
  /** Maximum size of a part, in bytes. Without it, the kit is not split. */
  readonly partSize?: number | undefined;
}

/** Longest label in a folder's name, in characters. */
const LABEL_LIMIT = 60;
const NAME_DIGITS = 12;

/**
 * Writes a kit and publishes it with one rename. After a failure, the fetched blobs stay for the next run.
 *
 * @param to.folder of all kits
 * @param to.owner distinguishes the drafts of several resources
 * @param to.placing called just before the rename that publishes the kit
 * @throws DocsHostingError; the error of the file system; the signal's reason
 */
export async function writeKit(
  request: KitRequest,
  { folder, owner, placing }: { folder: string; owner: string; placing?: (kit: WrittenKit) => void },
  context: RegistryContext & PlaceContext,
): Promise<WrittenKit> {
  const place = folderOwner(folder, context);
  const records = folderRecords(folder);
  const wasFree = await place.claim();
  const draft = await claimDraft(folder, owner, context.reporter);
  try {
    const { kit, from } = await fill(draft, request, folder, context);
    placing?.(kit);
    let earlier: WrittenKit | undefined;
    const isWhole = async (path: string): Promise<boolean> => {
      earlier = await wholeKit(path, { kit, from }, request.signer, context.signal);
      return earlier !== undefined;
    };
    await place.confirm();
    await records.put(kit.name);
    try {
      await draft.publish(from, kit.name, isWhole);
    } finally {
      if (!existsSync(join(folder, kit.name))) await records.remove([kit.name]);
    }
    return earlier ?? kit;
  } catch (error) {
    // the first error is the one to report
    await draft.release().catch(() => undefined);
    if (wasFree && (await records.all()).length === 0) await place.withdraw().catch(() => undefined);
    throw error;
  }
}

/**
 * @param place the folder of all kits
 * @returns the kit, and the folder that contains it now
 */
async function fill(draft: KitDraft, request: KitRequest, place: string, context: RegistryContext) {
  const { bundle, serviceUrl, additions, since, signer, partSize } = request;
  const { reporter, signal, clock } = context;
  const { kit } = draft;
  const createdAt = new Date(clock.now()).toISOString();
  // first everything that can fail without a network
  const chart = request.chart === undefined ? undefined : await packChart(request.chart, kit, signal);
  const bundleFile = await copyBundle(bundle, kit, context);
  const { images, blobs, facts } = await writeImages(draft, request, context);
  const origin = {
    bundle,
    serviceUrl,
    additions: facts && wantedIn(additions),
    fetched: facts?.fetchedAssets,
  };
  await writeOriginFiles(kit, origin, { images, chart });
  await writeFile(join(kit, "values.yaml"), chartValues(bundle, images, request.values));
  await writeScript("verify.sh", kit);
  if (images.length > 0) await writeScript("load.sh", kit);
  if (chart) await writeScript("install.sh", kit);
  await writeSchema(kit);
  reporter.progress("computing the checksums of the kit");
  const files = await sumFiles(kit, signal);
  refuseOtherBlobs(files);
  const signed = signer !== undefined;
  let content: KitContent = { bundle, since, signed, bundleFile, chart, images, blobs, createdAt };
  const name = nameOf(request, files, kitManifest(content));
  const site = images.find(({ isSite }) => isSite);
  if (site && signer) {
    const base = images[0]?.base;
    const { artifacts, contents } = await signSite(site, { ...origin, base }, signer, join(place, name));
    await new OciLayout(join(kit, IMAGES)).writeIndex(images, artifacts);
    const publicKey = createPublicKey(signer.publicKey).export({ type: "spki", format: "der" });
    content = {
      ...content,
      publicKey: publicKey.toString("base64"),
      artifacts,
      blobs: await writeArtifacts(kit, contents, blobs),
    };
  }
  const manifest = kitManifest(content);
  await writeFile(join(kit, MANIFEST), manifestText(manifest));
  const verify = files.find(({ path }) => path === "verify.sh");
  const texts = {
    ...textsOf(manifest, signer?.keyId, verify?.sha256),
    llmsPages: facts?.llmsPages?.toString(),
  };
  await writeReadme(kit, { ...texts, parts: false });
  const unchanged = files.filter(({ path }) => path !== INDEX);
  const whole = await writeList(kit, SUMS, unchanged, signer, signal);
  const { sha256 } = whole.totals.list;
  const written = { name, sha256, signed, createdAt, ...(facts && { search: facts }) };
  if (partSize === undefined) return { kit: { ...written, ...whole.totals }, from: kit };

  // the parts, in a folder that also has what is needed to verify and join them
  const folder = join(draft.scratch, "parts");
  await mkdir(folder);
  reporter.progress("splitting the kit into parts");
  const count = await writeParts(kit, whole.files, folder, partSize, signal);
  await writeScript("verify.sh", folder);
  await writeReadme(folder, { ...texts, parts: true, partCount: String(count) });
  const parts = await writeList(folder, PARTS_SUMS, [], signer, signal);
  return { kit: { ...written, ...parts.totals }, from: folder };
}

/** Copies the archive, byte for byte. */
async function copyBundle(
  { path, format, sha256, size }: KitBundle,
  kit: string,
  { reporter, signal }: RegistryContext,
): Promise<SummedFile> {
  const name = `bundle.${format}`;
  reporter.progress(`writing ${formatBytes(size)}`);
  const copied = await copyInto(path, join(kit, name), signal);
  if (copied.sha256 === sha256) return { path: name, ...copied };
  throw new BundleRefusedError(
    "the bundle's file changed while it was put into the kit",
    "Run `pulumi up` again.",
  );
}

function textsOf(manifest: KitManifest, keyId?: string, verifySha256?: string): TextValues {
  const { version, domain, jobId, signed, chart, images, since, needs, bundle } = manifest;
  return {
    version,
    domain,
    jobId,
    signed,
    keyId,
    verifySha256,
    bundle: basename(bundle.path),
    bundleSha256: bundle.sha256,
    chart: chart?.path,
    chartName: chart?.name,
    chartVersion: chart?.version,
    images: images.length > 0,
    imageList: images.map(({ name }) => name),
    platforms: [...new Set(images.flatMap(({ platforms }) => platforms))].join(", "),
    siteImage: images.find(({ site }) => site)?.name,
    since: since?.version,
    size: formatBytes(needs.diskBytes),
    kubernetes: needs.kubernetes,
  };
}

/**
 * The folder's name: the same for the same content. It depends on the signing key and on everything except the date and the signatures:
 * no two signatures by an ECDSA key are the same.
 *
 * @param files without the signature of the site's image
 * @param manifest without it
 */
function nameOf(
  { bundle, partSize, signer }: KitRequest,
  files: readonly SummedFile[],
  manifest: KitManifest,
): string {
  const undated = { ...manifest, createdAt: "" };
  const digest = hash("sha256", JSON.stringify([sumsText(files), undated, partSize, signer?.keyId]));
  return `${labelOf(bundle.version, LABEL_LIMIT) || "kit"}-${digest.slice(0, NAME_DIGITS)}`;
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
