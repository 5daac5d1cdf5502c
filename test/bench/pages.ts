import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { renderSite } from "../../examples/reference-service/index.ts";
import type { WebServer } from "../chart/webServer.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { prepareHelm, prepareValidation } from "../programs/goPrograms.ts";
import { printTable, verdict } from "./resultTable.ts";
import { mean } from "./statistics.ts";

/** One after the other, for both; the best counts, for other programs may use the machine, too. */
const ROUNDS = 5;
const SECONDS = 1;
const CONNECTIONS = 32;
/** The factor of answered pages: compressed once, compared with compressed for each reader. */
const LIMIT = 15;

/** One core each for nginx and for the client, where there are two. */
const CORES = { nginx: availableParallelism() > 1 ? 1 : 0, wrk: 0 };

/** Real documentation: that of the package fastify. */
const SOURCE = join(import.meta.dirname, "../../node_modules/fastify/docs");

const NOWHERE = "/nothing";

interface Site {
  /** By their paths in the site. */
  files: Record<string, Buffer>;
  /** The paths that are requested in turn, by their name in a table. */
  addresses: Record<string, string[]>;
}

/** The documentation as the reference service exports it. */
async function exportedSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "pages-"));
  try {
    const { files: names } = await renderSite({ source: SOURCE, target: folder, name: "Fastify" });
    const contents = await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, name))] as const),
    );
    const pages = contents
      .filter(([name]) => name.endsWith(".html"))
      .sort(([, one], [, other]) => one.length - other.length)
      .map(([name, { length }]) => ({ path: `/${name.replace(/(?:index)?\.html$/, "")}`, length }));
    const sheet = names.find((name) => name.endsWith(".css")) ?? "";
    const sized = (title: string, chosen: typeof pages): [string, string[]] => [
      `${title}, ${(mean(chosen.map(({ length }) => length)) / 1_000).toFixed(1)} kB`,
      chosen.map(({ path }) => path),
    ];
    return {
      files: Object.fromEntries(contents),
      addresses: Object.fromEntries([
        sized(`all ${pages.length} pages in turn`, pages),
        sized("the smallest page", pages.slice(0, 1)),
        sized("the largest page", pages.slice(-1)),
        ["the style sheet", [`/${sheet}`]],
        ["a wrong address", [NOWHERE]],
      ]),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const say = (what: string) => console.log(`pages: ${what}`);

/**
 * Replies a second of the chart's nginx on one core, while it compresses texts for each reader, and with texts that are
 * compressed once.
 */
export async function pages(): Promise<boolean> {
  if (process.getuid?.() === 0) {
    const debian = await prepareDebianPackages(say, { wrk: "wrk", taskset: "util-linux" });
    process.env["PATH"] = [process.env["PATH"], ...debian.commandFolders].join(delimiter);
  }
  process.env["HELM"] = await prepareHelm(say);
  process.env["VALIDATION"] = await prepareValidation(join(import.meta.dirname, "../chart/validation"), say);
  const { files, addresses } = await exportedSite();
  const before = await startServer(files, "");
  const after = await startServer(files, "gzip_static");
  try {
    await setTimeout(3_000); // time to compress, and for nginx to check the files again
    const rows = [];
    for (const [name, paths] of Object.entries(addresses)) {
      let [old, now] = [0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        old = Math.max(old, await measure(before, paths));
        now = Math.max(now, await measure(after, paths));
      }
      rows.push({ name, old, now, times: now / old });
    }
    printTable(
      "pages",
      ["answers a second", "compressed for each reader", "compressed once", "times"],
      rows.map(({ name, old, now, times }) => [name, old.toFixed(0), now.toFixed(0), times.toFixed(1)]),
    );
    const [load = 0] = loadavg();
    console.log(
      `${CONNECTIONS} connections, the best of ${ROUNDS} rounds; load at the end ${load.toFixed(1)}.\n`,
    );
    const { times = 0 } = rows[0] ?? {};
    return verdict(times < LIMIT ? [`the pages ${times.toFixed(1)} times`] : [], `the pages ${LIMIT} times`);
  } finally {
    await before.remove();
    await after.remove();
  }
}

/** @param modules of nginx as it reports them: without gzip_static, the chart compresses nothing beforehand */
async function startServer(files: Site["files"], modules: string): Promise<WebServer> {
  // they search for helm when they are loaded
  const { render, serving } = await import("../chart/renderedChart.ts");
  const { WebServer } = await import("../chart/webServer.ts");
  const server = new WebServer();
  const nginx = join(server.root, "bin/nginx");
  const script = `[ "$1" = -V ] && echo '${modules}' && exit; exec taskset -c ${CORES.nginx} ${findCommand("nginx") ?? "nginx"} "$@"`;
  await mkdir(dirname(nginx));
  await writeFile(nginx, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  server.write(files);
  const manifests = await render(serving({ web: { workerProcesses: 1 } }));
  await server.start(manifests, { PATH: [dirname(nginx), process.env["PATH"]].join(delimiter) });
  return server;
}

/** Replies a second to these paths in turn. */
async function measure({ root, port }: WebServer, paths: readonly string[]): Promise<number> {
  const script = join(root, "wrk.lua");
  const requests = paths.map((path) => `wrk.format("GET", ${JSON.stringify(path)})`).join(", ");
  await writeFile(
    script,
    `local all, at\nfunction init() all, at = { ${requests} }, 0 end\nfunction request() at = at % #all + 1; return all[at] end\n`,
  );
  const wrk = ["-t", "1", "-c", String(CONNECTIONS), "-d", `${SECONDS}s`, "-s", script];
  const output = await runCommand("taskset", [
    ...["-c", String(CORES.wrk), "wrk", ...wrk],
    ...["-H", "Accept-Encoding: gzip", `http://127.0.0.1:${port}`],
  ]);
  const found = /Requests\/sec:\s+([\d.]+)/.exec(output)?.[1];
  const isMissed = /Non-2xx/.test(output) !== paths.includes(NOWHERE);
  if (found === undefined || isMissed || /Socket errors/.test(output)) throw new Error(output);
  return Number(found);
}
