// Copies and kits whose process is killed (SIGKILL), or whose run is cancelled (Ctrl-C), between publication and answer, in each
// kind of destination: after the next `up` and a `destroy` none of our files is left there, and each content was sent once.
// SEED=… repeats a run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bundleCopy } from "../../dist/provider/copies/bundleCopy/lifeCycle.js";
import type { BundleCopyState } from "../../dist/provider/copies/bundleCopy/state.js";
import { PublicationFolder } from "../../dist/provider/copies/publication/publicationRecords.js";
import { airGapKit } from "../../dist/provider/kits/airGapKit/lifeCycle.js";
import type { AirGapKitState } from "../../dist/provider/kits/airGapKit/state.js";
import { realContext } from "../bench/realContext.ts";
import { CANARIES } from "../simulation/bucketStub.ts";
import { packedSite } from "../simulation/packedSite.ts";
import { seededRandom } from "../simulation/seededRandom.ts";
import { PLACES } from "./publicationPlaces.ts";
import type { Job } from "./publicationProcess.ts";

const KILLS = Math.ceil(Number(process.env["KILLS"] ?? 2));
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
const PROGRAM = join(import.meta.dirname, "publicationProcess.ts");
const random = seededRandom(SEED);

const environment = (root: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PULUMI_HOME: join(root, "home"),
});

/** Runs a job in its own process. @returns the state that the engine got */
async function run(job: Job, root: string): Promise<{ state?: object; windowMs: number; output: string }> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(job)], {
    env: environment(root),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (part: Buffer) => (output += part.toString()));
  await once(child, "close");
  const [, answer] = /^answer (.*)\n/m.exec(output) ?? [];
  const [, windowMs = "0"] = /^window (.*)\n/m.exec(output) ?? [];
  return { ...(answer && { state: JSON.parse(answer) as object }), windowMs: Number(windowMs), output };
}

/** The next `up` with the engine's state, and then a `destroy`. */
async function upAndDestroy(
  job: Job,
  root: string,
  state: object | undefined,
  seen: () => void,
): Promise<void> {
  const records = new PublicationFolder(() => job.notes);
  const context = realContext({
    publicationRecords: records,
    urn: "urn:pulumi:kills",
    configuration: { environment: (name) => environment(root)[name], stackConfig: () => undefined },
  });
  if (job.resource === "AirGapKit") {
    const { inputs } = airGapKit.check(job.inputs, context.configuration);
    const whole = state
      ? await airGapKit.update(context, state as AirGapKitState, inputs)
      : await airGapKit.create(context, inputs);
    seen();
    expect((await airGapKit.read(context, whole))?.state).toEqual(whole);
    await airGapKit.remove(context, whole);
  } else {
    const { inputs } = bundleCopy.check(job.inputs, context.configuration);
    const whole = state
      ? await bundleCopy.update(context, state as BundleCopyState, inputs)
      : await bundleCopy.create(context, inputs);
    seen();
    expect((await bundleCopy.read(context, whole))?.state).toEqual(whole);
    await bundleCopy.remove(context, whole);
  }
  records.operationEnded();
}

function newBundle(root: string): object {
  const pages = Array.from({ length: 12 }, (_, number) => [`${number}.html`, `page ${number}`]);
  const files = Object.fromEntries([...pages, ["index.html", root]]) as Record<string, string>;
  return { ...packedSite(root, "bundle", files), version: "v1" };
}

const figures: string[] = [];

test.each(Object.keys(PLACES))(
  `%s: ${KILLS} kills and ${KILLS} times Ctrl-C between publication and answer leave nothing and send nothing twice (SEED=${SEED})`,
  { timeout: 60_000 + KILLS * 12_000 },
  async (name) => {
    const place = PLACES[name];
    if (!place) throw new Error("no such place");
    const totals = { left: 0, sentTwice: 0, contents: 0, cutOff: 0, kept: 0 };
    /** One content from its first run to its end. */
    const live = async (how: Pick<Job, "end" | "at">): Promise<number> => {
      const root = mkdtempSync(join(tmpdir(), "publication-"));
      const ends: (() => unknown)[] = [];
      try {
        const target = await place({ onTestFinished: (end) => void ends.push(end as () => unknown) }, root);
        const { resource, inputs } = target;
        const given = { source: newBundle(root), ...inputs };
        const job: Job = { resource, inputs: given, notes: join(root, "notes"), ...how };
        const { state, windowMs, output } = await run(job, root);
        expect(output).not.toContain("failed"); // something was published: it is in the state
        target.sent();
        let sent: Readonly<Record<string, number>> = {};
        await upAndDestroy(job, root, state, () => (sent = { ...target.sent() }));
        const left = target.left();
        totals.left += left.length;
        totals.contents += Object.keys(sent).length;
        totals.sentTwice += Object.values(sent).filter((times) => times !== 1).length;
        expect({ left, twice: Object.entries(sent).filter(([, times]) => times !== 1) }).toEqual({
          left: [],
          twice: [],
        });
        expect(Object.keys(sent).length).toBeGreaterThan(0);
        expect(readdirSync(join(root, "notes"))).toEqual([]);
        if (how.end) totals[state ? "kept" : "cutOff"]++;
        return windowMs;
      } finally {
        for (const end of ends) end();
        rmSync(root, { recursive: true, force: true });
      }
    };
    const windowMs = await live({});
    for (let number = 0; number < KILLS; number++) {
      for (const end of ["kill", "cancel"] as const) {
        await live({ end, at: random() < 0.5 ? "published" : random() * windowMs });
      }
    }
    figures.push(
      `${name}: ${KILLS} kills and ${KILLS} times Ctrl-C; ${totals.cutOff} runs had no answer, ${totals.kept} an answer; ` +
        `left in the place: ${totals.left}; contents sent: ${totals.contents}, of which more than once: ${totals.sentTwice}`,
    );
  },
);

beforeAll(() => {
  for (const [name, value] of Object.entries(CANARIES)) vi.stubEnv(name, value);
});

afterAll(() => {
  vi.unstubAllEnvs();
  console.log(figures.join("\n"));
});
