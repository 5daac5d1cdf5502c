// All steps of a kit: the provider writes it on one side; its scripts check, load and install it on the other.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { readEarlierKit } from "../../provider/kits/contents/earlierKit.ts";
import { crane } from "../copies/images.ts";
import { startRegistry } from "../copies/registry.ts";
import { findCommand } from "../programs/commands.ts";
import { type KeyPair, KINDS, newKey } from "./kitFolder.ts";
import { kitWriter, siteOf } from "./kitWriter.ts";
import { type Ended, Operator, scratchFolder } from "./systems.ts";

/** Prints its arguments, and the first file of values. */
const HELM = `#!/bin/sh
echo "helm $*"
while [ "$1" != --values ]; do shift; done
cat "$2"
`;

/** Both sides of an air gap. */
async function sides(context: TestContext, key: KeyPair) {
  const folder = scratchFolder(context);
  const write = await kitWriter(context, folder, key);
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
