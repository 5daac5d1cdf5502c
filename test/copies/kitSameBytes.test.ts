// Kits with an offline search that are written by processes with other time zones, languages, folders and orders of files are the
// same, and so are their images.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { expect, test, type TestContext } from "vitest";
import type { AirGapKitState } from "../../provider/kits/airGapKit/state.ts";
import type { KitManifest } from "../../provider/kits/contents/manifest.ts";
import type { Job } from "../kills/publicationProcess.ts";
import { pushBase, scratchFolder } from "./images.ts";
import { startRegistry } from "./registry.ts";

const PROGRAM = join(import.meta.dirname, "../kills/publicationProcess.ts");
const CHART = {
  "Chart.yaml": "name: docs\nversion: 1.0.0\n",
  "values.yaml": "replicas: 1\n",
  ".helmignore": "",
};

interface Written {
  readonly name: string;
  /** Digest of the kit: of its list of all files. */
  readonly kit: string;
  /** Digest of the site's image. */
  readonly image: string;
  /** The digest of each file. */
  readonly files: Readonly<Record<string, string>>;
}

/** Writes a kit of a small site. The folders are new, and their files are made in the given order or in the reverse one. */
async function kitOf(
  context: Pick<TestContext, "onTestFinished">,
  base: string,
  given: { environment: Readonly<Record<string, string>>; isReverse?: boolean; letter?: string },
): Promise<Written> {
  const root = await scratchFolder(context);
  const write = (folder: string, files: Readonly<Record<string, string>>): void => {
    mkdirSync(folder);
    const entries = Object.entries(files);
    for (const [name, text] of given.isReverse ? entries.reverse() : entries) {
      writeFileSync(join(folder, name), text);
    }
  };
  const site: Record<string, string> = { "index.html": "<title>Start</title>" };
  for (const word of ["straße", "設定", "İstanbul", `zebr${given.letter ?? "a"}`]) {
    site[`${Object.keys(site).length}.html`] = `<title>${word}</title><p>max_connections ${word}</p>`;
  }
  write(join(root, "site"), site);
  write(join(root, "chart"), CHART);
  const file = join(root, "bundle.tar.gz");
  const names = readdirSync(join(root, "site")).sort();
  create({ file, cwd: join(root, "site"), gzip: true, portable: true, noMtime: true, sync: true }, names);
  const job: Job = {
    resource: "AirGapKit",
    inputs: {
      source: { file, version: "v1", fileSha256: sha256(file) },
      folder: join(root, "kits"),
      chart: { path: join(root, "chart") },
      images: [base],
      offlineSearch: true,
    },
    notes: join(root, "notes"),
    date: Date.UTC(2026, 0), // kits that are written at other times differ by it, in their manifest
  };
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(job)], {
    cwd: root,
    env: { ...process.env, PULUMI_HOME: join(root, "home"), ...given.environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (part: Buffer) => (output += part.toString()));
  await once(child, "close");
  const [, answer = "{}"] = /^answer (.*)$/m.exec(output) ?? [];
  const { outputs } = JSON.parse(answer) as AirGapKitState;
  expect(outputs.searchPages, output).toBe(5);
  const [name = "", ...others] = readdirSync(join(root, "kits")).sort().reverse();
  expect(others).toEqual([".docs-hosting"]);
  const kit = join(root, "kits", name);
  const { images } = JSON.parse(readFileSync(join(kit, "manifest.json"), "utf8")) as KitManifest;
  const paths = readdirSync(kit, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => statSync(join(kit, path)).isFile());
  return {
    name,
    kit: outputs.sha256,
    image: images.at(-1)?.digest ?? "",
    files: Object.fromEntries(files.map((path) => [path, sha256(join(kit, path))])),
  };
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

test("kit and image are the same in another folder, order of files, time zone and language, and others with one changed letter", async (context) => {
  const { host } = await startRegistry(context);
  const base = `${host}/nginx-unprivileged:1.30`;
  await pushBase(context, base);
  const here = { TZ: "UTC", LANG: "C", LC_ALL: "C" };
  const elsewhere = { TZ: "Asia/Tokyo", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" };
  const one = await kitOf(context, base, { environment: here });
  const other = await kitOf(context, base, { environment: elsewhere, isReverse: true });
  const changed = await kitOf(context, base, { environment: here, letter: "o" });
  expect(Object.keys(one.files)).toContain("bundle.tar.gz");
  expect(other).toEqual(one);
  expect(changed.kit).not.toBe(one.kit);
  expect(changed.image).not.toBe(one.image);
});
