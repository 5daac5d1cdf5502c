// The oldest and the newest supported release of @pulumi/pulumi: both have the parts of Pulumi that the package uses
// (sdk/pulumiSdk.ts, provider/adapters/dynamic/pulumiHost.ts).
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type LogLine, openStack, type Stack } from "../engine/index.ts";
import { startsOf } from "../stack/requests.ts";
import { install, layouts } from "./layouts.ts";
import { packedPackage, programDependencies, versionsOf } from "./packedPackage.ts";

const PROGRAM = `import { AgentJob, StaticExport } from "pulumi-docs-hosting";

const job = new AgentJob("agent", { projectId: "p1", id: "a1" });
const docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1" });
export const pages = docs.pageCount;
export const model = job.model;
`;

const { peerDependencies } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
) as { peerDependencies: Record<string, string> };
const oldest = (peerDependencies["@pulumi/pulumi"] ?? "").replace("^", "");
const newest = versionsOf("@pulumi/pulumi")["@pulumi/pulumi"] ?? "";

const packed = packedPackage();

const { typescript = "" } = versionsOf("typescript");

describe.each([
  ["oldest", oldest, "~5.9.0"], // it refuses TypeScript 6
  ["newest", newest, typescript],
])("the %s supported SDK, %s", (_, version, compiler) => {
  let stack: Stack;
  beforeAll(async () => {
    const project = await mkdtemp(join(packed.folder, "project-"));
    const [layout] = layouts;
    if (!layout) throw new Error("there is no layout");
    const dependencies = {
      ...programDependencies(packed.tarball),
      typescript: compiler,
      "@pulumi/pulumi": version,
    };
    await install(layout, project, { source: PROGRAM, dependencies }, packed.shared);
    stack = await openStack("local", {
      program: join(project, "index.ts"),
      project: "user",
      stack: "dev",
      stateFolder: join(packed.folder, `state with ${version}`),
      passphrase: "scratch",
      env: packed.env,
    });
  });

  test("shows progress on the row, ends an export at Ctrl-C with its job in the state, and continues it", async () => {
    const before = startsOf(packed.service.requests).length;
    const letJobsEnd = packed.service.intercept(({ method, path }) =>
      method === "GET" && path.includes("/static-export/")
        ? { body: { status: "running", progress: 20 } }
        : undefined,
    );
    const lines: LogLine[] = [];
    const interrupt = new AbortController();
    const running = stack.up({ signal: interrupt.signal, onLog: (line) => lines.push(line) });
    const isProgress = ({ message, ephemeral }: LogLine): boolean =>
      ephemeral && message.startsWith("20% · running");
    const row = await vi.waitUntil(() => lines.find(isProgress), { timeout: 60_000 });
    interrupt.abort();
    const stopped = await running;
    letJobsEnd();
    expect(stopped.ok).toBe(false);
    const resources = await stack.exportState();
    const docs = resources.find(({ type }) => type.endsWith(":StaticExport"));
    expect(docs?.initErrors).toEqual([expect.stringContaining("the run was cancelled")]);
    expect(row.urn).toBe(docs?.urn);

    const up = await stack.up();
    expect(up.error).toBeUndefined();
    expect(up.outputs).toMatchObject({ pages: { value: 1 }, model: { value: "model-7" } });
    expect(startsOf(packed.service.requests).length - before).toBe(1);
    expect((await stack.destroy()).error).toBeUndefined();
  });
});
