import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, type TestContext } from "vitest";
import {
  startReferenceService,
  type InterceptorReply,
  type LoggedRequest,
  type ReferenceService,
} from "../../examples/reference-service/index.ts";
import {
  availableEngines,
  openStack,
  type EngineKind,
  type OperationResult,
  type Stack,
  type StackSettings,
  type StateResource,
} from "../engine/index.ts";
import { recordedStack } from "../engine/recordedStack.ts";
import { installPackage, programFolderIn, writeProgram } from "./programFolder.ts";
import { JOBS, readRequests, readSideBySide, type RequestFilter } from "./requests.ts";
import { readResumeRecords, type ResumeRecord } from "./resumeRecordFiles.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The admin API key of every scenario. Must appear nowhere. */
export const CANARY_KEY = "svc_c4n4ry-k3y";

/**
 * Runs a file's scenarios on the local engine, or, with ENGINE=cli, on the real CLI.
 *
 * @param options `isSample`: on the CLI in any case where this machine has one; where not, it says so
 */
export function onEachEngine(
  name: string,
  scenarios: (kind: EngineKind) => void,
  { isSample = false }: { isSample?: boolean } = {},
): void {
  const { kinds, skipped } = availableEngines();
  if (isSample && skipped !== undefined) console.log(`${name}: ${skipped}`);
  describe.each(isSample ? kinds : kinds.slice(0, 1))(`${name}, on the %s engine`, scenarios);
}

/** Skips a test, with the reason, on the engine that cannot show what it is about. */
export function cliOnly(context: TestContext, kind: EngineKind, reason: string): void {
  context.skip(kind !== "cli", `CLI only: ${reason}`);
}

/** A program, the service it talks to, and the stack that it describes. Removed when the test ends. */
export interface World {
  readonly service: ReferenceService;
  readonly stack: Stack;
  /** Where the program is, with its dependencies. */
  readonly programFolder: string;
  /** Pulumi's own folder of the user. */
  readonly pulumiHome: string;
  /** Adds a page to the site, so that the next export is another one. */
  addPage(name: string, markdown: string): void;
  /** Replaces the program by these lines, see `writeProgram`. */
  program(lines: string): void;
  /** Runs an `up` that must go well, of these lines or of the program that is there. */
  up(lines?: string): Promise<OperationResult>;
  /** Installs a release in the place of the working tree, or the working tree again. */
  usePackage(tarball?: string): void;
  /** Opens the stack again, or another one of the same program, with these settings changed. */
  open(
    settings: Partial<Pick<StackSettings, "stack" | "passphrase" | "env" | "reuseProcesses">>,
  ): Promise<Stack>;
  /** From now on each look at an export job gets this answer. Returns what ends that. */
  answerLooks(reply: InterceptorReply): () => void;
  /** From now on each request for a link gets this answer. Returns what ends that. */
  answerLinks(reply: InterceptorReply): () => void;
  /** From now on no export job ends. Returns what lets them end. */
  holdJobs(): () => void;
  /** Starts one more service, with the same sites, for another account. */
  startService(adminApiKey: string): Promise<ReferenceService>;
  /** The only static export in the state, or the one of this name. */
  exported(name?: string, stack?: Stack): Promise<StateResource>;
  /** The only agent job in the state. */
  agentJob(): Promise<StateResource>;
  /** Requests to the API since the last call, such as "POST /v1/static-export/jobs", polls in a row counted once. */
  requests(filter?: RequestFilter): string[];
  /** The same for resources that are made side by side: sorted, and looks at one job counted once. */
  requestsSideBySide(): string[];
  /** Jobs that are noted beside the state, for a run that might be killed. */
  resumeRecords(): ResumeRecord[];
  /** Everything that was kept or shown: state files, backups, and the text of each operation. */
  everythingWritten(): Promise<string>;
}

/**
 * Builds a world in a folder of its own, with the program's dependencies laid out as npm does.
 *
 * @param context of the test: tests run side by side, and the world is removed with its own
 */
export async function buildWorld(
  context: Pick<TestContext, "onTestFinished">,
  kind: EngineKind,
  options: {
    jobDurationMs?: number;
    linkLifetimeMs?: number;
    env?: Record<string, string | undefined>;
    config?: Record<string, string>;
    secretConfig?: Record<string, string>;
    /** A program and a provider process of its own for each operation, as in a real run: where that is what is tested. */
    ownProcesses?: boolean;
  } = {},
): Promise<World> {
  mkdirSync(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/stack-"));
  const site = join(folder, "site");
  const programFolder = programFolderIn(folder);
  mkdirSync(site);
  writeFileSync(join(site, "index.md"), "# Welcome\n\nThe first page.\n");

  const services: ReferenceService[] = [];
  const startService = async (adminApiKey: string): Promise<ReferenceService> => {
    const started = await startReferenceService({
      sites: {
        "docs.example.com": site,
        "other.example.com": site,
        "free.example.com": { source: site, plan: "free" },
      },
      adminApiKey,
      jobDurationMs: options.jobDurationMs ?? 0,
      ...(options.linkLifetimeMs !== undefined && { linkLifetimeMs: options.linkLifetimeMs }),
    });
    services.push(started);
    return started;
  };
  const service = await startService(CANARY_KEY);

  const texts: string[] = [];
  const stateFolder = join(folder, "state");
  const pulumiHome = join(stateFolder, "home"); // of both engines
  const open: World["open"] = async ({ env, ...settings }) => {
    const stack = await openStack(kind, {
      program: programFolder,
      project: "scenario",
      stack: "test",
      stateFolder,
      passphrase: "correct horse",
      reuseProcesses: options.ownProcesses !== true,
      ...(options.config && { config: options.config }),
      ...(options.secretConfig && { secretConfig: options.secretConfig }),
      ...settings,
      env: {
        DOCS_HOSTING_BASE_URL: service.url,
        DOCS_HOSTING_ADMIN_API_KEY: CANARY_KEY,
        ...options.env,
        ...env,
      },
    });
    return recordedStack(stack, texts);
  };
  const stack = await open({});
  context.onTestFinished(async () => {
    await Promise.all(services.map((started) => started.close()));
    await rm(folder, { recursive: true, force: true });
  });

  const only = async (type: string, name: string | undefined, of: Stack): Promise<StateResource> => {
    const found = (await of.exportState()).filter(
      (resource) =>
        resource.type.endsWith(`:${type}`) && (name === undefined || nameOf(resource.urn) === name),
    );
    if (found.length !== 1 || !found[0]) throw new Error(`${found.length} resources ${type} in the state`);
    return found[0];
  };

  let counted = 0;
  const newRequests = (): readonly LoggedRequest[] => {
    const seen = service.requests.slice(counted);
    counted = service.requests.length;
    return seen;
  };
  const answerLooks: World["answerLooks"] = (reply) =>
    service.intercept(({ method, path }) => (method === "GET" && path.startsWith(JOBS) ? reply : undefined));
  return {
    service,
    stack,
    programFolder,
    pulumiHome,
    open,
    startService,
    answerLooks,
    answerLinks: (reply) => service.intercept(({ path }) => (path.endsWith("/bundle") ? reply : undefined)),
    holdJobs: () => answerLooks({ body: { status: "running" } }),
    addPage: (name, markdown) => writeFileSync(join(site, name), markdown),
    program: (lines) => writeProgram(programFolder, lines),
    up: async (lines) => {
      if (lines !== undefined) writeProgram(programFolder, lines);
      return succeeded(await stack.up());
    },
    usePackage: (tarball) => installPackage(programFolder, tarball),
    exported: (name, of = stack) => only("StaticExport", name, of),
    agentJob: () => only("AgentJob", undefined, stack),
    requests: (filter) => readRequests(newRequests(), filter),
    requestsSideBySide: () => readSideBySide(newRequests()),
    resumeRecords: () => readResumeRecords(pulumiHome),
    everythingWritten: async () => {
      const files = await Promise.all((await stack.stateFiles()).map((file) => readFile(file, "latin1")));
      return [...texts, ...files].join("\n");
    },
  };
}

/** Fails with what the user would have seen, unless the operation went well. */
export function succeeded(result: OperationResult): OperationResult {
  if (!result.ok) throw new Error(`the operation failed: ${String(result.error)}\n${result.text}`);
  return result;
}

/** What an operation did to static exports and agent jobs: the stack itself is left out. */
export function stepsOf(result: OperationResult): string[] {
  return result.steps
    .filter(({ urn, op }) => /docs-hosting:\w+::/.test(urn) && op !== "same" && op !== "refresh")
    .map(({ op, urn }) => `${op} ${nameOf(urn)}`);
}

/** Fails unless a preview finds nothing to do, and asks nobody. */
export async function previewIsEmpty(world: World, stack: Stack = world.stack): Promise<void> {
  world.requests();
  expect(stepsOf(succeeded(await stack.preview()))).toEqual([]);
  expect(world.requests()).toEqual([]);
}

/** The last part of a URN: what the program calls the resource. */
export function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf(":") + 1);
}
