// Images of kits: pulled from a registry, laid out, and read by other tools.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { expect, test, type TestContext } from "vitest";
import type { KitManifest } from "../../provider/kits/contents/manifest.ts";
import { type KitRequest, writeKit } from "../../provider/kits/contents/writeKit.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { crane, pushBase, scratchFolder } from "./images.ts";
import { startRegistry } from "./registry.ts";
import { type Operation, operation, SITE } from "./siteCopies.ts";

interface Kit {
  readonly path: string;
  readonly manifest: KitManifest;
  readonly blobs: readonly string[];
}

/** Writes a kit of a small site. */
async function kitOf(
  folder: string,
  run: Operation,
  given: Partial<KitRequest> & { version?: string; page?: string },
): Promise<Kit> {
  const { version = "v1", page = String(SITE["index.html"]), ...request } = given;
  const site = join(folder, "site");
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "index.html"), page);
  const path = join(folder, `${version}.tar.gz`);
  create({ file: path, cwd: site, gzip: true, portable: true, noMtime: true, sync: true }, ["index.html"]);
  const bytes = readFileSync(path);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const bundle = {
    path,
    format: "tar.gz",
    sha256,
    size: bytes.length,
    version,
    root: "",
    leftOut: [],
  } as const;
  const kits = join(folder, "kits");
  const { name } = await writeKit(
    {
      bundle,
      limits: { unpackedBytes: 1e6, files: 10 },
      images: [],
      platforms: ["linux/amd64"],
      values: {},
      earlier: [],
      ...request,
    },
    { folder: kits, owner: "urn" },
    run,
  );
  const kit = join(kits, name);
  const manifest = JSON.parse(readFileSync(join(kit, "manifest.json"), "utf8")) as KitManifest;
  return { path: kit, manifest, blobs: readdirSync(join(kit, "images/blobs/sha256")) };
}

const hex = (digest: string): string => digest.slice("sha256:".length);
const fetched = ({ requests }: Operation): string[] =>
  requests.filter((request) => /^GET .*\/blobs\//.test(request));

async function prepared(context: Pick<TestContext, "onTestFinished">) {
  const { host } = await startRegistry(context);
  const base = `${host}/nginx-unprivileged:1.30`;
  const digest = await pushBase(context, base);
  return { host, base, digest, folder: await scratchFolder(context) };
}

test("for one platform the image is that platform's own, byte for byte, and the site's is based on it", async (context) => {
  const { host, base, digest, folder } = await prepared(context);
  const run = await operation(context);
  const { path, manifest, blobs } = await kitOf(folder, run, { images: [base] });
  const own = await crane("digest", "--platform", "linux/amd64", base);
  const [pulled, site] = manifest.images;
  expect(pulled).toEqual({
    name: "nginx-unprivileged:1.30",
    reference: `${base}@${digest}`,
    digest: own,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    platforms: ["linux/amd64"],
    site: false,
  });
  expect(site).toMatchObject({ name: "site:v1", platforms: ["linux/amd64"], site: true });
  expect(manifest.images).toHaveLength(2);
  // shared blobs once, each under its own digest
  expect([...blobs].sort()).toEqual(manifest.blobs.map((blob) => hex(blob.digest)).sort());
  expect(blobs).toHaveLength(6); // the layers of the base and the site, and for each image a configuration and a manifest
  for (const name of blobs) {
    const bytes = readFileSync(join(path, "images/blobs/sha256", name));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(name);
  }
  expect(new Set(fetched(run)).size).toBe(fetched(run).length); // none of them twice
  expect(readFileSync(join(path, "values.yaml"), "utf8")).toContain(
    `siteImage: "registry.invalid/kit/site@${site?.digest ?? ""}"`,
  );
  await crane("push", "--index", join(path, "images"), `${host}/kit:all`);
  expect(await crane("validate", "--remote", `${host}/kit@${site?.digest ?? ""}`)).toContain("PASS");
  const config = JSON.parse(await crane("config", `${host}/kit@${site?.digest ?? ""}`)) as object;
  expect(config).toMatchObject({ config: { User: "101", Entrypoint: ["/docker-entrypoint.sh"] } });
});

test("skopeo finds each image of the layout by its name", async (context) => {
  if (findCommand("skopeo") === undefined) return context.skip("skopeo is not on PATH");
  const { base, folder } = await prepared(context);
  const platforms = ["linux/amd64", "linux/arm64"];
  const { path, manifest } = await kitOf(folder, await operation(context), { images: [base], platforms });
  for (const { name, digest } of manifest.images) {
    const raw = await runCommand("skopeo", ["inspect", "--raw", `oci:${path}/images:${name}`]);
    expect(`sha256:${createHash("sha256").update(raw).digest("hex")}`).toBe(digest);
    expect(raw).toContain("arm64");
  }
});
