// A program in Python on the real CLI, with the plugin of the archive, and without Node.js.
import { execFile } from "node:child_process";
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { type ReferenceService, startReferenceService } from "../../examples/reference-service/index.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { thisMachine } from "./thisMachine.ts";

const run = promisify(execFile);

const PROGRAM = `import pulumi
import pulumi_docs_hosting as docs_hosting

docs = docs_hosting.StaticExport("docs", domain="docs.example.com", version="v1")
copy = docs_hosting.BundleCopy(
    "copy",
    source=dict(domain=docs.domain, version=docs.version, job_id=docs.job_id),
    destination=dict(folder="copies"),
)
pulumi.export("pages", docs.page_count)
pulumi.export("uri", copy.uri)
`;
const PROJECT = `name: without-node
runtime:
  name: python
  options:
    virtualenv: venv
`;

const missing = ["pulumi", "pulumi-language-python", "python3"].filter((name) => !findCommand(name));
const { version, archive } = thisMachine();
const folder = mkdtempSync(join(tmpdir(), "python-test-"));
const project = join(folder, "project");
let service: ReferenceService;
/** Where the archive is downloaded from. */
let releases: Server;
/** Paths that were requested there. */
const downloads: string[] = [];

beforeAll(async () => {
  if (missing.length > 0) return;
  mkdirSync(join(folder, "site"));
  writeFileSync(join(folder, "site/index.md"), "# Welcome\n");
  service = await startReferenceService({
    sites: { "docs.example.com": join(folder, "site") },
    adminApiKey: "svc_python",
  });
  releases = createServer((request, response) => {
    downloads.push(request.url ?? "");
    if (request.url !== `/${basename(archive)}`) return response.writeHead(404).end();
    response.writeHead(200, { "content-length": statSync(archive).size }); // without it the CLI gives up
    return createReadStream(archive).pipe(response);
  });
  await new Promise<void>((resolve) => releases.listen(0, "127.0.0.1", resolve));
  const pluginDownloadURL = `http://127.0.0.1:${(releases.address() as AddressInfo).port}`;

  mkdirSync(project);
  writeFileSync(join(project, "Pulumi.yaml"), PROJECT);
  writeFileSync(join(project, "__main__.py"), PROGRAM);
  mkdirSync(join(folder, "state"));
  const schema = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../plugin/schema.json"), "utf8"),
  ) as object;
  writeFileSync(join(folder, "schema.json"), JSON.stringify({ ...schema, pluginDownloadURL }));
  await pulumi("sdk", "package", "gen-sdk", "schema.json", "--language", "python", "--out", "sdk");
  await run("python3", ["-m", "venv", join(project, "venv")]);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", join(folder, "sdk/python")];
  await run(join(project, "venv/bin/python"), pip);
  await pulumi("sdk", "stack", "init", "dev", "--cwd", project);
});
afterAll(async () => {
  if (missing.length === 0) await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs the CLI with nothing on PATH but what lies beside it.
 *
 * @param home the folder in which it keeps plugins
 */
async function pulumi(home: string, ...args: string[]): Promise<string> {
  const bin = dirname(findCommand("pulumi") ?? "");
  expect(findCommand("node", bin)).toBeUndefined();
  const env = {
    PATH: bin,
    HOME: join(folder, home),
    PULUMI_HOME: join(folder, home),
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "scratch",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    DOCS_HOSTING_BASE_URL: service.url,
    DOCS_HOSTING_ADMIN_API_KEY: "svc_python",
  };
  return runCommand("pulumi", [...args, "--non-interactive"], { cwd: folder, env });
}

const up = (home: string): Promise<string> =>
  pulumi(home, "up", "--yes", "--skip-preview", "--stack", "dev", "--cwd", project);

function needsTheCli(context: TestContext): void {
  context.skip(missing.length > 0, `on the CLI only: there is no ${missing.join(", no ")} on PATH`);
}

test("the CLI downloads the archive from the address in the SDK, and a program in Python creates its resources", async (context) => {
  needsTheCli(context);
  const output = await up("downloaded");
  expect(output).toContain("+ 3 created");
  expect(downloads).toEqual([`/${basename(archive)}`]);
  releases.close();
});

test("the archive is installed from its file, and the next `up` finds everything unchanged", async (context) => {
  needsTheCli(context);
  await pulumi("from-file", "plugin", "install", "resource", "docs-hosting", version, "--file", archive);
  expect(await pulumi("from-file", "plugin", "ls")).toMatch(/docs-hosting +resource +\d/);
  const requests = service.requests.length;
  expect(await up("from-file")).toContain("3 unchanged");
  expect(service.requests.length).toBe(requests);
});
