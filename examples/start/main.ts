// `npm start`: the whole workflow on this machine. A reference service hosts the documentation of this project, a Pulumi program exports
// it, and the exported site is served until Ctrl-C. `-- --once` checks the served start page and ends.
// `npm start -- --example documentation`: the same with a program that also makes the copy that is published. `--output FOLDER`
// writes that copy.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { type EngineKind, openStack, type OperationResult } from "../../test/engine/index.ts";
import { startReferenceService } from "../reference-service/index.ts";
import { downloadBundle, serveFolder } from "./bundle.ts";
import { writeDocumentation } from "./documentation.ts";
import { chooseEngine } from "./engine.ts";
import { type Preparation, prepareExample } from "./preparations.ts";
import { fetchSiteOfImage } from "./registry.ts";

const ROOT = join(import.meta.dirname, "../..");
const DOMAIN = "docs.example.com";
/** Generated for this run, and valid nowhere else. */
const KEY = "svc_quickstart";
/** The least duration of the export in milliseconds: long enough to watch it. */
const JOB_DURATION_MS = 5_000;

/** Needs its own configuration and a cluster: its README says how to run it. */
const NEEDS_CLUSTER = "self-hosted";
/** No program: the service that the programs run against. */
const SERVICE = "reference-service";
const EXAMPLES = readdirSync(join(ROOT, "examples")).filter(
  (name) => existsSync(programOf(name)) && name !== NEEDS_CLUSTER && name !== SERVICE,
);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(130); // the second time: at once
    stop.abort();
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  // errors that can happen here have messages of their own; a stack trace does not help users
  console.error(`npm start: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { values: options } = parseArgs({
    options: {
      once: { type: "boolean", default: false },
      example: { type: "string", default: "quickstart" },
      output: { type: "string" },
    },
  });
  if (options.example === NEEDS_CLUSTER) {
    console.error(
      `The example "${NEEDS_CLUSTER}" needs a Kubernetes cluster: see examples/${NEEDS_CLUSTER}/README.md, or run ` +
        `npm test -- cluster, which starts a node for it.`,
    );
    return 2;
  }
  if (!EXAMPLES.includes(options.example)) {
    console.error(`There is no example "${options.example}". Examples: ${EXAMPLES.join(", ")}`);
    return 2;
  }
  return run(options);
}

async function run(options: { example: string; once: boolean; output?: string }): Promise<number> {
  await mkdir(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/start-"));
  const source = join(folder, "source");
  await writeDocumentation({ folder: source, filesUrl: process.env["DOCUMENTATION_FILES_URL"] });
  const service = await startReferenceService({
    sites: { [DOMAIN]: source },
    adminApiKey: KEY,
    jobDurationMs: JOB_DURATION_MS,
  });
  let preparation: Preparation | undefined;
  try {
    say("Service", `${service.url} hosts ${DOMAIN} (the documentation of this project)`);
    const engine = await chooseEngine(join(ROOT, ".work/pulumi"), process.env["ENGINE"]);
    say("Engine", engine.notice);
    preparation = await prepareExample(options.example, {
      service,
      domain: DOMAIN,
      folder: resolve(options.output ?? join(folder, "copies")),
      say: (what) => say("Example", what),
    });
    if (preparation) say("Example", preparation.notice);
    const stack = await openStack(engine.kind, {
      program: programOf(options.example),
      project: `docs-hosting-${options.example}`,
      stack: "dev",
      stateFolder: join(folder, "state"),
      passphrase: "quickstart",
      config: preparation?.config ?? {},
      env: { DOCS_HOSTING_BASE_URL: service.url, DOCS_HOSTING_ADMIN_API_KEY: KEY },
    });
    const result = await stack.up({ signal: stop.signal, onText: (text) => process.stdout.write(text) });
    if (!result.ok) return stop.signal.aborted ? 130 : 1;

    say("Job", `${output(result, "jobId")} is completed: ${output(result, "pageCount")} pages`);
    say(
      "Link",
      `expires ${output(result, "expiresAt")}; from ${output(result, "renewAfter")} on, the next up renews it`,
    );
    const files = await fetchSite(engine.kind, result, join(folder, "site"));
    if (options.output !== undefined) return 0;
    const site = await serveFolder(files);
    try {
      say("Serving", site.url);
      if (options.once) return (await checkStartPage(site.url, source)) ? 0 : 1;
      console.log("Press Ctrl-C to stop.");
      await aborted(stop.signal);
      console.log("\nStopped.");
      return 0;
    } finally {
      await site.close();
    }
  } finally {
    await preparation?.close?.();
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files of the exported site: a copy that the program made, its image's, or those of a copy with a search. */
async function fetchSite(kind: EngineKind, result: OperationResult, folder: string): Promise<string> {
  const { image, sitePath } = result.outputs;
  if (typeof sitePath?.value === "string") {
    say("Copy", `${sitePath.value}, whose search finds ${output(result, "searchPages")} pages`);
    return sitePath.value;
  }
  if (typeof image?.value === "string") {
    say("Image", image.value);
    await fetchSiteOfImage(image.value, folder);
    return folder;
  }
  return copySite(kind, result, folder);
}

/** Makes a copy of the exported site with a search. @returns its files */
async function copySite(kind: EngineKind, exported: OperationResult, folder: string): Promise<string> {
  const file = `${folder}.tar.gz`;
  await downloadBundle(output(exported, "bundleUrl"), file);
  const stack = await openStack(kind, {
    program: join(import.meta.dirname, "copy/index.ts"),
    project: "docs-hosting-copy",
    stack: "dev",
    stateFolder: `${folder}-state`,
    passphrase: "quickstart",
    config: { file, version: output(exported, "jobId"), folder },
  });
  const result = await stack.up({ signal: stop.signal, onText: (text) => process.stdout.write(text) });
  if (!result.ok) throw new Error("the copy of the site was not made");
  say("Search", `finds ${output(result, "searchPages")} pages: press / or Ctrl-K on any of them`);
  return join(folder, "current");
}

/** Whether the served page has the first whole sentence of the source's own start page. */
async function checkStartPage(url: string, source: string): Promise<boolean> {
  const expected =
    /^[A-Z][\w ,]{30,}/m.exec(readFileSync(join(source, "index.md"), "utf8"))?.[0].trim() ?? "";
  const page = await (await fetch(url)).text();
  const found = expected !== "" && page.replace(/\s+/g, " ").includes(expected);
  say("Checked", `the start page ${found ? "says" : "does NOT say"} «${expected}»`);
  return found;
}

function programOf(example: string): string {
  return join(ROOT, "examples", example, "index.ts");
}

function output(result: OperationResult, name: string): string {
  const value = result.outputs[name]?.value;
  return typeof value === "string" || typeof value === "number" ? String(value) : "unknown";
}

function say(label: string, text: string): void {
  console.log(`${label.padEnd(8)} ${stripVTControlCharacters(text)}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
