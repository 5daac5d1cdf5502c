import type { LayoutArtifact } from "../../publishing/index";
import type { KitBlob } from "./blobStore";
import type { KitChart } from "./chartArchive";
import type { EarlierKit } from "./earlierKit";
import { THIS_KIT } from "./imagesFolder";
import type { KitImage } from "./kitImage";
import type { SummedFile } from "./sums";
import type { KitBundle } from "./writeImages";

/** The name of a kit's manifest. */
export const MANIFEST = "manifest.json";

/** The content of `manifest.json`; `manifest.schema.json` documents each field. What a kit does not have is absent, or undefined. */
export interface KitManifest {
  readonly kit: 1;
  readonly version: string;
  readonly domain: string | undefined;
  readonly jobId: string | undefined;
  readonly createdAt: string;
  readonly signed: boolean;
  readonly since?: Pick<EarlierKit, "version" | "sha256">;
  readonly bundle: SummedFile;
  readonly chart?: Pick<KitChart, "path" | "size" | "sha256" | "name" | "version">;
  readonly images: readonly ManifestImage[];
  readonly publicKey?: string | undefined;
  readonly artifacts?: readonly ManifestArtifact[];
  readonly blobs: readonly ManifestBlob[];
  readonly needs: KitNeeds;
}

/** An image of a kit. */
interface ManifestImage extends Pick<KitImage["top"], "digest" | "mediaType"> {
  readonly name: string;
  readonly reference?: string;
  readonly platforms: KitImage["platforms"];
  readonly site: boolean;
}

/** A signature, or a signed document about an image. */
interface ManifestArtifact extends Pick<LayoutArtifact["manifest"], "digest" | "mediaType"> {
  readonly subject: string;
  readonly tag?: string;
}

/** Where a blob is: in this kit, or in an earlier one. */
interface ManifestBlob extends Pick<KitBlob, "digest" | "size"> {
  readonly in: string;
}

/** What the network needs that the kit is carried to. */
interface KitNeeds {
  readonly kubernetes: string;
  readonly diskBytes: number;
  readonly tools: readonly string[];
}

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
export function kitManifest(content: KitContent): KitManifest {
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
