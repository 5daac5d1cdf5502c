// The steps of a random history of an installation, and the conditions after each step.
import { setTimeout as wait } from "node:timers/promises";
import { expect, type TestContext } from "vitest";
import { findHelm } from "../engine/local/kubernetes/helmCommand.ts";
import { runCommand } from "../programs/commands.ts";
import { copyExample } from "./copiedExample.ts";
import { evict } from "./eviction.ts";
import { buildInstallation, until, type Installation } from "./installation.ts";
import { list, type KubernetesObject } from "./kubectl.ts";
import { removePendingRecord } from "./pendingRecord.ts";
import { startSteadyClient } from "./steadyClient.ts";

/** Long enough for the kubelet to renew a mounted Secret, which takes it a minute and more, and ends soon. */
const LINK_LIFETIME_MS = 150_000;
/** Helm's wait in seconds: for a blocked roll-out, and for the last one. */
const RELEASE_TIMEOUT = "20";
/** The kubelet's pauses before it restarts a container grow to some minutes. */
const LAST_TIMEOUT = "400";
/** How long the pods of a drained node get to end. */
const DRAIN_TIMEOUT = "8s";

/** Steps that are more frequent than the others: without them, little can go wrong. */
const OFTEN = ["a new version", "a new version", "the same version, another job", "Helm rolls back"];

interface Export {
  jobId: string;
  edition: string;
}

export class History {
  /** The steps so far, for the message of a failure. */
  readonly story: string[] = [];
  readonly #installation: Installation;
  readonly #random: () => number;
  readonly #endClient: () => Promise<Record<string, number>>;
  /** Jobs whose archive is whole. */
  readonly #exports: Export[] = [];
  /** The edition that each content had: that of its pods, by their content id. */
  readonly #contents = new Map<string, string>();
  #values: Record<string, unknown>;
  #editions = 0;
  /** The program's present settings. */
  #edition = "";
  #mends: (() => void)[] = [];

  static async start(context: Pick<TestContext, "onTestFinished">, random: () => number): Promise<History> {
    const example = await copyExample(context);
    await example.changeProgram((text) =>
      text.replace('jobId: config.get("jobId")', 'jobId: config.get("jobId") || undefined'),
    );
    const installation = await buildInstallation(context, {
      program: example.program,
      linkLifetimeMs: LINK_LIFETIME_MS,
      config: { version: "first", timeout: LAST_TIMEOUT },
    });
    await installation.writeStartPage(page("edition-0"));
    const { outputs } = await installation.up();
    await installation.setConfig({ timeout: RELEASE_TIMEOUT });
    const endClient = startSteadyClient(await installation.url());
    context.onTestFinished(() => endClient().then(() => undefined));
    const history = new History(installation, random, endClient);
    history.#edition = "edition-0";
    history.#exports.push({ jobId: String(outputs["jobId"]?.value), edition: "edition-0" });
    return history;
  }

  private constructor(
    installation: Installation,
    random: () => number,
    endClient: () => Promise<Record<string, number>>,
  ) {
    this.#installation = installation;
    this.#random = random;
    this.#endClient = endClient;
    this.#values = installation.values;
  }

  /** One random step, and the conditions after it. */
  async step(): Promise<void> {
    const names = [...Object.keys(this.#steps), ...OFTEN];
    const name = names[Math.floor(this.#random() * names.length)] ?? "";
    this.story.push(`- ${name}`);
    await this.#steps[name]?.();
    await this.#check();
  }

  /** All faults end: the pods must serve what the program says, and no page request may have failed meanwhile. */
  async end(): Promise<void> {
    this.story.push("- all is well again, refresh and up");
    this.#mend();
    this.#values = this.#installation.values;
    await this.#installation.setConfig({
      timeout: LAST_TIMEOUT,
      values: JSON.stringify(this.#values),
    });
    await this.#refreshedUp();
    const { error, text } = await this.#refreshedUp();
    expect(error, text).toBeUndefined();
    await until("all pods serve what the program says", async () => {
      const editions = await this.#editionsOfPods();
      return editions.length === 2 && editions.every((edition) => edition === this.#edition);
    });
    await this.#check();
    const answers = await this.#endClient();
    this.story.push(JSON.stringify(answers));
    expect(Object.keys(answers).filter((answer) => !answer.startsWith("200 The edition-"))).toEqual([]);
  }

  readonly #steps: Record<string, () => Promise<unknown>> = {
    "a new version": () => this.#publish(),
    "the same version, another job": async () => {
      const others = this.#exports.filter(({ edition }) => edition !== this.#edition);
      const other = others[Math.floor(this.#random() * others.length)];
      if (!other) return;
      await this.#installation.setConfig({ jobId: other.jobId });
      this.#edition = other.edition;
      await this.#up();
    },
    "the link is renewed": async () => {
      await this.#waitUntil("renewAfter");
      await this.#up();
    },
    "the link ends": () => this.#waitUntil("expiresAt"),
    "a version whose archive is broken": async () => {
      const whole = this.#exports.map(({ jobId }) => jobId);
      this.#mends.push(this.#installation.spoilDownloads({ body: "<!doctype html>" }, whole));
      await this.#publish();
    },
    "the store goes down": () => {
      this.#mends.push(this.#installation.spoilDownloads({ status: 503 }));
      return Promise.resolve();
    },
    "the store is well again": () => {
      this.#mend();
      return Promise.resolve();
    },
    "the node is drained": () => exclusively(() => this.#drain()),
    "a pod is deleted": async () => {
      const pods = await this.#readyPods();
      if (pods.length < 2) return; // content that is not deployed yet cannot be served
      const pod = pods[Math.floor(this.#random() * pods.length)];
      await this.#installation.kubectl("delete", "pod", pod?.metadata.name ?? "", "--wait=true");
    },
    "kill -9 in an upgrade": async () => {
      const kill = new AbortController();
      const before = await this.#revision();
      const running = this.#publish({ kill: kill.signal });
      const begun = until("the upgrade has begun", async () => (await this.#revision()) > before);
      await Promise.race([begun.catch(() => undefined), running]);
      kill.abort();
      await running;
    },
    "Helm rolls back": () =>
      this.#helm("rollback", "docs").catch((error: unknown) => {
        this.story.push(`  ${String(error)}`); // there is no revision before this one
      }),
    "another number of pods": async () => {
      await this.#setValues({ replicas: this.#values["replicas"] === 3 ? 2 : 3 });
      await this.#up();
    },
    "the chart's files change": async () => {
      await this.#setValues({ web: { headers: { "X-Step": String(this.story.length) } } });
      await this.#up();
    },
    "a change of the chart that nginx refuses": async () => {
      await this.#setValues({ web: { immutablePattern: "(" } });
      await this.#up();
      await this.#setValues({ web: {} });
    },
  };

  async #publish(options: { kill?: AbortSignal } = {}): Promise<void> {
    this.#editions += 1;
    this.#edition = `edition-${this.#editions}`;
    await this.#installation.writeStartPage(page(this.#edition));
    await this.#installation.setConfig({ version: this.#edition, jobId: "" });
    await this.#up(options);
  }

  /** May fail where something blocks it; a pending release is repaired as the message says. */
  async #up(options: { kill?: AbortSignal } = {}): Promise<void> {
    const { ok, error, text } = await this.#installation.stack.up(options);
    this.story.push(`  up: ${ok ? "ok" : (error?.split("\n")[0] ?? "")}`);
    if (text.includes("sh.helm.release.v1")) await removePendingRecord(this.#installation, text);
    const found = await this.#exported();
    if (found["status"] !== "completed" || this.#mends.length > 0) return;
    const jobId = String(found["jobId"]);
    if (ok && !this.#exports.some((each) => each.jobId === jobId))
      this.#exports.push({ jobId, edition: this.#edition });
  }

  async #refreshedUp() {
    const { stack } = this.#installation;
    const refreshed = await stack.refresh();
    expect(refreshed.error, refreshed.text).toBeUndefined();
    const result = await stack.up();
    this.story.push(`  up: ${result.ok ? "ok" : (result.error?.split("\n")[0] ?? "")}`);
    if (result.text.includes("sh.helm.release.v1"))
      await removePendingRecord(this.#installation, result.text);
    return result;
  }

  /** Pods of one content serve one edition at all times; so does the Service while there is one content. */
  async #check(): Promise<void> {
    await this.#editionsOfPods();
  }

  async #editionsOfPods(): Promise<string[]> {
    const editions: string[] = [];
    for (const { metadata, status } of await this.#readyPods()) {
      const content = metadata.annotations?.["docs-server/content"] ?? "";
      const edition = await editionAt(`http://${String(status?.["podIP"])}:8080/`);
      if (edition === undefined) continue; // the pod was just removed
      const known = this.#contents.get(content) ?? edition;
      expect(edition, `${metadata.name} is of content ${content}`).toBe(known);
      this.#contents.set(content, known);
      editions.push(edition);
    }
    expect(editions.length).toBeGreaterThan(0);
    return editions;
  }

  async #readyPods(): Promise<KubernetesObject[]> {
    const isReady = ({ status }: KubernetesObject) =>
      (status?.["conditions"] as { type: string; status: string }[] | undefined)?.some(
        ({ type, status: now }) => type === "Ready" && now === "True",
      );
    return (await this.#installation.pods()).filter(isReady);
  }

  /**
   * As `kubectl drain` does, but only the pods of this installation: `kubectl drain` has no filter by namespace, and would evict
   * the pods of other tests. The disruption budget may refuse.
   */
  async #drain(): Promise<void> {
    const { kubectl } = this.#installation;
    const [node] = await list(kubectl, "nodes");
    const name = node?.metadata.name ?? "";
    try {
      await kubectl("cordon", name);
      const evictions = (await this.#installation.pods()).map(async (pod) => {
        await evict(pod);
        await kubectl("wait", "--for=delete", `pod/${pod.metadata.name}`, `--timeout=${DRAIN_TIMEOUT}`);
      });
      await Promise.allSettled(evictions);
    } finally {
      await kubectl("uncordon", name);
    }
  }

  async #setValues(values: Record<string, unknown>): Promise<void> {
    this.#values = { ...this.#values, ...values };
    await this.#installation.setConfig({ values: JSON.stringify(this.#values) });
  }

  async #revision(): Promise<number> {
    const records = await list(this.#installation.kubectl, "secrets", "--selector=owner=helm");
    return Math.max(0, ...records.map(({ metadata }) => Number(metadata.name.replace(/^.*\.v/, ""))));
  }

  async #helm(...args: string[]): Promise<void> {
    const helm = findHelm(process.env);
    if (!helm) throw new Error("there is no helm");
    await runCommand(helm, [...args, "--namespace", this.#installation.namespace]);
  }

  async #exported(): Promise<Record<string, unknown>> {
    const resources = await this.#installation.stack.exportState();
    return resources.find(({ type }) => type.endsWith(":StaticExport"))?.outputs ?? {};
  }

  async #waitUntil(output: "renewAfter" | "expiresAt"): Promise<void> {
    const moment = Date.parse(String((await this.#exported())[output]));
    await wait(Math.max(0, moment - Date.now()));
  }

  #mend(): void {
    for (const mend of this.#mends.splice(0)) mend();
  }
}

const page = (edition: string): string => `# Welcome\n\nThe ${edition} edition.\n`;

async function editionAt(url: string): Promise<string | undefined> {
  try {
    return /The (\S+) edition\./.exec(await (await fetch(url)).text())?.[1];
  } catch {
    return undefined;
  }
}

/** Histories run side by side, on one node. */
let queue: Promise<unknown> = Promise.resolve();
function exclusively<T>(work: () => Promise<T>): Promise<T> {
  const result = queue.then(work, work);
  queue = result;
  return result;
}
