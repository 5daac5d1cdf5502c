// The ways to host a site: the chart serves an export, or a copy is put where users keep copies.
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { create, extract } from "tar";
import type { TestContext } from "vitest";
import { runImageAlone } from "../chart/imageAlone.ts";
import { render, serving, servingImage, type Values } from "../chart/renderedChart.ts";
import { WebServer } from "../chart/webServer.ts";
import { crane, pushBase, scratchFolder } from "../copies/images.ts";
import { startRegistry } from "../copies/registry.ts";
import { startServer } from "../copies/server.ts";
import { ACCESS_KEY, BUCKET, openWebsite, SECRET, startS3 } from "../copies/stores/s3.ts";
import { availableEngines } from "../engine/index.ts";
import { findCommand } from "../programs/commands.ts";
import { freePort } from "../programs/freePort.ts";
import { buildWorld } from "../stack/world.ts";

/** Registers clean-up functions for the end. */
export type Context = Pick<TestContext, "onTestFinished">;

/** A site to be hosted. */
export interface HostedSite {
  /** Folder of its files. */
  readonly files: string;
  /** An archive of them, for sites that need a special one. @default packed here */
  readonly archive?: string;
  /** The path that it was exported for: empty, or with a leading slash. */
  readonly basePath: string;
  /** The input of this name of its BundleCopy. The chart alone has none. */
  readonly offlineSearch?: boolean;
  /** The same: the chart alone adds nothing. */
  readonly llmsTxt?: true | { readonly full?: boolean; readonly baseUrl?: string };
  /** Further values of the chart's web server. */
  readonly web?: Readonly<Record<string, unknown>>;
}

export interface Host {
  readonly place: string;
  readonly title: string;
  /** Whether it redirects `/` to the site's own path. */
  readonly leadsToStart: boolean;
  /** Whether it redirects `/guide` to `/guide/`, where a page has a folder beside it. */
  readonly addsSlash?: boolean;
  /** Whether it serves no site below a path. */
  readonly atRootOnly?: boolean;
  /** @returns address of the server, without a slash at its end */
  start(context: Context, site: HostedSite): Promise<string>;
}

export const HOSTS: readonly Host[] = [
  { place: "chart", title: "served by the chart", leadsToStart: true, start: serveByChart },
  { place: "folder", title: "copied to a folder", leadsToStart: false, start: serveFromFolder },
  {
    place: "bucket",
    title: "copied to a bucket",
    leadsToStart: false,
    addsSlash: true,
    start: serveFromBucket,
  },
  { place: "image", title: "copied into an image", leadsToStart: true, start: serveFromImage },
  {
    place: "image alone",
    title: "copied into an image that is run without the chart",
    leadsToStart: false,
    atRootOnly: true,
    start: serveFromImageAlone,
  },
];

async function serveByChart(context: Context, { files, archive, ...site }: HostedSite): Promise<string> {
  const server = new WebServer();
  context.onTestFinished(() => server.remove());
  const active = join(server.site, "active");
  await mkdir(active, { recursive: true });
  if (archive === undefined) await cp(files, active, { recursive: true });
  else await extract({ file: archive, cwd: active });
  await server.start(await render(serving(chartValues(site))));
  return `http://127.0.0.1:${server.port}`;
}

/** A web server as others configure it for exported sites. */
async function serveFromFolder(context: Context, site: HostedSite): Promise<string> {
  const root = await scratchFolder(context);
  await copySite(context, site, { folder: join(root, "copies"), layout: "site" });
  const web = join(root, `www${site.basePath}`);
  await mkdir(dirname(web), { recursive: true });
  await symlink(join(root, "copies/current"), web);
  const rules = `error_page 404 ${site.basePath}/404.html; location / { try_files $uri $uri.html $uri/ =404; }`;
  return startNginx(context, join(root, "www"), rules);
}

/** The files of a generator as they are: what each other host is compared with. */
export async function serveAsBuilt(context: Context, files: string, basePath = ""): Promise<string> {
  const rules = "location / { try_files $uri $uri.html $uri/ =404; }";
  if (basePath === "") return startNginx(context, files, rules);
  const root = await scratchFolder(context);
  await symlink(files, join(root, basePath.slice(1)));
  return startNginx(context, root, rules);
}

async function startNginx(context: Context, files: string, rules: string): Promise<string> {
  const root = await scratchFolder(context);
  const nginx = findCommand("nginx") ?? "nginx";
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const configuration = join(root, "nginx.conf");
  await writeFile(
    configuration,
    `daemon off; master_process off; pid ${root}/pid; error_log stderr notice;
     events {}
     http {
       ${temporary.map((name) => `${name}_temp_path ${root}/${name};`).join(" ")}
       access_log off;
       include ${join(dirname(nginx), "../../etc/nginx/mime.types")};
       server {
         listen 127.0.0.1:${port};
         absolute_redirect off;
         root ${files};
         ${rules}
       }
     }`,
  );
  const server = await startServer(nginx, ["-e", "stderr", "-c", configuration], {}, /event method/);
  context.onTestFinished(() => server.stop());
  return `http://127.0.0.1:${port}`;
}

async function serveFromBucket(context: Context, site: HostedSite): Promise<string> {
  const store = await startS3(context);
  const prefix = site.basePath.slice(1);
  await copySite(
    context,
    site,
    { bucket: BUCKET, prefix, endpoint: store.endpoint, layout: "site" },
    { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET, AWS_EC2_METADATA_DISABLED: "true" },
  );
  return openWebsite(context, store, [prefix, "404.html"].filter(Boolean).join("/"));
}

/** Runs the chart's web server over the files of the image as in its pods. */
async function serveFromImage(context: Context, site: HostedSite): Promise<string> {
  const unpacked = await copyToImage(context, site);
  const server = new WebServer();
  context.onTestFinished(() => server.remove());
  const manifests = await render(servingImage("siteImage", chartValues(site)));
  await server.start(manifests, { IMAGE_SITE_FOLDER: join(unpacked, "usr/share/nginx/html") });
  return `http://127.0.0.1:${server.port}`;
}

async function serveFromImageAlone(context: Context, site: HostedSite): Promise<string> {
  const image = await runImageAlone(await copyToImage(context, site));
  context.onTestFinished(() => image.stop());
  return `http://127.0.0.1:${image.server.port}`;
}

/** Copies a site into an image and pulls that. @returns the folder of its files */
async function copyToImage(context: Context, site: HostedSite): Promise<string> {
  const { host } = await startRegistry(context);
  const base = `${host}/nginx:1`;
  await pushBase(context, base);
  const { image } = await copySite(context, site, { repository: `${host}/docs/site`, base });
  const folder = await scratchFolder(context);
  const archive = join(folder, "image.tar");
  await crane("export", "--platform", "linux/amd64", String(image), archive);
  const unpacked = join(folder, "image");
  await mkdir(unpacked);
  await extract({ file: archive, cwd: unpacked });
  return unpacked;
}

function chartValues({ basePath, web }: Pick<HostedSite, "basePath" | "web">): Values {
  return { web: { ...(basePath !== "" && { basePath }), ...web } };
}

/** Packs a site, and copies that bundle by a user's program. @returns the outputs of its BundleCopy */
async function copySite(
  context: Context,
  { files, archive, offlineSearch, llmsTxt }: HostedSite,
  destination: object,
  env: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const file = archive ?? join(await scratchFolder(context), "bundle.tar.gz");
  if (archive === undefined) await create({ file, gzip: true, cwd: files, portable: true }, ["."]);
  const [kind = "local"] = availableEngines().kinds;
  const world = await buildWorld(context, kind, { env });
  const source = { file, version: "1" };
  const requireSelfContained = llmsTxt === undefined;
  const inputs = { source, destination, requireSelfContained, offlineSearch, llmsTxt };
  await world.up(`new BundleCopy("site", ${JSON.stringify(inputs)});`);
  const resources = await world.stack.exportState();
  const copy = resources.find(({ type }) => type.endsWith(":BundleCopy"));
  if (!copy) throw new Error("the program made no copy");
  return copy.outputs;
}
