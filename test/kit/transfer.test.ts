// All steps of a kit: the provider writes it on one side; its scripts check, load and install it on the other.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { expect, test, type TestContext } from "vitest";
import { readEarlierKit } from "../../provider/kit/earlierKit.ts";
import type { KitManifest } from "../../provider/kit/manifest.ts";
import { signerFrom } from "../../provider/signing/signer.ts";
import { writeKit, type KitRequest } from "../../provider/kit/writeKit.ts";
import { crane, pushBase } from "../copies/images.ts";
import { startRegistry } from "../copies/registry.ts";
import { operation } from "../copies/siteCopies.ts";
import { findCommand } from "../programs/commands.ts";
import { digestOfFile, KINDS, newKey, type KeyPair } from "./kitFolder.ts";
import { Operator, scratchFolder, type Ended } from "./systems.ts";

/** Prints its arguments, and the first file of values. */
const HELM = `#!/bin/sh
echo "helm $*"
while [ "$1" != --values ]; do shift; done
cat "$2"
`;

/** Both sides of an air gap. */
async function sides(context: TestContext, key: KeyPair) {
  const folder = scratchFolder(context);
  const outside = await startRegistry(context);
  const base = `${outside.host}/nginx-unprivileged:1.30`;
  await pushBase(context, base);
  const chart = join(folder, "chart");
  mkdirSync(chart);
  writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: docs-server\nversion: 1.0.0\n");
  const pem = key.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const signer = signerFrom("KEY", { environment: () => pem });

  /** Writes a kit of one page. @returns its folder */
  const write = async (version: string, request: Partial<KitRequest> = {}): Promise<string> => {
    const site = join(folder, `site ${version}`);
    mkdirSync(site);
    writeFileSync(join(site, "index.html"), `This is ${version}`);
    const path = join(folder, `${version}.tar.gz`);
    create({ file: path, cwd: site, gzip: true, portable: true, sync: true }, ["index.html"]);
    const size = readFileSync(path).length;
    const bundle = {
      path,
      format: "tar.gz",
      sha256: digestOfFile(path),
      size,
      version,
      root: "",
      leftOut: [],
    } as const;
    const kits = join(folder, "kits");
    const { name } = await writeKit(
      {
        bundle,
        chart,
        limits: { unpackedBytes: 1e6, files: 10 },
        images: [base],
        platforms: ["linux/amd64", "linux/arm64"],
        values: { image: { repository: "registry.invalid/kit/nginx-unprivileged" } },
        signer,
        earlier: [],
        ...request,
      },
      { folder: kits, owner: "urn" },
      await operation(context),
    );
    return join(kits, name);
  };

  const inside = await startRegistry(context);
  const helm = join(folder, "helm");
  writeFileSync(helm, HELM);
  chmodSync(helm, 0o755);
  const keyFile = join(folder, "key.pem");
  writeFileSync(keyFile, key.publicKey);
  const operator = new Operator(context, "busybox", { curl: findCommand("curl") ?? "curl", helm });
  const target = `${inside.host}/docs`;
  return {
    write,
    target,
    operator,
    verify: (kit: string): Promise<Ended> => operator.run(join(kit, "verify.sh"), [keyFile]),
    load: (kit: string): Promise<Ended> => operator.run(join(kit, "load.sh"), [target, "--plain-http"]),
    install: (kit: string): Promise<Ended> => operator.run(join(kit, "install.sh"), [target]),
  };
}

const siteOf = (kit: string): string => {
  const { images } = JSON.parse(readFileSync(join(kit, "manifest.json"), "utf8")) as KitManifest;
  return images.find(({ site }) => site)?.digest ?? "";
};

test.for(KINDS)(
  "a kit signed with %s is checked, loaded and installed; then a differential one",
  async (kind, context) => {
    const { write, verify, load, install, target } = await sides(context, newKey(kind));
    const first = await write("the first {");
    const since = readEarlierKit(join(first, "manifest.json"));
    const second = await write("the second", { since });
    expect(await verify(first)).toMatchObject({ code: 0 });
    expect(await verify(second)).toMatchObject({ code: 0 });
    const early = await load(second);
    expect(early.output).toContain('Load the kit of version "the first {" into');
    for (const kit of [first, second, first]) {
      expect(await load(kit)).toMatchObject({ code: 0 });
      const { code, output } = await install(kit);
      expect(code).toBe(0);
      expect(output).toContain(`siteImage: "${target}/site@${siteOf(kit)}"`);
      expect(output).toContain(`${target}/nginx-unprivileged`);
      await crane("validate", "--remote", `${target}/site@${siteOf(kit)}`);
    }
  },
);

test("a kit in parts is checked, joined and checked again", async (context) => {
  const { write, verify, load, operator } = await sides(context, newKey());
  const parts = await write("1", { partSize: 4096 });
  const checked = await verify(parts);
  expect(checked).toMatchObject({ code: 0 });
  expect(checked.lines.at(-1)).toMatch(/^This folder contains the parts of a kit\./);
  const readme = readFileSync(join(parts, "README.md"), "utf8");
  const [line = ""] = /^cat kit\.tar.*$/m.exec(readme) ?? [];
  const joined = scratchFolder(context);
  await operator.type(line.replace("/where/there/is/room", joined), { cwd: parts });
  expect(await verify(join(joined, "kit"))).toMatchObject({ code: 0 });
  expect(await load(join(joined, "kit"))).toMatchObject({ code: 0 });
});
