import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryDestination } from "../../provider/publishing/destinations/repository/repositoryDestination.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { BUNDLE } from "../simulation/copiedBundle.ts";
import { ARCHITECTURES, crane, pushBase, scratchFolder } from "./images.ts";
import { startRegistry } from "./registry.ts";
import { copySite, operation, SITE } from "./siteCopies.ts";

const NO_SKOPEO = "skopeo is not on PATH";
/** A blob or manifest that was sent. */
const SENDS = /^(POST|PATCH|PUT) /;

test("a site without a base is an image of one layer, below /site, with its texts compressed beside them", async (context) => {
  const { host } = await startRegistry(context);
  const { image = "", uri } = await copySite({ repository: `${host}/docs/site` }, await operation(context));
  expect(uri).toBe(image);
  expect(image).toMatch(/^127\.0\.0\.1:\d+\/docs\/site@sha256:[0-9a-f]{64}$/);
  expect(await crane("validate", "--remote", image)).toContain("PASS");
  const files = await filesOf(context, image);
  expect(Object.keys(files)).toEqual([
    "site",
    "site/index.html",
    "site/guide",
    "site/guide/über uns.html",
    "site/index.html.gz",
  ]);
  expect(files["site/index.html"]).toBe(SITE["index.html"]);
});

test("with a base it is runnable for each platform: entrypoint and user stay, and none of the base's own pages", async (context) => {
  const { host } = await startRegistry(context);
  const base = `${host}/nginx-unprivileged:1.30`;
  const digest = await pushBase(context, base);
  const { image = "" } = await copySite({ repository: `${host}/docs/site`, base }, await operation(context));
  expect(await crane("validate", "--remote", image)).toContain("PASS");
  const { manifests, annotations } = JSON.parse(await crane("manifest", image)) as {
    manifests: { platform: unknown }[];
    annotations: Record<string, string>;
  };
  expect(manifests.map(({ platform }) => platform)).toEqual(
    ARCHITECTURES.map((architecture) => ({ os: "linux", architecture })),
  );
  expect(annotations).toEqual({
    "org.opencontainers.image.title": "docs.example.com",
    "org.opencontainers.image.version": "v1",
    "org.opencontainers.image.revision": "job-1",
    "org.opencontainers.image.base.name": base,
    "org.opencontainers.image.base.digest": digest,
    "docs-hosting.bundle.sha256": BUNDLE.sha256,
  });
  for (const architecture of ARCHITECTURES) {
    const platform = ["--platform", `linux/${architecture}`];
    expect(await crane("validate", ...platform, "--remote", image)).toContain("PASS");
    const { config, history } = JSON.parse(await crane("config", ...platform, image)) as {
      config: Record<string, unknown>;
      history: unknown[];
    };
    expect(config).toMatchObject({
      Entrypoint: ["/docker-entrypoint.sh"],
      Cmd: ["nginx"],
      User: "101",
      Labels: { maintainer: "nobody", "org.opencontainers.image.version": "v1" },
    });
    expect(history).toHaveLength(2);
    const files = await filesOf(context, image, ...platform);
    expect(files["usr/sbin/nginx"]).toBe(`for ${architecture}`);
    expect(files["usr/share/nginx/html/index.html"]).toBe(SITE["index.html"]);
    expect(Object.keys(files)).not.toContain("usr/share/nginx/html/50x.html");
  }
});

test("an image with files of the version before is valid, has them below its site, and outlives the image that they are of", async (context) => {
  const { host } = await startRegistry(context);
  const base = `${host}/nginx-unprivileged:1.30`;
  await pushBase(context, base);
  const options = { repository: `${host}/docs/site`, base };
  const versions = ["0a1b2c3d", "9f8e7d6c"].map((hash) => ({
    bundle: { ...BUNDLE, sha256: hash.repeat(8), version: hash },
    files: { ...SITE, [`assets/app-${hash}.js`]: `run("${hash}")` },
  }));
  const [one, two] = versions;
  const first = await copySite(options, await operation(context), one);
  const second = { ...two, earlier: [first] };
  const copy = await copySite(options, await operation(context), second);
  await repositoryDestination(options).prune([first], [copy], await operation(context));
  const { image = "" } = copy;
  for (const architecture of ARCHITECTURES) {
    const platform = ["--platform", `linux/${architecture}`];
    expect(await crane("validate", ...platform, "--remote", image)).toContain("PASS");
    const files = await filesOf(context, image, ...platform);
    expect(files["usr/share/nginx/previous/assets/app-0a1b2c3d.js"]).toBe('run("0a1b2c3d")');
    expect(files["usr/share/nginx/html/assets/app-9f8e7d6c.js"]).toBe('run("9f8e7d6c")');
    expect(Object.keys(files)).not.toContain("usr/share/nginx/html/assets/app-0a1b2c3d.js");
    expect(files["usr/sbin/nginx"]).toBe(`for ${architecture}`);
  }
  // the same content again needs nothing of the removed image
  const again = await operation(context);
  expect(await copySite(options, again, { ...two, earlier: [copy] })).toEqual(copy);
  expect(again.requests.filter((request) => SENDS.test(request))).toEqual([]);
});

test("skopeo reads the written image, and a base of Docker's own types serves as well", async (context) => {
  if (findCommand("skopeo") === undefined) return context.skip(NO_SKOPEO);
  const { host } = await startRegistry(context);
  await pushBase(context, `${host}/oci:1`);
  const plain = ["--src-tls-verify=false", "--dest-tls-verify=false"];
  const amd64 = ["copy", "--insecure-policy", "--override-arch", "amd64"];
  await runCommand("skopeo", [
    ...[...amd64, ...plain, "--format", "v2s2"],
    ...[`docker://${host}/oci:1`, `docker://${host}/docker:2`],
  ]);
  const { image = "" } = await copySite(
    { repository: `${host}/docs/site`, base: `${host}/docker:2` },
    await operation(context),
  );
  const inspected = await runCommand("skopeo", ["inspect", "--tls-verify=false", `docker://${image}`]);
  expect(JSON.parse(inspected)).toMatchObject({
    Architecture: "amd64",
    Os: "linux",
    Labels: { "org.opencontainers.image.title": "docs.example.com" },
  });
  // a base that is one image gives one image
  expect(await crane("manifest", image)).not.toContain('"manifests"');
  expect(await crane("validate", "--remote", image)).toContain("PASS");
  const folder = await scratchFolder(context);
  await runCommand("skopeo", [
    ...[...amd64, "--src-tls-verify=false"],
    ...[`docker://${image}`, `oci:${folder}/layout`],
  ]);
});

test("blobs of a base in the same registry are mounted, not sent; from another registry they are sent once", async (context) => {
  const { host } = await startRegistry(context);
  const base = `${host}/nginx:1`;
  await pushBase(context, base);
  const mounting = await operation(context);
  await copySite({ repository: `${host}/docs/site`, base }, mounting);
  const layers = layersOf(await crane("manifest", "--platform", "linux/amd64", base));
  expect(mounting.requests).not.toContain(`GET /v2/nginx/blobs/${layers[0] ?? ""}`);
  expect(putBlobs(mounting)).toHaveLength(5); // the site, its list, a configuration for each platform, and the mark's

  const other = await startRegistry(context);
  const sending = await operation(context);
  const { image = "" } = await copySite({ repository: `${other.host}/docs/site`, base }, sending);
  expect(putBlobs(sending)).toHaveLength(7);
  expect(await crane("validate", "--remote", image)).toContain("PASS");
  const next = await operation(context);
  await copySite({ repository: `${other.host}/docs/site`, base }, next, { files: { "a.html": "another" } });
  expect(putBlobs(next)).toHaveLength(4);
});

test("the registry's garbage collection keeps the list of an image's files as long as the image, and nothing of a removed one", async (context) => {
  const { host, folder } = await startRegistry(context);
  const collect = (): Promise<string> =>
    runCommand(
      process.env["REGISTRY"] ?? "registry",
      ["garbage-collect", join(import.meta.dirname, "registry.yml")],
      { env: { REGISTRY_STORAGE: "filesystem", REGISTRY_STORAGE_FILESYSTEM_ROOTDIRECTORY: folder } },
    );
  const blobs = async (): Promise<string[]> =>
    (await readdir(folder, { recursive: true })).filter((path) => /blobs\/.*\/data$/.test(path));
  const repository = `${host}/docs/site`;
  const copy = await copySite({ repository }, await operation(context));
  await collect();
  const reading = await operation(context);
  const content = await repositoryDestination({ repository }).read(copy, reading);
  expect(content && "files" in content && [...content.files.keys()].sort()).toEqual(Object.keys(SITE).sort());
  const { digest } = copy.parts["files"] as { digest: string };
  expect(reading.requests.filter((request) => request.includes("/blobs/"))).toEqual([
    `GET /v2/docs/site/blobs/${digest}`,
  ]);
  await repositoryDestination({ repository }).release([copy], await operation(context));
  expect(await blobs()).not.toEqual([]);
  await collect();
  expect(await blobs()).toEqual([]);
});

/** The files of an image as a container would see them. */
async function filesOf(
  context: Parameters<typeof scratchFolder>[0],
  image: string,
  ...platform: string[]
): Promise<Record<string, string>> {
  const folder = await scratchFolder(context);
  const archive = join(folder, "image.tar");
  await writeFile(archive, "");
  await crane("export", ...platform, image, archive);
  await mkdir(join(folder, "files"));
  const names = (await runCommand("tar", ["-tf", archive, "--quoting-style=literal"])).trim().split("\n");
  const files: Record<string, string> = {};
  for (const name of names) {
    files[name] = await runCommand("tar", ["-xOf", archive, "--no-recursion", name]);
  }
  return files;
}

function layersOf(manifest: string): string[] {
  return (JSON.parse(manifest) as { layers: { digest: string }[] }).layers.map(({ digest }) => digest);
}

/** Cancelled uploads. */
function putBlobs({ requests }: { requests: readonly string[] }): string[] {
  return requests.filter((request) => /^PUT .*\/blobs\/uploads\//.test(request));
}
