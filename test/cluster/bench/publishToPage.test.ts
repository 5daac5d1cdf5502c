// From the end of a job to its pages: `SelfHostedDocs` compared with the shell script that it replaces, on the same node, one
// after the other. The script runs twice: with the usual roll-out of charts, and with this chart's own.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { type ReferenceService, startReferenceService } from "../../../examples/reference-service/index.ts";
import { printTable } from "../../bench/resultTable.ts";
import { mean } from "../../bench/statistics.ts";
import { findHelm } from "../../engine/local/kubernetes/helmCommand.ts";
import { runCommand } from "../../programs/commands.ts";
import { seededRandom } from "../../simulation/seededRandom.ts";
import { buildInstallation, CANARY_KEY, clusterValues, hostAddress } from "../installation.ts";
import { kubectlIn, list } from "../kubectl.ts";
import { startEditionWatch } from "./editionWatch.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PUBLISHES = Number(process.env["PUBLISHES"] ?? 10);
/** Jobs take 20 to 60 s. The script's loop sleeps 10 s. */
const JOB_SECONDS = { least: 20, loops: 4, loop: 10 };
/**
 * Limits, as shares of the mean of the script with the usual roll-out. On the way to the first page, both wait as long as this chart
 * lets a new pod wait until the others know it (`readinessProbe.initialDelaySeconds`), and for the same steps of the kubelet.
 */
const LIMITS = { first: 0.8, lastOld: 0.55 };
/** One pod after the other, with a probe every five seconds. Its pods wait before the first probe, too. */
const USUAL_ROLL_OUT = {
  strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  readinessProbe: { periodSeconds: 5 },
};
const DOMAIN = "docs.example.com";

/** Seconds after the end of the job. */
interface Times {
  noticed: number;
  linked: number;
  fetched: number;
  first: number;
  lastOld: number;
}

interface Publisher {
  lengths: JobLengths;
  service: ReferenceService;
  url: string;
  writeStartPage(markdown: string): Promise<void>;
  publish(version: string): Promise<void>;
}

test(
  `${PUBLISHES} publications each, ours compared with the script's`,
  { timeout: PUBLISHES * 360_000 },
  async (context) => {
    const publishers = {
      ours: await openOurs(context),
      usual: await openScript(context, USUAL_ROLL_OUT),
      quick: await openScript(context, {}),
    };
    const times: Record<keyof typeof publishers, Times[]> = { ours: [], usual: [], quick: [] };
    for (let round = 1; round <= PUBLISHES; round += 1) {
      for (const way of ["ours", "usual", "quick"] as const) {
        times[way].push(await measure(publishers[way], `edition-${round}`));
      }
    }
    const steps = {
      "job's end noticed": "noticed",
      "link minted": "linked",
      "bundle asked for": "fetched",
      "first new page": "first",
      "last old page": "lastOld",
    } as const;
    printTable(
      "publish-to-page",
      [
        `mean of ${PUBLISHES}, s after the job's end`,
        "SelfHostedDocs",
        "shell script (sleep 10, helm upgrade --wait), usual roll-out",
        "the same script, this chart's roll-out",
      ],
      Object.entries(steps).map(([title, step]) => [
        title,
        ...Object.values(times).map((each) => {
          const all = each.map((one) => one[step]);
          return `${mean(all).toFixed(1)} (${Math.min(...all).toFixed(1)}–${Math.max(...all).toFixed(1)})`;
        }),
      ]),
    );
    const of = (way: keyof typeof times, step: keyof Times) => mean(times[way].map((one) => one[step]));
    for (const step of ["first", "lastOld"] as const) {
      const share = of("ours", step) / of("usual", step);
      const quick = of("ours", step) / of("quick", step);
      console.log(
        `${step}: ${share.toFixed(3)} of the script's mean, ${quick.toFixed(3)} with this chart's roll-out`,
      );
      expect(share, step).toBeLessThanOrEqual(LIMITS[step]);
    }
  },
);

/**
 * The same lengths for each way, one after the other. Their ends are spread evenly over the time that the script's loop sleeps: few
 * random ones would say what chance decides. The first job is not measured.
 */
class JobLengths {
  readonly #random = seededRandom(1);
  readonly #parts = Array.from({ length: PUBLISHES }, (_, part) => ({ part, place: this.#random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ part }) => part);
  lastMs = NaN;

  readonly next = (): number => {
    const part = Number.isNaN(this.lastMs) ? undefined : this.#parts.shift();
    const { least, loops, loop } = JOB_SECONDS;
    const loopsBefore = Math.floor(this.#random() * loops);
    const share = ((part ?? 0) + this.#random()) / PUBLISHES;
    const seconds = least + (loopsBefore + share) * loop;
    return (this.lastMs = part === undefined ? 0 : seconds * 1_000);
  };
}

async function openOurs(context: TestContext): Promise<Publisher> {
  const lengths = new JobLengths();
  const installation = await buildInstallation(context, {
    config: { version: "edition-0" },
    jobDurationMs: lengths.next,
  });
  await installation.up();
  return {
    lengths,
    service: installation.service,
    url: await installation.url(),
    writeStartPage: installation.writeStartPage,
    publish: async (version) => {
      await installation.setConfig({ version });
      await installation.up();
    },
  };
}

async function openScript(context: TestContext, rollOut: object): Promise<Publisher> {
  const lengths = new JobLengths();
  const namespace = `docs-${randomBytes(4).toString("hex")}`;
  const kubectl = kubectlIn(namespace);
  const folder = await mkdtemp(join(tmpdir(), "publish-"));
  const writeStartPage = (markdown: string) => writeFile(join(folder, "index.md"), markdown);
  await writeStartPage("# Welcome\n\nThe edition-0 edition.\n");
  const values = join(folder, "values.json");
  await writeFile(values, JSON.stringify({ ...clusterValues(), ...rollOut }));
  const service = await startReferenceService({
    sites: { [DOMAIN]: folder },
    adminApiKey: CANARY_KEY,
    host: hostAddress(),
    jobDurationMs: lengths.next,
  });
  await kubectl("create", "namespace", namespace);
  context.onTestFinished(async () => {
    await kubectl("delete", "namespace", namespace, "--wait=false");
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const publish = (version: string) =>
    runCommand("sh", [join(import.meta.dirname, "publishByShell.sh"), DOMAIN, version], {
      env: {
        ...process.env,
        API: `${service.url}/v1/static-export/jobs`,
        KEY: CANARY_KEY,
        EXPORT: join(ROOT, "test/bench/exportByShell.sh"),
        HELM: findHelm(process.env) ?? "helm",
        CHART: join(ROOT, "examples/self-hosted/chart"),
        NAMESPACE: namespace,
        VALUES: values,
      },
    }).then(() => undefined);
  await publish("edition-0");
  const [web] = await list(kubectl, "services");
  const { clusterIP } = web?.spec as { clusterIP: string };
  return { lengths, service, url: `http://${clusterIP}/`, writeStartPage, publish };
}

async function measure(publisher: Publisher, edition: string): Promise<Times> {
  const { service, url, lengths } = publisher;
  const at = { started: NaN, noticed: NaN, linked: NaN, fetched: NaN };
  const stopListening = service.intercept(({ method, path }) => {
    const now = performance.now();
    if (path.endsWith("/jobs")) at.started = now;
    else if (path.endsWith("/bundle")) at.linked = now;
    else if (path.startsWith("/bundles/")) at.fetched ||= now;
    else if (method === "GET" && Number.isNaN(at.linked)) at.noticed = now; // the last poll is the one that saw it
    return undefined;
  });
  const watch = startEditionWatch(url, edition);
  await publisher.writeStartPage(`# Welcome\n\nThe ${edition} edition.\n`);
  await publisher.publish(edition);
  const seen = await watch.settled();
  stopListening();
  const ended = at.started + lengths.lastMs;
  const after = (moment: number) => (moment - ended) / 1_000;
  return {
    noticed: after(at.noticed),
    linked: after(at.linked),
    fetched: after(at.fetched),
    first: after(seen.firstNew),
    lastOld: after(seen.lastOld),
  };
}
