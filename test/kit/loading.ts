// How the tests run load.sh, and the contents of a registry after it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type TestContext } from "vitest";
import { type Passing, type Spoiling, startFaultyProxy } from "../copies/faultyProxy.ts";
import { crane } from "../copies/images.ts";
import { startRegistry } from "../copies/registry.ts";
import { findCommand } from "../programs/commands.ts";
import { type Kit, type KitOptions, writeKit } from "./kitFolder.ts";
import { type Ended, Operator, type RunOptions, scratchFolder, type System } from "./systems.ts";

/** A password as people choose them, and its bcrypt hash. */
export const PASSWORD = "geheim:wort";
export const PASSWORD_LINE = "me:$2b$05$abcdefghijklmnopqrstuuUC5tQs4nqfFCAMi0LnlG6VN9tjEP9AW\n";
export const BASIC = Buffer.from(`me:${PASSWORD}`).toString("base64");
export const LOGIN = { REGISTRY_USER: "me", REGISTRY_PASSWORD: PASSWORD };

/** The loading program, and the system that the scripts run on. */
export const LOADERS = [
  { program: "curl", system: "busybox" },
  { program: "curl", system: "dash and GNU" },
  { program: "skopeo", system: "dash and GNU" },
  { program: "crane", system: "busybox" },
] as const satisfies { program: string; system: System }[];
export type Loader = (typeof LOADERS)[number];

export const CURL_ALONE = LOADERS.filter(({ program }) => program === "curl");

export function newKit(context: TestContext, options: KitOptions = {}): Kit {
  return writeKit(join(scratchFolder(context), "kit"), options);
}

export async function load(
  context: TestContext,
  { program, system }: Loader,
  kit: Pick<Kit, "folder">,
  target: string,
  options: RunOptions = {},
  programs: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const file = process.env[program.toUpperCase()] ?? program;
  const found = file.includes("/") ? file : findCommand(file);
  if (found === undefined) throw new Error(`The tests of kits need ${program} on PATH.`);
  const operator = new Operator(context, system, { [program]: found, ...programs });
  return operator.run(join(kit.folder, "load.sh"), [target, "--plain-http", "--with", program], options);
}

/** A registry, and a record of all its requests. */
export async function startProxy(
  context: TestContext,
  spoil: (request: Passing) => Spoiling | undefined = () => undefined,
): Promise<{ host: string; passed: Passing[] }> {
  const { host } = await startRegistry(context);
  return startFaultyProxy(context, host, spoil);
}

export const isWrite = ({ method }: Passing): boolean => !["GET", "HEAD"].includes(method);
/** The last request of an upload, with the digest; only of layers and configurations that are sent in one request. */
export const isUpload = ({ method, path }: Passing): boolean => method === "PUT" && path.includes("digest=");
export const digestOfUpload = ({ path }: Passing): string =>
  new URLSearchParams(path.slice(path.indexOf("?"))).get("digest") ?? "";

/** Crane reads all of it, and checks all digests. */
export async function expectLoaded(kit: Kit, target: string): Promise<void> {
  for (const [name, digest] of Object.entries(kit.layout.digests)) {
    expect(await crane("digest", `${target}/${name}`)).toBe(digest);
    await crane("validate", "--remote", `${target}/${name}`);
  }
}

/** Settings of a registry with one account. */
export function passwords(context: TestContext): Record<string, string> {
  const path = join(scratchFolder(context), "htpasswd");
  writeFileSync(path, PASSWORD_LINE);
  return { AUTH: "htpasswd", AUTH_HTPASSWD_REALM: "tests", AUTH_HTPASSWD_PATH: path };
}

/** The environment of a user with this configuration of Docker. */
export function configuration(context: TestContext, content: object): Record<string, string> {
  const folder = scratchFolder(context);
  writeFileSync(join(folder, "config.json"), JSON.stringify(content, undefined, "\t"));
  return { DOCKER_CONFIG: folder };
}
