import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findCommand, runCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { prepareHelm } from "../programs/goPrograms.ts";
import type { WebServer } from "../chart/webServer.ts";
import { printTable, verdict } from "./resultTable.ts";

/** One after the other, for both; the best counts, for others may use the machine, too. */
const ROUNDS = 5;
const SECONDS = 1;
const CONNECTIONS = 32;
/** How much more a page compressed once is answered than one compressed for each reader. */
const LIMIT = 5;

/** One core each for nginx and for who asks, where there are two. */
const CORES = { nginx: availableParallelism() > 1 ? 1 : 0, wrk: 0 };

const WORDS = "A lamp needs a bulb, a socket and a switch; kettles boil water, and docs tell how. ".split(
  " ",
);

/** Some kilobytes that compress about as prose does: no two lines are the same. */
function prose(bytes: number, line: (words: string) => string): string {
  let seed = 1;
  let text = "";
  while (text.length < bytes) {
    const words = Array.from({ length: 12 }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return `${WORDS[seed % WORDS.length] ?? ""}${seed % 7 === 0 ? (seed % 1000).toString(36) : ""}`;
    });
    text += line(words.join(" "));
  }
  return text;
}

const FILES = {
  "index.html": `<!doctype html><title>Start</title>${prose(8_650, (words) => `<p>${words}</p>\n`)}`,
  "404.html": `<!doctype html><title>Not found</title>${prose(3_000, (words) => `<p>${words}</p>\n`)}`,
  "site.css": prose(20_000, (words) => `.${words.replaceAll(/\W+/g, "-")} { color: black }\n`),
};
const ADDRESSES = { "a page": "/", "a style sheet": "/site.css", "a wrong address": "/nothing" };

const say = (what: string) => console.log(`pages: ${what}`);

/** Answers a second of the chart's nginx on one core, while texts are compressed for each reader, and once they are compressed. */
export async function pages(): Promise<boolean> {
  if (process.getuid?.() === 0) {
    const debian = await prepareDebianPackages(say, { wrk: "wrk", taskset: "util-linux" });
    process.env["PATH"] = [process.env["PATH"], ...debian.commandFolders].join(delimiter);
  }
  process.env["HELM"] = await prepareHelm(say);
  const before = await startServer("");
  const after = await startServer("gzip_static");
  try {
    await setTimeout(3_000); // to compress, and for nginx to look again
    const rows = [];
    for (const [name, path] of Object.entries(ADDRESSES)) {
      let [old, now] = [0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        old = Math.max(old, await measure(`http://127.0.0.1:${before.port}${path}`));
        now = Math.max(now, await measure(`http://127.0.0.1:${after.port}${path}`));
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
    return verdict(times < LIMIT ? [`a page ${times.toFixed(1)} times`] : [], `a page ${LIMIT} times`);
  } finally {
    await before.remove();
    await after.remove();
  }
}

/** @param modules what nginx says that it was built with: without gzip_static, the chart compresses nothing beforehand */
async function startServer(modules: string): Promise<WebServer> {
  // they look for helm when they are loaded
  const { render, serving } = await import("../chart/renderedChart.ts");
  const { WebServer } = await import("../chart/webServer.ts");
  const server = new WebServer();
  const nginx = join(server.root, "bin/nginx");
  const script = `[ "$1" = -V ] && echo '${modules}' && exit; exec taskset -c ${CORES.nginx} ${findCommand("nginx") ?? "nginx"} "$@"`;
  await mkdir(dirname(nginx));
  await writeFile(nginx, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  server.write(FILES);
  const manifests = await render(serving({ web: { workerProcesses: 1 } }));
  await server.start(manifests, { PATH: [dirname(nginx), process.env["PATH"]].join(delimiter) });
  return server;
}

async function measure(url: string): Promise<number> {
  const output = await runCommand("taskset", [
    ...[
      "-c",
      String(CORES.wrk),
      "wrk",
      "-t",
      "1",
      "-c",
      String(CONNECTIONS),
      "-d",
      `${SECONDS}s`,
      "-H",
      "Accept-Encoding: gzip",
      url,
    ],
  ]);
  const found = /Requests\/sec:\s+([\d.]+)/.exec(output)?.[1];
  if (found === undefined || /Socket errors/.test(output)) throw new Error(output);
  return Number(found);
}
