// Packs the working tree as a release and records its states, for the tests of all later releases. Run once per release, see
// releases/README.md.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FINISHED_AGENT_JOB } from "./finishedAgentJob.ts";
import { docs } from "./programFolder.ts";
import { RECORDED_STATES_FOLDER, type RecordedState, RELEASES_FOLDER, startJob } from "./releases.ts";
import { buildWorld, type World } from "./world.ts";

const ROOT = join(import.meta.dirname, "../..");

interface Scenario {
  jobDurationMs?: number;
  /** Brings the world to the state. @returns the program that continues from it */
  run(world: World): Promise<string>;
}

const scenarios: Record<string, Scenario> = {
  finished: {
    async run(world) {
      const program = docs(`triggers: ["a", { b: null }], renewBefore: "5m"`);
      await world.up(program);
      return program;
    },
  },
  adopted: {
    async run(world) {
      const program = docs(`jobId: "${await startJob(world.service)}"`);
      await world.up(program);
      return program;
    },
  },
  "secret-version": {
    async run(world) {
      const program = docs(`version: pulumi.secret("v1"), triggers: [pulumi.secret("t1")]`);
      await world.up(program);
      return program;
    },
  },
  "every-kind": {
    async run(world) {
      world.service.agentJobs.set("p1", FINISHED_AGENT_JOB);
      const program = `new AgentJob("agent", { projectId: "p1", id: "a1" });
        const docs = ${docs(`version: "v1"`)}
        new BundleCopy("archive", { source: docs, destination: { folder: "./archives" } });
        new BundleCopy("site", { source: docs, destination: { folder: "./site", layout: "site" }, keep: 0 });
        new AirGapKit("kit", { source: docs, folder: "./kits", values: { replicas: 2 } });`;
      await world.up(program);
      return program;
    },
  },
  "unfinished-create": {
    jobDurationMs: 60_000,
    async run(world) {
      const program = docs(`version: "v1"`, `{ customTimeouts: { create: "3s", update: "1m" } }`);
      await cutOff(world, program);
      return program;
    },
  },
  "unfinished-update": {
    jobDurationMs: 5_000,
    async run(world) {
      const program = (version: string, update: string): string =>
        docs(`version: "${version}"`, `{ customTimeouts: { update: "${update}" } }`);
      await world.up(program("v1", "3s"));
      await cutOff(world, program("v2", "3s"));
      return program("v2", "1m");
    },
  },
};

async function cutOff(world: World, program: string): Promise<void> {
  world.program(program);
  const { error } = await world.stack.up();
  if (!error?.includes("Nothing is lost")) throw new Error(`not cut off after the start: ${String(error)}`);
}

/** @returns the tarball of the version in package.json, packed unless it exists */
function packRelease(version: string): string {
  const tarball = join(RELEASES_FOLDER, `${version}.tgz`);
  if (existsSync(tarball)) return tarball;
  mkdirSync(RELEASES_FOLDER, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", RELEASES_FOLDER], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  renameSync(join(RELEASES_FOLDER, filename), tarball);
  return tarball;
}

async function record(tarball: string, scenario: Scenario): Promise<RecordedState> {
  const cleanups: (() => unknown)[] = [];
  const context = { onTestFinished: (cleanup: unknown) => void cleanups.push(cleanup as () => unknown) };
  const { jobDurationMs = 0 } = scenario;
  const world = await buildWorld(context, "local", { jobDurationMs });
  try {
    world.usePackage(tarball);
    const program = await scenario.run(world);
    const seen = world.service.requests.flatMap(({ jobId }) => jobId ?? []);
    const lived = {
      baseUrl: world.service.url,
      jobIds: [...new Set(seen)],
      recordedAt: new Date().toISOString(),
    };
    return { program, lived, resources: await world.stack.exportState() };
  } finally {
    for (const cleanup of cleanups) await cleanup();
  }
}

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
const tarball = packRelease(version);
const folder = join(RECORDED_STATES_FOLDER, version);
mkdirSync(folder, { recursive: true });
for (const [name, scenario] of Object.entries(scenarios)) {
  const recorded = await record(tarball, scenario);
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(recorded, null, 2)}\n`);
  console.log(
    `${version}/${name}: ${recorded.resources.length} resources, ${recorded.lived.jobIds.length} jobs`,
  );
}
