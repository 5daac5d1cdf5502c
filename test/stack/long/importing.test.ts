// `pulumi import`, and the resource option `import`: what exists already is taken under management.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FINISHED_AGENT_JOB } from "../finishedAgentJob.ts";
import { docs } from "../programFolder.ts";
import { finishedJob } from "../releases.ts";
import { bundle, poll, readAgentJob, startsOf } from "../requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "../world.ts";

const type = (name: string): string => `docs-hosting:index:${name}`;

/** The files below some folders, each with the time of its last change, without the marks of owners. */
function filesBelow(root: string, ...folders: string[]): [path: string, time: number][] {
  const entries = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }),
  );
  const paths = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return paths
    .filter((path) => !path.includes("/.docs-hosting/"))
    .sort()
    .map((path) => [path, statSync(path).mtimeMs]);
}

const ONLY = {
  adapter: "native",
  reason: "Pulumi reads what it imports without the properties, in which a dynamic resource has its provider",
} as const;

onEachEngine({ name: "import", only: ONLY }, (kind) => {
  test.concurrent(
    "an export and an agent job are imported by their ids; with a program of what was read, the next up changes nothing",
    async (context) => {
      const world = await buildWorld(context, kind);
      const jobId = await finishedJob(world.service);
      world.service.agentJobs.set("p1", FINISHED_AGENT_JOB);
      world.requests();
      const imported = succeeded(
        await world.stack.import([
          { type: type("StaticExport"), name: "docs", id: `docs.example.com/${jobId}` },
          { type: type("AgentJob"), name: "agent", id: "p1/a1" },
        ]),
      );
      expect(startsOf(world.service.requests)).toHaveLength(1);
      expect(new Set(world.requests())).toEqual(new Set([poll(jobId), bundle(jobId), readAgentJob()]));
      expect((await world.exported()).outputs).toMatchObject({ jobId, status: "completed" });
      expect((await world.agentJob()).outputs).toMatchObject({ status: FINISHED_AGENT_JOB.status });
      if (imported.program !== undefined) console.log(imported.program);

      const [site, agent] = [await world.exported(), await world.agentJob()].map(({ inputs }) => inputs);
      const program = `new StaticExport("docs", ${JSON.stringify(site)});
        const { jobId, ...rest } = ${JSON.stringify(agent)};
        new AgentJob("agent", { id: jobId, ...rest });`;
      const up = await world.up(program);
      expect(stepsOf(up)).toEqual([]);
      expect(startsOf(world.service.requests)).toHaveLength(1);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "a program imports an export by the option `import`: one step, and the next up changes nothing",
    async (context) => {
      const world = await buildWorld(context, kind);
      const jobId = await finishedJob(world.service);
      world.requests();
      const program = docs(`jobId: "${jobId}"`, `{ import: "docs.example.com/${jobId}" }`);
      const up = await world.up(program);
      expect(stepsOf(up)).toEqual(["import docs"]);
      expect((await world.exported()).outputs).toMatchObject({ jobId, status: "completed" });
      expect(startsOf(world.service.requests)).toHaveLength(1);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "a copy is imported by its address; with a program of what was read, the next up neither starts a job nor writes a file",
    async (context) => {
      const world = await buildWorld(context, kind);
      await world.up(`const docs = ${docs(`version: "v1"`)}
        new BundleCopy("archive", { source: docs, destination: { folder: "./archives" } });
        new BundleCopy("site", { source: docs, destination: { folder: "./www", layout: "site" } });`);
      const isCopy = ({ type: made }: { type: string }): boolean => made.endsWith(":BundleCopy");
      const before = await world.stack.exportState();
      await world.stack.importState(before.filter((each) => !isCopy(each)));
      const { jobId } = (await world.exported()).outputs;
      const written = filesBelow(world.programFolder, "archives", "www");
      world.requests();

      const uriOf = (name: string): string =>
        String(before.find(({ urn }) => urn.endsWith(`::${name}`))?.outputs["uri"]);
      const source = `?domain=docs.example.com&jobId=${String(jobId)}&version=v1`;
      succeeded(
        await world.stack.import([
          { type: type("BundleCopy"), name: "archive", id: uriOf("archive") },
          { type: type("BundleCopy"), name: "site", id: `${uriOf("site")}${source}` },
        ]),
      );
      const copies = (await world.stack.exportState()).filter(isCopy);
      const program = copies.map(
        ({ urn, inputs }) => `new BundleCopy("${urn.split("::")[3] ?? ""}", ${JSON.stringify(inputs)});`,
      );
      expect(program).toHaveLength(2);
      const up = await world.up([docs(`version: "v1"`), ...program].join("\n"));
      expect(stepsOf(up)).toEqual([]);
      expect(startsOf(world.service.requests)).toHaveLength(1);
      expect(filesBelow(world.programFolder, "archives", "www")).toEqual(written);
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "what cannot be imported is refused with the reason, and nothing is kept",
    async (context) => {
      const world = await buildWorld(context, kind);
      for (const [name, id, says] of [
        ["StaticExport", "docs.example.com/nope", "nope"],
        ["StaticExport", "docs.example.com", "job"],
        ["AgentJob", "p1/a9", "a9"],
        ["BundleCopy", "copies", "is not the address of a copy"],
        ["AirGapKit", "./kits", "kit"],
      ] as const) {
        const { ok, error } = await world.stack.import([{ type: type(name), name: "it", id }]);
        expect(ok).toBe(false);
        expect(error).toContain(says);
      }
      expect((await world.stack.exportState()).filter(({ custom }) => custom)).toEqual([]);
      expect(startsOf(world.service.requests)).toEqual([]);
    },
  );
});
