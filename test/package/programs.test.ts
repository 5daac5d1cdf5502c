// C09: programs of other shapes, with the packed package, outside of the repository: in a sub-folder, in an npm workspace, as an
// ES module, with the oldest and the newest supported TypeScript.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { availableEngines, openStack } from "../engine/index.ts";
import { poll, readAgentJob, readRequests, wholeExport } from "../stack/requests.ts";
import { packedPackage, versionsOf } from "./packedPackage.ts";

const run = promisify(execFile);
const packed = packedPackage();

interface Program {
  what: string;
  /** The version of TypeScript that compiles it when Pulumi runs it. */
  typescript: string;
  manifest: object;
  /** The path of the program in the package, as in `Pulumi.yaml` (`main`). */
  main: string;
  source: string;
  compilerOptions: object;
}

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  types: ["node"],
  target: "es2022",
};
const PROGRAMS: Record<string, Program> = {
  infra: {
    what: "a CommonJS program in a sub-folder (main: infra/), with TypeScript 5.9",
    typescript: "~5.9.0",
    manifest: {},
    main: "infra",
    source: `import * as pulumi from "@pulumi/pulumi";
import { StaticExport, type StaticExportArgs } from "pulumi-docs-hosting";

const args: StaticExportArgs = { domain: "docs.example.com", version: "v1" };
const docs = new StaticExport("docs", args);
export const jobId: pulumi.Output<string> = docs.jobId;
`,
    compilerOptions: { ...strict, module: "commonjs" },
  },
  esm: {
    what: "an ES module with top-level await, with TypeScript 6",
    typescript: "~6.0.0",
    manifest: { type: "module", main: "index.ts" },
    main: ".",
    source: `import * as pulumi from "@pulumi/pulumi";
import { getAgentJob, StaticExport, type StaticExportArgs } from "pulumi-docs-hosting";

const { model } = await getAgentJob({ projectId: "p1", id: "a1" });
const args: StaticExportArgs = { domain: "docs.example.com", version: "v1", triggers: [model] };
const docs = new StaticExport("docs", args);
export const jobId: pulumi.Output<string> = docs.jobId;
`,
    compilerOptions: { ...strict, module: "nodenext", moduleResolution: "nodenext" },
  },
};
let project: string;

beforeAll(async () => {
  project = join(packed.folder, "project");
  for (const [name, { typescript, manifest, main, source, compilerOptions }] of Object.entries(PROGRAMS)) {
    const write = (path: string, content: string | object): void => {
      const file = join(project, "packages", name, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    };
    const dependencies = {
      "pulumi-docs-hosting": `file:${packed.tarball}`,
      ...versionsOf("@pulumi/pulumi", "@types/node"),
      typescript,
      "ts-node": "^10.9.2", // Pulumi runs ES modules in TypeScript with it
    };
    write("package.json", { name, version: "1.0.0", private: true, ...manifest, dependencies });
    write(join(main, "index.ts"), source);
    write(join(main, "tsconfig.json"), { compilerOptions, files: ["index.ts"] });
  }
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "root", private: true, workspaces: ["packages/*"] }),
  );
  await run("npm", ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: project,
  });
});

const { kinds, skipped } = availableEngines();
if (skipped !== undefined) console.log(`programs: ${skipped}`);

const programs = Object.entries(PROGRAMS).map(([name, program]) => ({ name, ...program }));
describe.each(programs)("C09 $what, in an npm workspace", ({ name, typescript, main }) => {
  const path = (): string => join(project, "packages", name);

  test("compiles with each supported TypeScript, which finds the types of the package", async () => {
    const found = Object.keys(PROGRAMS).map((other) =>
      createRequire(join(project, "packages", other, "_")).resolve("typescript/package.json"),
    );
    const versions = found.map(
      (file) => (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version,
    );
    expect(versions).toEqual([expect.stringMatching(/^5\.9\./), expect.stringMatching(/^6\./)]);
    const compilers = found.map((file) => join(dirname(file), "bin/tsc"));
    for (const compiler of compilers) {
      await run(process.execPath, [compiler, "-p", join(path(), main)]); // fails with tsc's errors
    }
    expect(createRequire(join(path(), main, "_")).resolve("typescript/package.json")).toBe(
      found[typescript.startsWith("~5") ? 0 : 1],
    );
  });

  test.each(kinds)("up, no-op, refresh and destroy work (%s)", async (kind) => {
    const stack = await openStack(kind, {
      program: join(path(), main),
      project: name,
      stack: "dev",
      stateFolder: join(packed.folder, `state of ${name} on ${kind}`),
      passphrase: "scratch",
      env: packed.env,
    });
    let counted = packed.service.requests.length;
    /** Without the read of the agent job: one of the programs reads it whenever it runs. */
    const requests = (): string[] => {
      const seen = readRequests(packed.service.requests.slice(counted));
      counted = packed.service.requests.length;
      return seen.filter((request) => request !== readAgentJob());
    };

    const up = await stack.up();
    expect(up.error).toBeUndefined();
    const jobId = up.outputs["jobId"]?.value;
    expect(requests()).toEqual(wholeExport(jobId));
    const again = await stack.up();
    expect(again.error).toBeUndefined();
    expect(again.summary).toEqual({ same: 2 });
    expect(requests()).toEqual([]);
    expect((await stack.refresh()).error).toBeUndefined();
    expect(requests()).toEqual([poll(jobId)]);
    expect((await stack.destroy()).error).toBeUndefined();
    expect(requests()).toEqual([]);
    expect(await stack.exportState()).toEqual([]);
  });
});
