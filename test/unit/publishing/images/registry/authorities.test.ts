import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { authoritiesFor } from "../../../../../provider/publishing/images/registry/authorities.ts";

/** The home of someone who has these files for `registry.internal:5000`. */
async function homeWith(
  files: Readonly<Record<string, string>>,
): Promise<(name: string) => string | undefined> {
  const home = await mkdtemp(join(tmpdir(), "authorities-"));
  onTestFinished(() => rm(home, { recursive: true }));
  const folder = join(home, ".config/containers/certs.d/registry.internal:5000");
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return (name) => (name === "HOME" ? home : undefined);
}

test("the authorities of a registry are added to those that this machine trusts", async () => {
  const environment = await homeWith({
    "b.crt": "second",
    "a.crt": "first",
    "client.cert": "none",
    key: "none",
  });
  const found = await authoritiesFor("registry.internal:5000", environment);
  expect(found).toEqual([...tls.getCACertificates("default"), "first", "second"]);
});

test("another registry has the authorities that this machine trusts", async () => {
  const environment = await homeWith({ "a.crt": "first" });
  for (const host of ["registry.internal", "registry.internal:500", "other"]) {
    expect(await authoritiesFor(host, environment)).toBeUndefined();
  }
  expect(await authoritiesFor("registry.internal:5000", () => undefined)).toBeUndefined();
});

test("a folder without a certificate adds none", async () => {
  const environment = await homeWith({ "client.cert": "none" });
  expect(await authoritiesFor("registry.internal:5000", environment)).toBeUndefined();
});
