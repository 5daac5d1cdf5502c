// Runs that write a kit are killed at random instants, repeatedly: no partial kit ever has a kit's name, and the run that
// completes fetches what is missing. SEED=… repeats a run, KILLS=… has more or fewer.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { create } from "tar";
import { expect, test } from "vitest";
import { runCommand } from "../programs/commands.ts";
import { seededRandom } from "../simulation/seededRandom.ts";
import { startFaultyProxy } from "./faultyProxy.ts";
import { pushBase, scratchFolder } from "./images.ts";
import { runUpload } from "./killedUpload.ts";
import { KillCount, KillInstants, measureRun } from "./killInstants.ts";
import { startRegistry } from "./registry.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
const KILLS = Number(process.env["KILLS"] ?? 10);
/** The kills of one kit, before a run completes. */
const KILLS_EACH = 3;
const MB = 1024 * 1024;
const random = seededRandom(SEED);

test(
  `${KILLS} killed runs leave no partial kit under a kit's name, and the next run continues from what they fetched (SEED=${SEED})`,
  { timeout: 60_000 + KILLS * 10_000 },
  async (context) => {
    const { host } = await startRegistry(context);
    const proxy = await startFaultyProxy(context, host, () => undefined);
    const base = `${proxy.host}/nginx:1`;
    await pushBase(context, `${host}/nginx:1`, { amd64: 24 * MB, arm64: 3 * MB });
    const folder = await scratchFolder(context);
    const site = join(folder, "site");
    await mkdir(site);
    await writeFile(join(site, "index.html"), "<h1>Docs</h1>");
    await writeFile(join(site, "film.mp4"), randomBytes(4 * MB));
    const archive = join(folder, "bundle.tar.gz");
    await create(
      { file: archive, cwd: site, gzip: true, portable: true, noMtime: true },
      await readdir(site),
    );
    const sha256 = createHash("sha256")
      .update(await readFile(archive))
      .digest("hex");
    const run = (kits: string, killAt?: Parameters<typeof runUpload>[5]) =>
      runUpload(context, "kitWriting.ts", [base, archive, sha256, kits], folder, {}, killAt);

    const undisturbed = await measureRun(proxy.traffic, () => run(join(folder, "undisturbed")));
    const name = undisturbed.done?.slice("done ".length) ?? "";
    expect(name).toMatch(/^v1-[0-9a-f]{12}$/);
    const instants = new KillInstants(random, proxy.traffic, undisturbed);

    const kills = new KillCount(KILLS);
    let sparedBlobs = 0;
    for (let number = 1; !kills.areEnough(); number++) {
      const kits = join(folder, `kits-${number}`);
      instants.beginCopy();
      for (let times = 0; times < KILLS_EACH && !kills.areEnough(); times++) {
        kills.add(await run(kits, instants.next));
        const seen = await readdir(kits).catch(() => []);
        const visible = seen.filter((each) => !each.startsWith("."));
        expect([[], [name]]).toContainEqual(visible);
        if (visible.length > 0) await isWhole(join(kits, name));
      }
      const fetched = await wholeBlobs(kits);
      sparedBlobs += fetched.length;
      const before = proxy.passed.length;
      expect((await run(kits)).done).toBe(`done ${name}`);
      const asked = proxy.passed.slice(before).map(({ path }) => path);
      // small ones, such as configurations, are read again
      for (const digest of fetched) expect(asked.filter((path) => path.endsWith(digest))).toEqual([]);
      expect((await readdir(kits)).sort()).toEqual([".docs-hosting", name]);
      await isWhole(join(kits, name));
    }
    console.log(
      `killed runs that write kits: ${kills.kills} kills, ${kills.interrupted} before the end; ${sparedBlobs} layers of killed runs were not fetched again`,
    );
  },
);

/** The folder has exactly the files of the list. */
async function isWhole(kit: string): Promise<void> {
  const sums = await readFile(join(kit, "SHA256SUMS"), "utf8");
  const listed = sums.split("\n").flatMap((line) => (line === "" ? [] : [line.slice(66)]));
  await runCommand("sh", ["-c", `cd '${kit}' && sha256sum -c --strict --quiet SHA256SUMS`]);
  const entries = await readdir(kit, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  expect(files.map((entry) => join(entry.parentPath, entry.name).slice(kit.length + 1)).sort()).toEqual(
    [...listed, "SHA256SUMS"].sort(),
  );
}

/** Digests of layers that killed runs have left whole. */
async function wholeBlobs(kits: string): Promise<string[]> {
  const whole: string[] = [];
  const entries = await readdir(kits, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const { parentPath, name } of entries) {
    if (!parentPath.includes("/.docs-hosting-") || !/^[0-9a-f]{64}$/.test(name)) continue;
    const bytes = await readFile(join(parentPath, name));
    const isRight = createHash("sha256").update(bytes).digest("hex") === name;
    if (isRight && bytes.length > MB) whole.push(`sha256:${name}`);
  }
  return whole;
}
