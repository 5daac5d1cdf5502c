// Images of kits: pulled from a registry, laid out, and read by other tools.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { create } from "tar";
import { expect, test, type TestContext } from "vitest";
import { readEarlierKit } from "../../provider/kits/contents/earlierKit.ts";
import type { KitManifest } from "../../provider/kits/contents/manifest.ts";
import { writeKit, type KitRequest } from "../../provider/kits/contents/writeKit.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { crane, pushBase, scratchFolder } from "./images.ts";
import { startRegistry } from "./registry.ts";
import { operation, SITE, type Operation } from "./siteCopies.ts";

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

test("for several platforms an image is an index of those, and nothing of others is pulled", async (context) => {
  const { base, folder } = await prepared(context);
  const platforms = ["linux/amd64", "linux/arm64"];
  const { manifest } = await kitOf(folder, await operation(context), { images: [base], platforms });
  for (const { platforms: has, mediaType } of manifest.images) {
    expect(has).toEqual(platforms);
    expect(mediaType).toBe("application/vnd.oci.image.index.v1+json");
  }
  const run = await operation(context);
  await expect(
    kitOf(folder, run, { images: [base], platforms: ["linux/amd64", "linux/s390x"] }),
  ).rejects.toThrow(`${base} has no image for linux/s390x`);
  expect(readdirSync(join(folder, "kits")).filter((name) => name !== ".docs-hosting")).toHaveLength(1);
});

test("the same inputs give the same path; a new version fetches nothing that an earlier kit here has", async (context) => {
  const { base, folder } = await prepared(context);
  const first = await kitOf(folder, await operation(context), { images: [base] });
  const again = await kitOf(folder, await operation(context), { images: [base] });
  expect(again.path).toBe(first.path);
  const run = await operation(context);
  const next = await kitOf(folder, run, {
    images: [base],
    version: "v2",
    page: "new",
    earlier: [first.path],
  });
  expect(next.path).not.toBe(first.path);
  expect(fetched(run)).toHaveLength(1); // the configuration, which is read
});

test("a differential kit leaves out the files of the earlier one, names them, and has all manifests and configurations", async (context) => {
  const { base, folder } = await prepared(context);
  const first = await kitOf(folder, await operation(context), { images: [base] });
  const since = readEarlierKit(join(first.path, "manifest.json"));
  const options = { images: [base], version: "v2", page: "new", since };
  const run = await operation(context);
  const next = await kitOf(folder, run, options);
  expect(fetched(run)).toHaveLength(1); // the configuration, which is read
  const out = next.manifest.blobs.filter((blob) => blob.in !== "this");
  expect(out.map((blob) => blob.in)).toEqual(["v1"]); // the base's layer: configurations are in every kit
  for (const { digest } of out) {
    expect(next.blobs).not.toContain(hex(digest));
    expect(first.blobs).toContain(hex(digest));
  }
  for (const { digest } of next.manifest.images) expect(next.blobs).toContain(hex(digest));
  expect(next.manifest.since).toEqual({ version: "v1", sha256: since.sha256 });
  const third = await kitOf(folder, await operation(context), {
    ...options,
    version: "v3",
    page: "newer",
    since: readEarlierKit(join(next.path, "manifest.json")),
  });
  expect(third.manifest.blobs.filter((blob) => blob.in === "v1")).toHaveLength(1);
});

test("files that a stopped run had fetched are not fetched again, and none of them is visible", async (context) => {
  const { base, folder } = await prepared(context);
  const stop = new AbortController();
  const cut = await operation(context, {}, { signal: stop.signal });
  const layer = hex(layersOf(await crane("manifest", "--platform", "linux/amd64", base))[0] ?? "");
  const stopped = kitOf(
    folder,
    {
      ...cut,
      reporter: {
        ...cut.reporter,
        progress: (line) => {
          if (line === "building the site's image") stop.abort(new Error("Ctrl-C"));
        },
      },
    },
    { images: [base] },
  );
  await expect(stopped).rejects.toThrow("Ctrl-C");
  expect(cut.requests.some((request) => request.includes(layer))).toBe(true);
  const [draft = ""] = readdirSync(join(folder, "kits"));
  expect(draft).toMatch(/^\.docs-hosting-.*\.draft$/);
  expect(readdirSync(join(folder, "kits"))).toHaveLength(1);
  const run = await operation(context);
  const { path } = await kitOf(folder, run, { images: [base] });
  expect(run.requests.some((request) => request.includes(layer))).toBe(false);
  expect(readdirSync(join(folder, "kits")).sort()).toEqual([".docs-hosting", basename(path)]);
});

function layersOf(manifest: string): string[] {
  return (JSON.parse(manifest) as { layers: { digest: string }[] }).layers.map(({ digest }) => digest);
}
