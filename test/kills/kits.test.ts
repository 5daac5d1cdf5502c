// The provider process is killed (SIGKILL) at random instants of an `up` that writes a kit: no partial kit has a kit's name, and
// the next `up` finishes it. SEED=… repeats a run. Kills while images are pulled: test/copies/kitKills.test.ts.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { create } from "tar";
import { afterAll, expect, test, type TestContext } from "vitest";
import { runCommand } from "../programs/commands.ts";
import { seededRandom } from "../simulation/seededRandom.ts";
import { buildWorld, previewIsEmpty, succeeded, type World } from "../stack/world.ts";
import { pathsIn } from "./changingFolder.ts";

/** A fifth of the kills of creates: each needs its own process, and a second one for the next `up`. */
const COUNT = Math.ceil(Number(process.env["KILLS"] ?? 50) / 5);
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
/** Size of the bundle, which cannot be compressed: it is inspected, copied, hashed and split. */
const BUNDLE_BYTES = 24 * 2 ** 20;
/** The approximate number of written bytes: the bundle, and the parts that it is split into. */
const WRITTEN_BYTES = 2 * BUNDLE_BYTES;

const random = seededRandom(SEED);
const seen = { nothing: 0, draft: 0, kit: 0 };

const shares = Array.from({ length: COUNT }, (_, index) => ({
  number: index + 1,
  percent: Math.floor(random() * 105),
}));

test.concurrent.for(shares)(
  `kill $number of ${COUNT}, when $percent% are written: no partial kit has a kit's name, and the next up finishes it`,
  async ({ percent }, context) => {
    const world = await worldWithBundle(context);
    const running = world.stack.up();
    const run = { hasEnded: false };
    void running.then(() => (run.hasEnded = true));
    while (
      !run.hasEnded &&
      (world.stack.providerPids().length === 0 || bytesOf(world) < (percent / 100) * WRITTEN_BYTES)
    ) {
      await delay(5);
    }
    for (const pid of world.stack.providerPids()) process.kill(pid, "SIGKILL");
    await running;
    const left = kits(world);
    const whole = left.filter((name) => !name.startsWith("."));
    for (const name of whole) await isWhole(world, name);
    seen[whole.length > 0 ? "kit" : left.length > 0 ? "draft" : "nothing"]++;

    const stack = await world.open({ reuseProcesses: true }); // other instances are not killed
    succeeded(await stack.up());
    const [name = "", ...others] = kits(world);
    expect(others).toEqual([]);
    await isWhole(world, name);
    if (whole.length > 0) expect(whole).toEqual([name]);
    await previewIsEmpty(world, stack);
  },
);

afterAll(() => {
  console.log(
    `SEED=${SEED}: ${COUNT} kills of kits: ${seen.nothing} before anything was written, ${seen.draft} of a draft, ${seen.kit} after the whole kit`,
  );
});

async function worldWithBundle(context: TestContext): Promise<World> {
  const world = await buildWorld(context, "local", { ownProcesses: true });
  const site = join(world.programFolder, "site");
  mkdirSync(site);
  writeFileSync(join(site, "index.html"), "<h1>Docs</h1>");
  writeFileSync(join(site, "film.mp4"), randomBytes(BUNDLE_BYTES));
  await create({ file: join(world.programFolder, "bundle.tar.gz"), cwd: site, gzip: { level: 1 } }, ["."]);
  rmSync(site, { recursive: true });
  world.program(
    `new AirGapKit("kit", { source: { file: "bundle.tar.gz", version: "v1" }, folder: "./kits", partSize: ${8 * 2 ** 20} });`,
  );
  return world;
}

/** Kits and drafts, without the marks of owners. */
function kits(world: World): string[] {
  const folder = join(world.programFolder, "kits");
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name !== ".docs-hosting")
        .sort()
    : [];
}

/** The present contents of the folder of kits. */
function bytesOf(world: World): number {
  const folder = join(world.programFolder, "kits");
  const sizes = pathsIn(folder).map(
    (path) => statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The parts are exactly those of the list. */
async function isWhole(world: World, name: string): Promise<void> {
  const folder = join(world.programFolder, "kits", name);
  await runCommand("sh", ["-c", "sha256sum -c --strict --quiet PARTS.SHA256SUMS"], { cwd: folder });
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(["README.md", "kit.tar.001", "verify.sh"]));
}
