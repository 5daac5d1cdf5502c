import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filledIn } from "../../provider/kits/contents/filledIn.ts";
import { digestOf, type Layout, type LayoutImage, layoutOf, writeLayout } from "./ociLayout.ts";

export const SCRIPTS = join(import.meta.dirname, "../../provider/kits/scripts");

/** A key pair for signatures of kits. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  /** PEM. */
  readonly publicKey: string;
}

export const KINDS = ["ecdsa-p256", "ed25519"] as const;

export function newKey(kind: (typeof KINDS)[number] = "ecdsa-p256"): KeyPair {
  const { privateKey } =
    kind === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    privateKey,
    publicKey: createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString(),
  };
}

/** A written kit. */
export interface Kit {
  readonly folder: string;
  readonly version: string;
  readonly layout: Layout;
}

export interface KitOptions {
  version?: string;
  key?: KeyPair | undefined;
  /** Its layers are left out. */
  since?: Kit | undefined;
  images?: readonly LayoutImage[];
}

/** A version's label as a tag. */
const tagOf = (version: string): string => version.replace(/[^A-Za-z0-9_.-]/g, "-");

/** The images of a version: the site's own is based on the other. */
export function imagesOf(version: string): LayoutImage[] {
  const nginx = { "usr/sbin/nginx": "nginx" };
  return [
    { name: "nginx-unprivileged:1.30", layers: [nginx] },
    {
      name: `site:${tagOf(version)}`,
      layers: [nginx, { "usr/share/nginx/html/index.html": `Site ${version}` }],
    },
  ];
}

/** Writes a kit, as the provider does. */
export function writeKit(folder: string, options: KitOptions = {}): Kit {
  const { version = "1", key, since, images = imagesOf(version) } = options;
  const layout = layoutOf(images);
  const earlier = new Set(since?.layout.blobs.filter(({ isLayer }) => isLayer).map(({ digest }) => digest));
  const leftOut = new Set(layout.blobs.map(({ digest }) => digest).filter((digest) => earlier.has(digest)));
  mkdirSync(join(folder, "chart"), { recursive: true });
  writeLayout(layout, join(folder, "images"), leftOut);
  const chart = { path: "chart/docs-server-1.2.3.tgz", content: "a chart" };
  const bundle = { path: "bundle.tar.gz", content: `the bundle of ${version}` };
  for (const { path, content } of [chart, bundle]) writeFileSync(join(folder, path), content);
  const site = images.find(({ name }) => name.startsWith("site:"))?.name ?? "";
  writeFileSync(
    join(folder, "values.yaml"),
    [
      "staticExport:",
      "  enabled: true",
      `siteImage: "registry.invalid/kit/site@${layout.digests[site] ?? ""}"`,
      "image:",
      '  repository: "registry.invalid/kit/nginx-unprivileged"',
      "",
    ].join("\n"),
  );
  const createdAt = "2026-11-22T12:00:00.000Z";
  const digests = images.map(({ name }) => ({ name, digest: layout.digests[name] ?? "" }));
  const part = ({ path, content }: typeof chart) => ({
    path,
    size: content.length,
    sha256: digestOf(content).slice("sha256:".length),
  });
  const manifest = {
    kit: 1,
    version,
    createdAt,
    signed: key !== undefined,
    ...(since && {
      since: { version: since.version, sha256: digestOfFile(join(since.folder, "manifest.json")) },
    }),
    bundle: part(bundle),
    chart: { ...part(chart), name: "docs-server", version: "1.2.3" },
    images: digests.map((image) => ({
      ...image,
      mediaType: "application/vnd.oci.image.index.v1+json",
      platforms: ["linux/amd64", "linux/arm64"],
      site: image.name === site,
    })),
    blobs: layout.blobs.map(({ digest, size }) => ({
      digest,
      size,
      in: leftOut.has(digest) ? since?.version : "this",
    })),
    needs: { kubernetes: ">=1.25", diskBytes: 1_000_000, tools: ["helm"] },
  };
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(folder, "manifest.schema.json"), "{}\n");
  writeFileSync(join(folder, "README.md"), readmeOf(version, { key, since }));
  for (const name of ["verify.sh", "load.sh", "install.sh"]) {
    copyFileSync(join(SCRIPTS, name), join(folder, name));
  }
  sumUp(folder, "SHA256SUMS");
  if (key) signSums(folder, "SHA256SUMS", key);
  return { folder, version, layout };
}

/**
 * README.md of a kit.
 *
 * @param parts their number, for the README beside them
 */
export function readmeOf(version: string, { key, since }: KitOptions, parts?: number): string {
  return filledIn(readFileSync(join(SCRIPTS, "README.template.md"), "utf8"), {
    version,
    domain: "docs.example.com",
    signed: key !== undefined,
    ...(key && { keyId: digestOf(derOf(key)).slice("sha256:".length) }),
    bundle: "bundle.tar.gz",
    bundleSha256: digestOf(`the bundle of ${version}`).slice("sha256:".length),
    chart: "chart/docs-server-1.2.3.tgz",
    chartName: "docs-server",
    chartVersion: "1.2.3",
    images: true,
    imageList: imagesOf(version).map(({ name }) => name),
    platforms: "linux/amd64, linux/arm64",
    siteImage: `site:${tagOf(version)}`,
    since: since?.version,
    parts: parts !== undefined,
    ...(parts !== undefined && { partCount: String(parts) }),
    size: "1.0 MiB",
    kubernetes: ">=1.25.0-0",
  });
}

/** Writes the sums of all files, as the kit's maker does. */
export function sumUp(folder: string, name: string): void {
  const beside = ["", ".sig", ".sigstore.json"].map((ending) => name + ending);
  const paths = filesBelow(folder).filter((path) => !beside.includes(path));
  const lines = paths.sort().map((path) => `${digestOfFile(join(folder, path))}  ${path}\n`);
  writeFileSync(join(folder, name), lines.join(""));
}

/** Signs the sums, in both forms. */
export function signSums(folder: string, name: string, key: KeyPair): void {
  const { privateKey } = key;
  const sums = readFileSync(join(folder, name));
  const signature = sign(privateKey.asymmetricKeyType === "ed25519" ? undefined : "sha256", sums, privateKey);
  const base64 = (content: Buffer): string => createHash("sha256").update(content).digest("base64");
  const bundle = {
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { publicKey: { hint: base64(derOf(key)) } },
    messageSignature: {
      messageDigest: { algorithm: "SHA2_256", digest: base64(sums) },
      signature: signature.toString("base64"),
    },
  };
  writeFileSync(join(folder, `${name}.sig`), signature);
  writeFileSync(join(folder, `${name}.sigstore.json`), `${JSON.stringify(bundle)}\n`);
}

/** Paths below a folder, by their bytes. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

function derOf({ publicKey }: KeyPair): Buffer {
  return createPublicKey(publicKey).export({ type: "spki", format: "der" });
}

export function digestOfFile(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
