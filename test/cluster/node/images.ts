import { createHash } from "node:crypto";
import { cp, mkdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { create } from "tar";
import { findCommand, runCommand } from "../../programs/commands.ts";
import type { DebianPackages } from "../../programs/debianPackages.ts";

/** Image of the pods' sandboxes: it only has to exist. */
export const PAUSE_IMAGE = "docker.io/local/pause:1";

/**
 * Replaces the chart's own image, because no registry is available here: nginx, curl and getent from Debian, and busybox for the
 * rest, as in an Alpine image.
 */
export const WEB_IMAGE = { repository: "docker.io/local/nginx-unprivileged", tag: "1" };

/** User of the web image: that of nginx-unprivileged. */
const WEB_USER = "101";

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: "amd64", arm64: "arm64" };

/** Writes both images as `docker save` would, for `ctr images import`. */
export async function makeImages(folder: string, debian: DebianPackages): Promise<string[]> {
  const root = join(folder, "rootfs");
  await addBusybox(root);
  const pause = await saveImage(folder, "pause", root, PAUSE_IMAGE, { Cmd: ["/bin/sleep", "2147483647"] });
  await addWebServer(root, debian);
  const name = `${WEB_IMAGE.repository}:${WEB_IMAGE.tag}`;
  const web = await saveImage(folder, "web", root, name, { User: WEB_USER, Cmd: ["/bin/sh"] });
  await rm(root, { recursive: true });
  return [pause, web];
}

/** A shell, and the commands beside it. */
export async function addBusybox(root: string): Promise<void> {
  const busybox = findCommand("busybox");
  if (busybox === undefined) throw new Error("busybox is not on PATH.");
  await mkdir(join(root, "bin"), { recursive: true });
  await cp(busybox, join(root, "bin/busybox"));
  for (const applet of (await runCommand(busybox, ["--list"])).trim().split("\n")) {
    if (applet !== "busybox") await symlink("busybox", join(root, "bin", applet));
  }
}

async function addWebServer(root: string, debian: DebianPackages): Promise<void> {
  await addProgram(root, "usr/sbin/nginx", join(debian.root, "usr/sbin/nginx"));
  for (const name of ["curl", "getent"]) {
    const program = findCommand(name);
    if (program === undefined) throw new Error(`${name} is not on PATH.`);
    await addProgram(root, `usr/bin/${name}`, program);
  }
  await copy(join(debian.root, "etc/nginx/mime.types"), join(root, "etc/nginx/mime.types"));
  await copy("/etc/ssl/certs/ca-certificates.crt", join(root, "etc/ssl/certs/ca-certificates.crt"));
  await writeFile(
    join(root, "etc/passwd"),
    `root:x:0:0:root:/root:/bin/sh\nnginx:x:${WEB_USER}:${WEB_USER}:nginx:/:/bin/sh\n`,
  );
  await writeFile(join(root, "etc/group"), `root:x:0:\nnginx:x:${WEB_USER}:\n`);
}

/** With the libraries that it needs. */
export async function addProgram(root: string, target: string, program: string): Promise<void> {
  await copy(program, join(root, target));
  for (const library of await librariesOf(program)) await copy(library, join(root, library));
}

async function copy(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await cp(await realpath(source), target);
}

/** Absolute paths of the shared libraries and the loader, as `ldd` names them: none for a script or a static program. */
async function librariesOf(program: string): Promise<string[]> {
  const listing = await runCommand("ldd", [program]).catch((error: unknown) => {
    if (String(error).includes("not a dynamic executable")) return "";
    throw error;
  });
  const missing = /^\s*(\S+) => not found$/m.exec(listing);
  if (missing) throw new Error(`${program} needs ${missing[1] ?? ""}, which this machine does not have.`);
  return [...listing.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path ?? "");
}

/** @returns the written file, `FILE.tar` in the folder */
export async function saveImage(
  folder: string,
  file: string,
  root: string,
  tag: string,
  config: Record<string, unknown>,
): Promise<string> {
  const draft = join(folder, `${file}.draft`);
  await mkdir(draft);
  await create({ cwd: root, file: join(draft, "layer.tar") }, ["."]); // with modes: everybody may write to /tmp
  const digest = createHash("sha256")
    .update(await readFile(join(draft, "layer.tar")))
    .digest("hex");
  const image = {
    architecture: ARCHITECTURES[process.arch],
    os: "linux",
    config: { Env: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"], ...config },
    rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
  };
  await writeFile(join(draft, "config.json"), JSON.stringify(image));
  const manifest = [{ Config: "config.json", RepoTags: [tag], Layers: ["layer.tar"] }];
  await writeFile(join(draft, "manifest.json"), JSON.stringify(manifest));
  const target = join(folder, `${file}.tar`);
  await create({ cwd: draft, file: target }, ["manifest.json", "config.json", "layer.tar"]);
  await rm(draft, { recursive: true });
  return target;
}
