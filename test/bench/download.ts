import { type ChildProcess, execFileSync, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DownloadCost } from "./measuredDownload.ts";
import { printTable, verdict } from "./resultTable.ts";

const SIZE = 1024 ** 3;
const CUTS = 10;
const ROUNDS = 3;
/** Limits of the time of {@link SAME_WORK}, of the bytes, and of memory beside an idle process, in MiB. */
const LIMITS = { times: 1, bytes: 1.02, moreMiB: 100 };

/** What a download does, too: a file that is on the disk, and its digest. */
const SAME_WORK = "curl | tee file | openssl dgst -sha256, sync";

/** The same bundle with other tools: the digest only, and the same work. */
const OTHERS: Readonly<Record<string, string>> = {
  "curl | openssl dgst -sha256": `curl -sf "$URL" | openssl dgst -sha256`,
  "curl | sha256sum": `curl -sf "$URL" | sha256sum`,
  [SAME_WORK]: `curl -sf "$URL" | tee "$FILE" | openssl dgst -sha256; sync "$FILE"`,
};

interface Row {
  seconds: number;
  cpuSeconds?: number;
  peakMiB?: number;
  digest: string;
}

/** One bundle of 1 GiB over loopback: how long, in how much memory, and how many bytes when the connection is cut. */
export async function downloadBench(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "bench-download-"));
  const server = fork(join(import.meta.dirname, "storeServer.ts"), [String(SIZE)]);
  try {
    const [port] = (await once(server, "message")) as [number];
    const url = `http://127.0.0.1:${port}/bundle`;
    const idle = ours("idle", "").peakMiB;
    const rows = new Map<string, Row>();
    // alternating, so that other load on the machine meets all of them; the best counts
    for (let round = 0; round < ROUNDS; round++) {
      keepBest(rows, "download", { ...ours(url, folder), digest: "" });
      for (const [name, script] of Object.entries(OTHERS)) keepBest(rows, name, byShell(script, url, folder));
    }
    const whole = ours(url, folder);
    const digests = new Set(
      [whole.sha256, ...[...rows.values()].map(({ digest }) => digest)].filter(Boolean),
    );
    await bytesSent(server);
    server.send({ cuts: CUTS });
    const cut = ours(url, folder);
    const times = (await bytesSent(server)) / SIZE;
    const mine = rows.get("download");
    const reference = rows.get(SAME_WORK);
    const ratio = (mine?.seconds ?? NaN) / (reference?.seconds ?? NaN);
    const more = (mine?.peakMiB ?? NaN) - idle;
    printTable(
      "download",
      ["1 GiB over loopback", "seconds", "of the processor", "peak memory"],
      [
        ...[...rows].map(([name, row]) => cells(name, row)),
        cells(`download, cut ${CUTS} times`, { ...cut, digest: "" }),
      ],
    );
    console.log(
      `\n${ratio.toFixed(2)} times ${SAME_WORK}; ${more.toFixed(0)} MiB more than a process that does nothing; ` +
        `${times.toFixed(4)} times the bytes after ${CUTS} cuts`,
    );
    return verdict(
      [
        ...(ratio <= LIMITS.times ? [] : [`${ratio.toFixed(2)} times ${SAME_WORK}`]),
        ...(more <= LIMITS.moreMiB ? [] : [`${more.toFixed(0)} MiB more than idle`]),
        ...(times <= LIMITS.bytes ? [] : [`${times.toFixed(4)} times the bytes`]),
        ...(digests.size === 1 && cut.sha256 === whole.sha256 ? [] : ["digests differ"]),
      ],
      `${LIMITS.times} times ${SAME_WORK}, ${LIMITS.moreMiB} MiB more than idle, ${LIMITS.bytes} times the bytes`,
    );
  } finally {
    server.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

function keepBest(rows: Map<string, Row>, name: string, row: Row): void {
  if (row.seconds < (rows.get(name)?.seconds ?? Infinity)) rows.set(name, row);
}

function cells(name: string, { seconds, cpuSeconds, peakMiB }: Row): string[] {
  return [
    name,
    seconds.toFixed(2),
    cpuSeconds === undefined ? "–" : `${cpuSeconds.toFixed(2)} s`,
    peakMiB === undefined ? "–" : `${peakMiB.toFixed(0)} MiB`,
  ];
}

function ours(url: string, folder: string): DownloadCost {
  const script = join(import.meta.dirname, "measuredDownload.ts");
  const args = [script, url, ...(folder === "" ? [] : [join(folder, "parts")])];
  return JSON.parse(
    String(execFileSync(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })),
  ) as DownloadCost;
}

function byShell(script: string, url: string, folder: string): Row {
  const file = join(folder, "file");
  const startedAt = performance.now();
  const { stdout, status } = spawnSync("sh", ["-c", script], {
    env: { ...process.env, URL: url, FILE: file },
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  if (status !== 0) throw new Error(`${script} failed`);
  rmSync(file, { force: true });
  return { seconds, digest: /[0-9a-f]{64}/.exec(String(stdout))?.[0] ?? "" };
}

async function bytesSent(server: ChildProcess): Promise<number> {
  server.send("sent");
  const [sent] = (await once(server, "message")) as [number];
  return sent;
}
