// Copies with an offline search that are made by processes with other time zones, languages and folders are the same images.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import { expect, test, type TestContext } from "vitest";
import { startRegistryStub } from "../simulation/registryStub.ts";
import type { Job } from "./publicationProcess.ts";

const PROGRAM = join(import.meta.dirname, "publicationProcess.ts");
const WORDS = ["İstanbul", "straße", "ﬁle", "設定", "Ångström", "ไทย", "zebra", "Äpfel", "max_connections"];

/** Publishes the same site, but for one word, as an image. @returns its digest */
async function digestOf(
  context: Pick<TestContext, "onTestFinished">,
  environment: Readonly<Record<string, string>>,
  last: string,
): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "same-bytes-"));
  context.onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const site = join(root, "site");
  mkdirSync(site);
  const texts = [...WORDS, last];
  const names = texts.map((word, number) => {
    writeFileSync(
      join(site, `${number}.html`),
      `<title>${word}</title><p>${texts.slice(number).join(" ")}</p>`,
    );
    return `${number}.html`;
  });
  writeFileSync(join(site, "index.html"), "<title>Start</title>");
  const file = join(root, "bundle.tar.gz");
  create({ file, cwd: site, gzip: true, portable: true, noMtime: true, sync: true }, [
    "index.html",
    ...names,
  ]);
  const fileSha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
  const registry = await startRegistryStub(context);
  const job: Job = {
    resource: "BundleCopy",
    inputs: {
      source: { file, version: "v1", fileSha256 },
      destination: { repository: `${registry.host}/docs/site`, tag: "latest" },
      offlineSearch: true,
    },
    notes: join(root, "notes"),
  };
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(job)], {
    cwd: root,
    env: { ...process.env, PULUMI_HOME: join(root, "home"), ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (part: Buffer) => (output += part.toString()));
  await once(child, "close");
  expect(output).toContain('"searchPages":11');
  const manifest = registry.manifests.get("latest")?.body ?? Buffer.alloc(0);
  return createHash("sha256").update(manifest).digest("hex");
}

test("the image is the same in another folder, time zone and language, and another with one changed character", async (context) => {
  const [one, other, changed] = await Promise.all([
    digestOf(context, { TZ: "UTC", LANG: "C", LC_ALL: "C" }, "last"),
    digestOf(context, { TZ: "Asia/Tokyo", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" }, "last"),
    digestOf(context, { TZ: "UTC", LANG: "C", LC_ALL: "C" }, "lost"),
  ]);
  expect(other).toBe(one);
  expect(changed).not.toBe(one);
}, 60_000);
