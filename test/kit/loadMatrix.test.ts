// Every program of load.sh on every shell, with registries as people have them: what is printed, what is in the registry, the exit code.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { type FaultyProxy, type Passing, type Spoiling, startFaultyProxy } from "../copies/faultyProxy.ts";
import { crane } from "../copies/images.ts";
import { type Registry, startRegistry } from "../copies/registry.ts";
import { verifiersWith } from "../copies/signing.ts";
import { findCommand } from "../programs/commands.ts";
import { type KeyPair, type Kit, newKey } from "./kitFolder.ts";
import { kitWriter, siteOf } from "./kitWriter.ts";
import { BASIC, digestOfUpload, expectLoaded, isUpload, isWrite, newKit, passwords } from "./loading.ts";
import { ALL_SYSTEMS, type Ended, Operator, OPERATOR_ID, scratchFolder, type System } from "./systems.ts";
import { startTlsProxy } from "./tlsProxy.ts";

/** The command, and the variable that may have its file. */
const PROGRAMS = {
  curl: ["curl", "CURL"],
  skopeo: ["skopeo", "SKOPEO"],
  crane: ["crane", "CRANE"],
  "oras 1.1": ["oras", "ORAS_1_1"],
  "oras 1.2": ["oras", "ORAS_1_2"],
} as const;
type Program = keyof typeof PROGRAMS;

const COLUMNS = Object.keys(PROGRAMS).flatMap((program) =>
  ALL_SYSTEMS.map((system) => ({ program: program as Program, system })),
);

interface Run {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** What a row has of its column. */
interface Column {
  readonly context: TestContext;
  readonly program: Program;
  readonly system: System;
  readonly load: (kit: Pick<Kit, "folder">, target: string, run?: Run) => Promise<Ended>;
}

function column(context: TestContext, program: Program, system: System): Column {
  const [command, variable] = PROGRAMS[program];
  const file = process.env[variable] ?? findCommand(command);
  if (file === undefined) throw new Error(`The tests of kits need ${program}: ${variable} or PATH.`);
  const operator = new Operator(context, system, { [command]: file });
  return {
    context,
    program,
    system,
    load: ({ folder }, target, { env = {}, args = ["--plain-http"] } = {}) =>
      operator.run(join(folder, "load.sh"), [target, "--with", command, ...args], { env }),
  };
}

/** A registry behind a proxy that sees all requests. */
async function observed(
  context: TestContext,
  spoil: (request: Passing) => Spoiling | undefined = () => undefined,
): Promise<{ registry: Registry; proxy: FaultyProxy; target: string }> {
  const registry = await startRegistry(context);
  const proxy = await startFaultyProxy(context, registry.host, spoil);
  return { registry, proxy, target: `${proxy.host}/docs` };
}

const done = (target: string): string => `OK: all images are in ${target}, with the kit's digests.`;
const loads = async (ended: Promise<Ended>, target: string): Promise<Ended> => {
  const all = await ended;
  expect(all).toMatchObject({ code: 0 });
  expect(all.lines.at(-1)).toBe(done(target));
  return all;
};

/** Loads a kit, and again where a page answers in place of the layers, one of which the registry has lost. */
async function signedOut({ context, load }: Column, text: string): Promise<void> {
  const kit = newKit(context);
  const page = {
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: `<title>Sign in</title>${text}`,
  };
  let isSignedOut = false;
  const { registry, target } = await observed(context, ({ method, path }) =>
    isSignedOut && ["GET", "HEAD"].includes(method) && path.includes("/blobs/sha256")
      ? { answer: page }
      : undefined,
  );
  await loads(load(kit, target), target);
  lose(registry, layerOf(kit));
  isSignedOut = true;
  const again = await load(kit, target);
  expect(again).toMatchObject({ code: 1 });
  expect(again.output).not.toContain(done(target));
  isSignedOut = false;
  await loads(load(kit, target), target);
  await expectLoaded(kit, target);
}

/** Removes a blob from the registry's own store. */
function lose({ folder }: Registry, digest: string): void {
  const hex = digest.replace("sha256:", "");
  rmSync(join(folder, "docker/registry/v2/blobs/sha256", hex.slice(0, 2), hex), { recursive: true });
}

const layerOf = ({ layout }: Kit): string => layout.blobs.find(({ isLayer }) => isLayer)?.digest ?? "";
const configOf = ({ layout }: Kit): string =>
  layout.blobs.find(({ content }) => content.includes('"diff_ids"'))?.digest ?? "";
/** The manifest of one of two platforms. */
const platformOf = ({ layout }: Kit): string =>
  layout.blobs.find(({ content }) => content.includes('"layers":['))?.digest ?? "";

async function sendsAgain({ context, load }: Column, find: (kit: Kit) => string): Promise<void> {
  const kit = newKit(context);
  const { registry, proxy, target } = await observed(context);
  await loads(load(kit, target), target);
  const lost = find(kit);
  lose(registry, lost);
  proxy.passed.length = 0;
  const again = await loads(load(kit, target), target);
  expect(again.output).toContain("loading: ");
  await expectLoaded(kit, target);
  const kept = proxy.passed.filter(isUpload).map(digestOfUpload);
  expect(kept.filter((digest) => digest !== lost)).toEqual([]);
  proxy.passed.length = 0;
  await loads(load(kit, target), target);
  expect(proxy.passed.filter(isWrite)).toEqual([]);
}

/** Writes a login of `podman login` to a file, and removes it when the test ends. */
function podmanLogin(context: TestContext, file: string, key: string): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({ auths: { "other.internal": { auth: "eDp5" }, [key]: { auth: BASIC } } }),
  );
  context.onTestFinished(() => rmSync(file, { force: true }));
}

/** A login in one of podman's places; docker's configuration has one for another registry only. */
async function usesLogin(
  { context, load }: Column,
  place: "session" | "run" | "home",
  key: (host: string) => string,
): Promise<void> {
  const home = scratchFolder(context);
  const { host } = await startRegistry(context, passwords(context));
  mkdirSync(join(home, ".docker"));
  writeFileSync(join(home, ".docker/config.json"), '{"auths":{"other.internal":{"auth":"eDp5"}}}');
  const session = scratchFolder(context);
  const file = {
    session: join(session, "containers/auth.json"),
    run: `/run/containers/${OPERATOR_ID}/auth.json`,
    home: join(home, ".config/containers/auth.json"),
  }[place];
  podmanLogin(context, file, key(host));
  const env: Record<string, string> = {
    HOME: home,
    ...(place === "session" && { XDG_RUNTIME_DIR: session }),
  };
  const target = `${host}/docs`;
  const ended = await loads(load(newKit(context), target, { env }), target);
  expect(ended.output).not.toContain(BASIC);
}

/** Refuses to move a tag, as Amazon's registry does. */
function immutableTags(): (request: Passing) => Spoiling | undefined {
  const tags = new Set<string>();
  return ({ method, path }) => {
    if (method !== "PUT" || !/\/manifests\/(?!sha256:)/.test(path)) return undefined;
    if (!tags.has(path)) return void tags.add(path);
    const error = {
      code: "TAG_INVALID",
      message: "The tag cannot be overwritten because the tag is immutable.",
    };
    return { answer: { status: 400, body: JSON.stringify({ errors: [error] }) } };
  };
}

/** A signed kit, and one that is written again from the same with the same key: no two signatures of ECDSA are the same. */
async function writtenTwice(context: TestContext): Promise<{ first: string; second: string; key: KeyPair }> {
  const folder = scratchFolder(context);
  const key = newKey();
  const write = await kitWriter(context, folder, key);
  const first = join(folder, "first");
  const written = await write("1");
  cpSync(written, first, { recursive: true });
  rmSync(written, { recursive: true });
  return { first, second: await write("1"), key };
}

const ROWS: Readonly<Record<string, (column: Column) => Promise<void>>> = {
  "a second run": async ({ context, load }) => {
    const kit = newKit(context);
    const { proxy, target } = await observed(context);
    await loads(load(kit, target), target);
    await expectLoaded(kit, target);
    proxy.passed.length = 0;
    const second = await loads(load(kit, target), target);
    expect(second.lines.filter((line) => line.startsWith("there already: "))).toHaveLength(2);
    expect(proxy.passed.filter(isWrite)).toEqual([]);
  },
  "a registry that lost a layer": (each) => sendsAgain(each, layerOf),
  "a registry that lost a configuration": (each) => sendsAgain(each, configOf),
  "a registry that lost the manifest of a platform": (each) => sendsAgain(each, platformOf),
  "a TLS proxy that answers Location: http://": async ({ context, program, load }) => {
    const kit = newKit(context);
    const registry = await startRegistry(context);
    const proxy = await startTlsProxy(context, registry.host);
    const env = { SSL_CERT_FILE: proxy.certificate };
    const target = `${proxy.host}/docs`;
    const ended = await load(kit, target, { env, args: [] });
    if (program === "curl" || program === "crane") {
      expect(ended).toMatchObject({ code: 0 });
      // crane may ask whether a registry of this machine has TLS
      if (program === "curl") expect(proxy.inTheClear()).toBe(0);
      await expectLoaded(kit, `${registry.host}/docs`);
    } else {
      // these go where they are led: to http, which the port does not speak
      expect(ended).toMatchObject({ code: 1 });
      expect(ended.output).toContain("--with curl");
    }
  },
  "a login of podman in the session's folder": (each) => usesLogin(each, "session", (host) => host),
  "a login of podman in the session's folder, for a path": (each) =>
    usesLogin(each, "session", (host) => `${host}/docs`),
  "a login of podman without a session": (each) => usesLogin(each, "run", (host) => host),
  "a login of podman in the home folder, for a path": (each) =>
    usesLogin(each, "home", (host) => `${host}/docs`),
  "immutable tags, and a kit that is written again with the same key": async ({ context, load }) => {
    const { first, second, key } = await writtenTwice(context);
    expect(siteOf(second)).toBe(siteOf(first));
    const { target } = await observed(context, immutableTags());
    await loads(load({ folder: first }, target), target);
    const again = await loads(load({ folder: second }, target), target);
    expect(again.output).toContain("cosign verify --key");
    expect(again.output).not.toContain("NOT LOADED");
    // cosign verifies the signature that was there first: no tag has moved
    const verify = await verifiersWith(context, key.publicKey);
    for (const each of Object.values(verify.signature)) await each(`${target}/site@${siteOf(first)}`);
  },
  "immutable tags, and a kit with other content under the same version": async ({ context, load }) => {
    const kit = newKit(context);
    const images = [{ name: "nginx-unprivileged:1.30", layers: [{ "usr/sbin/nginx": "another" }] }];
    const other = newKit(context, { images });
    const { target } = await observed(context, immutableTags());
    await loads(load(kit, target), target);
    const ended = await load(other, target);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.output).toContain(
      `The registry does not let a tag be moved, and ${target}/nginx-unprivileged:1.30 is another image than the kit's.`,
    );
    await expectLoaded(kit, target);
  },
  "a registry that refuses signatures": async ({ context, load }) => {
    const folder = await (await kitWriter(context, scratchFolder(context), newKey()))("1");
    const { target, registry } = await observed(context, ({ method, path }) =>
      method === "PUT" && path.includes("/manifests/sha256-")
        ? { answer: { status: 400, body: '{"errors":[{"code":"MANIFEST_INVALID"}]}' } }
        : undefined,
    );
    const refused = await load({ folder }, target);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.output).toContain("run it again with --without-signatures");
    const without = await loads(
      load({ folder }, target, { args: ["--plain-http", "--without-signatures"] }),
      target,
    );
    expect(without.output).toContain(
      "NOT LOADED: the signature of the site's image, its provenance and its SBOM",
    );
    expect(without.output).toContain("nobody can verify who made the site's image");
    expect(without.output).not.toContain("cosign verify --key");
    expect((await crane("ls", `${registry.host}/docs/site`)).split("\n")).toEqual(["1"]);
  },
  "a proxy that limits requests": async ({ context, load }) => {
    const kit = newKit(context);
    const { target } = await observed(context, ({ method, path }) =>
      ["PUT", "PATCH"].includes(method) && path.includes("/blobs/uploads/")
        ? { answer: { status: 413, body: "<html><h1>413 Request Entity Too Large</h1></html>" } }
        : undefined,
    );
    const ended = await load(kit, target);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.output).toContain("client_max_body_size 0;");
    expect(ended.output).toMatch(/the largest layer of nginx-unprivileged:1\.30 has \d+ bytes/);
  },
  "a login page with 200 in place of the layers, one of which the registry has lost": (table) =>
    signedOut(table, ""),
  "a login page of 100 KiB with 200 in their place": (table) => signedOut(table, "x".repeat(100 << 10)),
  "a login page of 3 MiB with 200 in their place": (table) => signedOut(table, "x".repeat(3 << 20)),
  "a connection that is cut": async ({ context, load }) => {
    const kit = newKit(context);
    let cuts = 0;
    const { target } = await observed(context, ({ method, path }) =>
      ["PUT", "PATCH"].includes(method) && path.includes("/blobs/uploads/") && cuts++ === 0
        ? { cutAfter: 1 }
        : undefined,
    );
    const first = await load(kit, target);
    if (first.code !== 0) expect(first.output).toContain("Run it again to continue");
    await loads(load(kit, target), target);
    expect(cuts).toBeGreaterThan(0);
    await expectLoaded(kit, target);
  },
};

describe.each(COLUMNS)("load.sh with $program, $system", ({ program, system }) => {
  test.for(Object.entries(ROWS))("%s", async ([, row], context) => {
    await row(column(context, program, system));
  });
});
