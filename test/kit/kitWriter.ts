// Kits as the provider writes them, from images of a registry.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import type { TestContext } from "vitest";
import type { KitManifest } from "../../provider/kits/contents/manifest.ts";
import { type KitRequest, writeKit } from "../../provider/kits/contents/writeKit.ts";
import { type Signer, signerFrom } from "../../provider/publishing/images/signing/signer.ts";
import { pushBase } from "../copies/images.ts";
import { startRegistry } from "../copies/registry.ts";
import { operation } from "../copies/siteCopies.ts";
import { digestOfFile, type KeyPair } from "./kitFolder.ts";

/** Writes a kit of one page. @returns its folder */
export type KitWriter = (version: string, request?: Partial<KitRequest>) => Promise<string>;

/** The signer with a key. */
export function signerOf({ privateKey }: KeyPair): Signer {
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return signerFrom("KEY", { environment: () => pem });
}

/** The side of an air gap on which kits are written. @param key undefined: they are not signed */
export async function kitWriter(
  context: TestContext,
  folder: string,
  key: KeyPair | undefined,
): Promise<KitWriter> {
  const outside = await startRegistry(context);
  const base = `${outside.host}/nginx-unprivileged:1.30`;
  await pushBase(context, base);
  const chart = join(folder, "chart");
  mkdirSync(chart);
  writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: docs-server\nversion: 1.0.0\n");
  const images = [base];
  const platforms = ["linux/amd64", "linux/arm64"];
  const values = { image: { repository: "registry.invalid/kit/nginx-unprivileged" } };
  const defaults = { chart, images, platforms, values, signer: key && signerOf(key) };
  return (version, request) => writeSiteKit(context, folder, version, { ...defaults, ...request });
}

/** Writes a kit of a site with one page. @returns its folder */
export async function writeSiteKit(
  context: Pick<TestContext, "onTestFinished">,
  folder: string,
  version: string,
  request: Partial<KitRequest> & Pick<KitRequest, "images" | "platforms" | "values">,
): Promise<string> {
  const site = join(folder, `site ${version}`);
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "index.html"), `This is ${version}`);
  const path = join(folder, `${version}.tar.gz`);
  create({ file: path, cwd: site, gzip: true, portable: true, noMtime: true, sync: true }, ["index.html"]);
  const bundle = {
    path,
    format: "tar.gz",
    sha256: digestOfFile(path),
    size: readFileSync(path).length,
    version,
    root: "",
    leftOut: [],
  } as const;
  const kits = join(folder, "kits");
  const { name } = await writeKit(
    { bundle, limits: { unpackedBytes: 1e6, files: 10 }, earlier: [], ...request },
    { folder: kits, owner: "urn" },
    await operation(context),
  );
  return join(kits, name);
}

/** What a kit's manifest says. */
export function manifestOf(kit: string): KitManifest {
  return JSON.parse(readFileSync(join(kit, "manifest.json"), "utf8")) as KitManifest;
}

/** The digest of its site's image. */
export const siteOf = (kit: string): string => manifestOf(kit).images.find(({ site }) => site)?.digest ?? "";
