// Unit tests of a program, with Pulumi's mocks, as users run them: the packed package loads in the sandbox of each test runner.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { packedPackage, versionsOf } from "./packedPackage.ts";

const run = promisify(execFile);
const packed = packedPackage();

const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const { AirGapKit, BundleCopy, fleetOutputs, StaticExport } = require("pulumi-docs-hosting");
const { SelfHostedDocs } = require("pulumi-docs-hosting/kubernetes");

exports.docs = new StaticExport("docs", { domain: "docs.example.com", version: "v1" });
exports.copy = new BundleCopy("docs", { source: exports.docs, destination: { folder: "www" } });
exports.kit = new AirGapKit("kit", { source: exports.docs, folder: "kits" });
exports.fleet = fleetOutputs([exports.docs]);
exports.installed = new SelfHostedDocs("docs", { staticExport: exports.docs, chart: "./chart", deploymentKind: "client-hosted" });
exports.refused = () => new StaticExport("x", { domain: "a.example.com" }, { import: "a" });
`;

/** Three tests, for each runner that has a function \`test\` or \`it\`. */
const TESTS = `
const pulumi = require("@pulumi/pulumi");
pulumi.runtime.setMocks(
  { newResource: ({ name, inputs }) => ({ id: name, state: { ...inputs, pageCount: 7, uri: "www/x", status: "completed" } }), call: ({ inputs }) => inputs },
  "project", "stack", false,
);
const program = require("./program.js");
const valueOf = (output) => new Promise((resolve) => output.apply(resolve));
const check = (isTrue, what) => { if (!isTrue) throw new Error(String(what)); };
module.exports = {
  "has the outputs of the mocks": async () => {
    check((await valueOf(program.docs.pageCount)) === 7, "pageCount");
    check((await valueOf(program.copy.uri)) === "www/x", "uri");
    check((await valueOf(program.fleet.sites)) === 1, "sites");
  },
  "has an output that is no promise in each resource": async () => {
    check(pulumi.Output.isInstance(program.kit.uri) || program.kit.urn !== undefined, "kit");
    check((await valueOf(program.installed.urn)).includes("docs"), "urn");
  },
  "throws errors of Pulumi": () => {
    let thrown;
    try { program.refused(); } catch (error) { thrown = error; }
    check(pulumi.RunError.isInstance(thrown) && /import/.test(thrown.message), thrown);
  },
};
`;

const each = (declare: string): string =>
  `for (const [name, run] of Object.entries(require("./cases.js"))) ${declare}(name, run);\n`;

interface Runner {
  /** The package and its version; none for Node.js itself. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

const jest = (version: string): Runner => ({
  dependencies: { jest: version },
  files: {
    "docs.test.js": each("test"),
    "jest.config.js": `module.exports = { testEnvironment: "node" };\n`,
  },
  command: ["node_modules/jest/bin/jest.js", "--ci"],
});

const RUNNERS: Readonly<Record<string, Runner>> = {
  "Jest 30": jest("^30.0.0"),
  "Jest 29": jest("^29.7.0"),
  vitest: {
    dependencies: versionsOf("vitest"),
    files: {
      "docs.test.mjs": `import { test } from "vitest";\nimport cases from "./cases.js";\nfor (const [name, run] of Object.entries(cases)) test(name, run);\n`,
    },
    command: ["node_modules/vitest/vitest.mjs", "run"],
  },
  mocha: {
    dependencies: { mocha: "^11.0.0" },
    files: { "docs.test.js": each("it") },
    command: ["node_modules/mocha/bin/mocha.js", "--exit", "docs.test.js"],
  },
  "node:test": {
    dependencies: {},
    files: { "docs.test.js": `const { test } = require("node:test");\n${each("test")}` },
    command: ["--test", "--test-force-exit", "docs.test.js"],
  },
};

describe.each(Object.entries(RUNNERS))("F8 tests of a program with %s", (name, runner) => {
  let folder: string;

  beforeAll(async () => {
    folder = join(packed.folder, name.replace(/\W/g, "-"));
    mkdirSync(join(folder, "chart"), { recursive: true });
    const dependencies = {
      "pulumi-docs-hosting": `file:${packed.tarball}`,
      ...versionsOf("@pulumi/pulumi", "@pulumi/kubernetes"),
      ...runner.dependencies,
    };
    const files = {
      ...runner.files,
      "package.json": JSON.stringify({ name: "program", private: true, dependencies }),
      "chart/Chart.yaml": "apiVersion: v2\nname: docs\nversion: 1.0.0\n",
      "program.js": PROGRAM,
      "cases.js": TESTS,
    };
    for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content);
    const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...options], { cwd: folder });
  });

  test("load the package, see the outputs of mocks, and catch its errors", async () => {
    // fails with the runner's output
    const { stdout, stderr } = await run(process.execPath, [...runner.command], {
      cwd: folder,
      env: {
        ...process.env,
        NODE_OPTIONS: "",
        VITEST: undefined,
        NODE_ENV: undefined,
        CI: "true",
        NO_COLOR: "1",
        FORCE_COLOR: undefined,
      },
    });
    expect(`${stdout}${stderr}`).toMatch(/\b3 pass|pass(?:ed|ing)?\D* 3|3 passing/);
  });
});
