import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRegistry } from "../copies/registry.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { prepareCrane, prepareRegistry } from "../programs/goPrograms.ts";
import { printTable, verdict } from "./resultTable.ts";
import { percentile } from "./statistics.ts";

const SIZE = 200 * 1024 * 1024;
const ROUNDS = 5;
/** Times that of skopeo, which reads what it sends, as we do: crane lets the kernel send the file unread. */
const SLOWEST = 1.25;
/** Limit above an idle process with the same code, in MiB. */
const MOST_MEMORY_MIB = 100;

/** Pushes the image of a layout to a repository. @returns milliseconds */
type Pusher = (layout: string, repository: string) => Promise<number>;

/**
 * How long does the push of an image of 200 MiB take, and how much memory? Compared with crane and skopeo, from the same layout.
 */
export async function push(): Promise<boolean> {
  const say = (what: string): void => console.log(`push: ${what}`);
  process.env["REGISTRY"] = await prepareRegistry(say);
  const crane = await prepareCrane(say);
  if (process.getuid?.() === 0 && findCommand("skopeo") === undefined) {
    await prepareDebianPackages(say, { skopeo: "skopeo" });
  }
  const folder = await mkdtemp(join(tmpdir(), "bench-push-"));
  const cleanUps: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const { host } = await startRegistry({
      onTestFinished: (cleanUp) => void cleanUps.push(cleanUp as () => unknown),
    });
    let peakMiB = 0;
    const pushers: Readonly<Record<string, Pusher>> = {
      ours: async (path, repository) => {
        const cost = await byUs(path, repository);
        peakMiB = Math.max(peakMiB, cost.peakMiB);
        return cost.ms;
      },
      crane: (path, repository) => timed(crane, ["push", path, `${repository}:1`]),
      skopeo: (path, repository) =>
        timed("skopeo", [
          ...["copy", "--insecure-policy", "--dest-tls-verify=false", "--preserve-digests"],
          ...[`oci:${path}`, `docker://${repository}:1`],
        ]),
    };
    const idle = await byUs("", `${host}/nothing`);
    const took = new Map<string, number[]>(Object.keys(pushers).map((who) => [who, []]));
    for (let round = 0; round < ROUNDS; round++) {
      const users = Object.entries(pushers);
      // each is first equally often
      for (const [who, pusher] of [...users.slice(round % 3), ...users.slice(0, round % 3)]) {
        // an image that is new each time: skopeo remembers where a layer is, and would mount it
        const layout = await makeLayout(crane, folder);
        took.get(who)?.push(await pusher(layout, `${host}/${who}/${round}`));
        await rm(layout, { recursive: true });
      }
    }
    return judge(took, peakMiB - idle.peakMiB);
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  }
}

/** An OCI layout with one image of one layer, which cannot be compressed. */
async function makeLayout(crane: string, folder: string): Promise<string> {
  const layer = join(folder, "layer.tar");
  await writeFile(join(folder, "film.webm"), randomBytes(SIZE));
  await runCommand("tar", ["-cf", layer, "-C", folder, "film.webm"]);
  const image = join(folder, "image.tar");
  const made = ["--oci-empty-base", "--new_layer", layer, "--new_tag", "site:1", "--output", image];
  await runCommand(crane, ["append", ...made]);
  const layout = join(folder, "layout");
  await runCommand("skopeo", ["copy", "--insecure-policy", `docker-archive:${image}`, `oci:${layout}:1`]);
  return layout;
}

async function byUs(layout: string, repository: string): Promise<{ ms: number; peakMiB: number }> {
  const script = join(import.meta.dirname, "registryPush.ts");
  const printed = await runCommand(process.execPath, [script, repository, layout], {
    env: { PATH: process.env["PATH"], HOME: layout, NODE_NO_WARNINGS: "1" },
  });
  return JSON.parse(printed) as { ms: number; peakMiB: number };
}

async function timed(command: string, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  await runCommand(command, [...args]);
  return performance.now() - startedAt;
}

function judge(took: ReadonlyMap<string, readonly number[]>, moreMiB: number): boolean {
  const medians = new Map([...took].map(([who, times]) => [who, percentile([...times], 0.5)]));
  printTable(
    "push",
    ["200 MiB into a registry", "median", "memory more than idle"],
    [...medians].map(([who, ms]) => [
      who,
      `${(ms / 1_000).toFixed(2)} s`,
      who === "ours" ? `${moreMiB.toFixed(0)} MiB` : "–",
    ]),
  );
  const times = (medians.get("ours") ?? NaN) / (medians.get("skopeo") ?? NaN);
  return verdict(
    [
      ...(times <= SLOWEST ? [] : [`${times.toFixed(2)} times the time of skopeo`]),
      ...(moreMiB <= MOST_MEMORY_MIB ? [] : [`${moreMiB.toFixed(0)} MiB`]),
    ],
    `${SLOWEST} times the time of skopeo, ${MOST_MEMORY_MIB} MiB`,
  );
}
