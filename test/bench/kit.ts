import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startReferenceService } from "../../examples/reference-service/index.ts";
import { makeImages } from "../cluster/node/images.ts";
import { startRegistry } from "../copies/registry.ts";
import { runCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { prepareCrane, prepareHelm, prepareRegistry } from "../programs/goPrograms.ts";
import { JOBS, serviceCalls } from "../service/serviceCalls.ts";
import { printTable, verdict } from "./resultTable.ts";
import { percentile } from "./statistics.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Real documentation: that of the package fastify. */
const FASTIFY = join(ROOT, "node_modules/fastify/docs");
const CHART = join(ROOT, "examples/self-hosted/chart");
const ROUNDS = 5;
/** Times that by hand, which inspects no page. */
const SLOWEST = 1.5;
/** Times that by hand, whose site has no compressed texts for nginx. */
const LARGEST = 1.05;

interface Cost {
  readonly ms: number;
  readonly bytes: number;
}

/**
 * How long does a signed kit of fastify's documentation take, and how large is it? Compared with a script with skopeo, crane,
 * helm and tar.
 */
export async function kit(): Promise<boolean> {
  const say = (what: string): void => console.log(`kit: ${what}`);
  const debian = await prepareDebianPackages(say, { skopeo: "skopeo" });
  process.env["REGISTRY"] = await prepareRegistry(say);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const env = {
    ...process.env,
    CRANE: await prepareCrane(say),
    HELM: await prepareHelm(say),
    KIT_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
  const folder = await mkdtemp(join(tmpdir(), "bench-kit-"));
  const cleanUps: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const { host } = await startRegistry({
      onTestFinished: (cleanUp) => void cleanUps.push(cleanUp as () => unknown),
    });
    const base = `${host}/nginx:1`;
    const [, web = ""] = await makeImages(folder, debian);
    await runCommand(env.CRANE, ["push", "--insecure", web, base]);
    const archive = join(folder, "bundle.tar.gz");
    await writeFile(archive, await bundleOf(FASTIFY));

    const ours = async (round: number): Promise<Cost> => {
      const script = join(import.meta.dirname, "writtenKit.ts");
      const args = [script, archive, base, CHART, join(folder, `ours-${round}`)];
      return JSON.parse(await runCommand(process.execPath, args, { env })) as Cost;
    };
    const byHand = async (round: number): Promise<Cost> => {
      const own = join(folder, `by-hand-${round}`);
      await mkdir(own);
      const script = join(import.meta.dirname, "kitByHand.sh");
      const startedAt = performance.now();
      const printed = await runCommand("sh", [script, archive, base, CHART, `${host}/${round}`, own], {
        env,
      });
      return { ms: performance.now() - startedAt, bytes: Number(printed) };
    };
    const costs = { ours: [] as Cost[], "by hand": [] as Cost[] };
    for (let round = 0; round < ROUNDS; round++) {
      if (round % 2 === 0) costs.ours.push(await ours(round));
      costs["by hand"].push(await byHand(round));
      if (round % 2 === 1) costs.ours.push(await ours(round));
    }
    return judge(costs);
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  }
}

/** The archive that the reference service makes of a folder of Markdown. */
async function bundleOf(site: string): Promise<Buffer> {
  const domain = "docs.example.com";
  const adminApiKey = "svc_bench";
  const service = await startReferenceService({ sites: { [domain]: site }, adminApiKey });
  try {
    const call = serviceCalls(service.url, adminApiKey);
    const { body: job } = await call("POST", JOBS, { domain });
    const path = `${JOBS}/${String(job["jobId"])}`;
    while ((await call("GET", path)).body["status"] !== "completed") await delay(100);
    const { body } = await call("POST", `${path}/bundle`);
    const answer = await fetch(String(body["bundleUrl"]));
    return Buffer.from(await answer.arrayBuffer());
  } finally {
    await service.close();
  }
}

function judge(costs: Readonly<Record<"ours" | "by hand", readonly Cost[]>>): boolean {
  const median = (values: readonly number[]): number => percentile([...values], 0.5);
  const [ours, byHand] = [costs.ours, costs["by hand"]].map((each) => ({
    ms: median(each.map(({ ms }) => ms)),
    bytes: median(each.map(({ bytes }) => bytes)),
  })) as [Cost, Cost];
  printTable(
    "kit",
    ["a signed kit of fastify's documentation", "median", "size"],
    [
      ["ours, with inspection and README" as const, ours] as const,
      ["skopeo, crane, helm, tar", byHand] as const,
    ].map(([who, { ms, bytes }]) => [
      who,
      `${(ms / 1_000).toFixed(2)} s`,
      `${(bytes / 2 ** 20).toFixed(2)} MiB`,
    ]),
  );
  const [times, share] = [ours.ms / byHand.ms, ours.bytes / byHand.bytes];
  return verdict(
    [
      ...(times <= SLOWEST ? [] : [`${times.toFixed(2)} times the time`]),
      ...(share <= LARGEST ? [] : [`${share.toFixed(3)} times the size`]),
    ],
    `${SLOWEST} times the time and ${LARGEST} times the size of a kit made by hand`,
  );
}
