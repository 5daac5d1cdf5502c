import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { list } from "tar";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startReferenceService } from "../../examples/reference-service/index.ts";
import { makesEverything } from "./everyPart.ts";
import { startPlugin } from "./pluginProcess.ts";
import { thisMachine } from "./thisMachine.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const EXECUTABLE =
  process.platform === "win32" ? "pulumi-resource-docs-hosting.exe" : "pulumi-resource-docs-hosting";

const { target, version, archive } = thisMachine();
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "archives-test-"));
  mkdirSync(join(folder, "unpacked"));
  await run("tar", ["-xzf", archive, "-C", join(folder, "unpacked")]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the archive has the executable, which everybody may start, and the licences of what is in it", async () => {
  const entries: { path: string; mode: number | undefined }[] = [];
  await list({ file: archive, onReadEntry: ({ path, mode }) => void entries.push({ path, mode }) });
  expect(entries).toEqual([
    { path: EXECUTABLE, mode: 0o755 },
    { path: "LICENSE", mode: 0o644 },
    { path: "LICENSES.txt", mode: 0o644 },
    { path: "LICENSE-node.txt", mode: 0o644 },
  ]);
});

test("written again later, in another folder and by a user with another umask, it has the same bytes", async () => {
  const again = join(folder, "again");
  const umask = process.umask(0o077);
  try {
    const env = { ...process.env, TZ: "Asia/Tokyo", TMPDIR: folder };
    const args = [".ci/archives.mjs", "--target", target, "--folder", again];
    await run(process.execPath, args, { cwd: ROOT, env });
  } finally {
    process.umask(umask);
  }
  const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
  expect(readdirSync(again)).toEqual([basename(archive)]);
  expect(digest(join(again, basename(archive)))).toBe(digest(archive));
});

test("the executable does all that the plugin does, with nothing on PATH", async () => {
  const site = join(folder, "site");
  mkdirSync(site);
  writeFileSync(join(site, "index.md"), "# Welcome\n");
  const service = await startReferenceService({
    sites: { "docs.example.com": site },
    adminApiKey: "svc_archive",
  });
  try {
    const plugin = await startPlugin(join(folder, "unpacked", EXECUTABLE), ["127.0.0.1:1"], {
      PATH: join(folder, "nothing"),
      SystemRoot: process.env["SystemRoot"], // Windows starts nothing without it
      HOME: folder,
      PULUMI_HOME: join(folder, "home"),
      DOCS_HOSTING_BASE_URL: service.url,
      DOCS_HOSTING_ADMIN_API_KEY: "svc_archive",
      AWS_ACCESS_KEY_ID: "AKTEST",
      AWS_SECRET_ACCESS_KEY: "secret",
    });
    onTestFinished(() => plugin.stop());
    expect(await plugin.version()).toBe(version);
    expect(await plugin.schema()).toMatchObject({ name: "docs-hosting", version });
    await makesEverything(plugin, folder);
  } finally {
    await service.close();
  }
});
