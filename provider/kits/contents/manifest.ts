import type { LayoutArtifact } from "../../publishing/index";
import type { KitBlob } from "./blobStore";
import type { KitChart } from "./chartArchive";
import type { EarlierKit } from "./earlierKit";
import type { KitImage } from "./kitImage";
import { THIS_KIT } from "./ociLayout";
import type { SummedFile } from "./sums";
import type { KitBundle } from "./writeImages";

/** The name of a kit's manifest. */
export const MANIFEST = "manifest.json";

/** The content of `manifest.json`; `manifest.schema.json` documents each field. */
export type KitManifest = ReturnType<typeof kitManifest>;

/** The oldest version that every maintained cluster satisfies. */
const OLDEST_KUBERNETES = ">=1.25.0-0";
const TOOLS = ["sh", "coreutils", "tar", "openssl"];

/** The content of a kit, as its manifest lists it. */
export interface KitContent {
  readonly bundle: KitBundle;
  readonly bundleFile: SummedFile;
  readonly chart: KitChart | undefined;
  readonly images: readonly KitImage[];
  /** The blobs of all images. */
  readonly blobs: readonly KitBlob[];
  /** The signature of the site's image, and the signed documents about it. */
  readonly artifacts?: readonly LayoutArtifact[] | undefined;
  /** The key that they are signed with, as SPKI in DER, in base64. */
  readonly publicKey?: string | undefined;
  readonly since: EarlierKit | undefined;
  readonly signed: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Creates the manifest. Two kits with the same inputs differ only in `createdAt`. */
export function kitManifest(content: KitContent) {
  const {
    bundle,
    bundleFile,
    chart,
    images,
    artifacts = [],
    publicKey,
    blobs,
    since,
    signed,
    createdAt,
  } = content;
  const imageBytes = blobs.reduce((total, { size }) => total + size, 0);
  return {
    kit: 1,
    version: bundle.version,
    // JSON has none of them if they are undefined
    domain: bundle.domain,
    jobId: bundle.jobId,
    createdAt,
    signed,
    ...(since && { since: { version: since.version, sha256: since.sha256 } }),
    bundle: bundleFile,
    ...(chart && {
      chart: {
        path: chart.path,
        size: chart.size,
        sha256: chart.sha256,
        name: chart.name,
        version: chart.version,
      },
    }),
    images: images.map(({ name, base, top, platforms, isSite }) => ({
      name,
      ...(base && { reference: `${base.name}@${base.digest}` }),
      digest: top.digest,
      mediaType: top.mediaType,
      platforms,
      site: isSite,
    })),
    ...(artifacts.length > 0 && {
      publicKey,
      artifacts: artifacts.map(({ subject, tag, manifest }) => ({
        subject,
        ...(tag !== undefined && { tag }),
        digest: manifest.digest,
        mediaType: manifest.mediaType,
      })),
    }),
    blobs: blobs.map(({ digest, size, inEarlierKit }) => ({ digest, size, in: inEarlierKit ?? THIS_KIT })),
    needs: {
      kubernetes: chart?.kubeVersion ?? OLDEST_KUBERNETES,
      diskBytes: bundleFile.size + (chart?.size ?? 0) + imageBytes,
      tools: [...TOOLS, ...(images.length > 0 ? ["curl"] : []), ...(chart ? ["helm"] : [])],
    },
  };
}

/** Formats the manifest. Texts contain no braces, because `verify.sh` finds objects by their braces. */
export function manifestText(manifest: KitManifest): string {
  const json = JSON.stringify(manifest, undefined, 2);
  const plain = json.replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replaceAll("{", "\\u007b").replaceAll("}", "\\u007d"),
  );
  return `${plain}\n`;
}
