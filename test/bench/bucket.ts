import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../programs/commands.ts";
import { withBucketServer } from "./bucketServer.ts";
import { printTable, verdict } from "./resultTable.ts";
import { percentile } from "./statistics.ts";

const SIZE = 200 * 1024 * 1024;
const ROUNDS = 3;
/** Times that of lib-storage, which neither knows the archive's digest nor checks whether it arrived. */
const SLOWEST = 1.25;
/** Times that of lib-storage, both without that of a process that has loaded the SDK and does nothing. */
const MOST_MEMORY = 1.05;

const USERS = ["ours", "lib-storage"] as const;

/**
 * How long does the upload of an archive to a bucket take, and how much memory? Compared with the SDK's own uploader with the
 * same parts.
 */
export async function bucket(): Promise<boolean> {
  return withBucketServer(async ({ endpoint, folder, env, empty }) => {
    const transfer = async (
      who: string,
      path = "",
      sha256 = "",
    ): Promise<{ ms: number; peakMiB: number }> => {
      const script = join(import.meta.dirname, "bucketTransfer.ts");
      const printed = await runCommand(process.execPath, [script, who, endpoint, path, sha256], { env });
      return JSON.parse(printed) as { ms: number; peakMiB: number };
    };
    const idle = await transfer("nobody");
    const results = new Map<string, { ms: number; peakMiB: number }[]>(USERS.map((who) => [who, []]));
    for (let round = 0; round < ROUNDS; round++) {
      const content = randomBytes(SIZE);
      const path = join(folder, "bundle");
      await writeFile(path, content);
      const sha256 = createHash("sha256").update(content).digest("hex");
      for (const who of round % 2 === 0 ? USERS : USERS.toReversed()) {
        results.get(who)?.push(await transfer(who, path, sha256));
        await empty();
      }
    }
    return judge(results, idle.peakMiB);
  });
}

function judge(results: ReadonlyMap<string, { ms: number; peakMiB: number }[]>, idleMiB: number): boolean {
  const figures = USERS.map((who) => {
    const runs = results.get(who) ?? [];
    return {
      who,
      ms: percentile(
        runs.map(({ ms }) => ms),
        0.5,
      ),
      more: Math.max(...runs.map(({ peakMiB }) => peakMiB)) - idleMiB,
    };
  });
  printTable(
    "bucket",
    ["200 MiB into a bucket", "median", "memory more than idle"],
    figures.map(({ who, ms, more }) => [who, `${(ms / 1_000).toFixed(2)} s`, `${more.toFixed(0)} MiB`]),
  );
  const [ours, theirs] = figures;
  const missed: string[] = [];
  if (ours && theirs && ours.ms > SLOWEST * theirs.ms) {
    missed.push(`${(ours.ms / theirs.ms).toFixed(2)} times the time`);
  }
  if (ours && theirs && ours.more > MOST_MEMORY * theirs.more) {
    missed.push(`${(ours.more / theirs.more).toFixed(2)} times the memory`);
  }
  return verdict(missed, `${SLOWEST} times lib-storage's time, ${MOST_MEMORY} times its memory`);
}
