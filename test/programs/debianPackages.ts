import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./cacheFolder.ts";
import { findCommand, runCommand } from "./commands.ts";

/** Commands of the node, and the packages that contain them. None of these starts anything when it is installed. */
const TOOLS: Readonly<Record<string, string>> = {
  busybox: "busybox-static",
  conntrack: "conntrack",
  curl: "curl",
  dash: "dash",
  ip: "iproute2",
  iptables: "iptables",
  openssl: "openssl",
  socat: "socat",
};

/** Servers, which would be started by an installation: they are only unpacked. */
const SERVERS = ["containerd", "runc", "etcd-server", "containernetworking-plugins", "nginx", "nginx-common"];

/** The folders of commands in the unpacked packages. */
const COMMAND_FOLDERS = ["usr/bin", "usr/sbin"];

export interface DebianPackages {
  /** Folder of the unpacked servers, laid out like a root folder. */
  root: string;
  /** For PATH. */
  commandFolders: string[];
}

/**
 * Installs missing tools, and unpacks the servers once into the cache folder. Needs root.
 *
 * @param more tools: command and package
 */
export async function prepareDebianPackages(
  say: (what: string) => void,
  more: Readonly<Record<string, string>> = {},
): Promise<DebianPackages> {
  const missing = Object.entries({ ...TOOLS, ...more }).flatMap(([command, name]) =>
    findCommand(command) ? [] : [name],
  );
  const root = join(await cacheFolder("debian"), SERVERS.join("+"));
  const unpacked = existsSync(root);
  if (missing.length > 0 || !unpacked) await apt(["update", "-q"]);
  if (missing.length > 0) {
    say(`installing ${missing.join(" ")}`);
    await apt(["install", "-qy", "--no-install-recommends", ...missing]);
  }
  if (!unpacked) {
    say(`unpacking ${SERVERS.join(" ")}`);
    await unpack(SERVERS, root);
  }
  return { root, commandFolders: COMMAND_FOLDERS.map((folder) => join(root, folder)) };
}

/** Downloads packages and unpacks them to a folder laid out like a root folder, without installing them. */
export async function unpackDebianPackages(names: readonly string[], root: string): Promise<void> {
  await apt(["update", "-q"]);
  await unpack(names, root);
}

/** Downloads into a folder beside `root` and renames it: an interrupted run leaves no partial folder. */
async function unpack(names: readonly string[], root: string): Promise<void> {
  const folder = await mkdtemp(`${root}.draft-`);
  try {
    // as root: apt's own user may not write into the folder
    await apt(["download", "-q", "-o", "APT::Sandbox::User=root", ...names], folder);
    for (const file of await readdir(folder)) {
      await runCommand("dpkg-deb", ["--extract", join(folder, file), join(folder, "root")]);
    }
    await rename(join(folder, "root"), root);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function apt(args: string[], cwd?: string): Promise<void> {
  await runCommand("apt-get", args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
