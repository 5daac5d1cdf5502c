import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import {
  type InterceptorReply,
  type LoggedRequest,
  type ReferenceService,
  startReferenceService,
} from "../../examples/reference-service/index.ts";
import {
  availableEngines,
  type EngineKind,
  openStack,
  type OperationResult,
  type Stack,
  type StackSettings,
  type StateResource,
} from "../engine/index.ts";
import { recordedStack } from "../engine/recordedStack.ts";
import { type Adapter, PLUGINS, type Setting, testedAdapters } from "./adapters.ts";
import { installPackage, programFolderIn, writeProgram } from "./programFolder.ts";
import { JOBS, readRequests, readSideBySide, type RequestFilter } from "./requests.ts";
import { readResumeRecords, type ResumeRecord } from "./resumeRecordFiles.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The admin API key of every scenario. Must not appear anywhere. */
export const CANARY_KEY = "svc_c4n4ry-k3y";

/** A group of scenarios. */
export interface Scenarios {
  name: string;
  /** On the CLI in any case where this machine has one; where not, it says so. */
  isSample?: boolean;
  /** The one adapter that supports what is tested, and why. @default both do */
  only?: { adapter: Adapter; reason: string };
  /** Whether `npm test` has both adapters; `npm test -- native` has the native one in any case. @default false */
  withBoth?: boolean;
}

/** Runs a file's scenarios on the local engine, or, with ENGINE=cli, on the real CLI; by which adapters says `testedAdapters`. */
export function onEachEngine(described: string | Scenarios, scenarios: (kind: Setting) => void): void {
  const given: Scenarios = typeof described === "string" ? { name: described } : described;
  const { name, isSample = false, only, withBoth = false } = given;
  const { kinds, skipped } = availableEngines();
  if (isSample && skipped !== undefined) console.log(`${name}: ${skipped}`);
  const tested = testedAdapters(only ? [only.adapter] : ["dynamic", "native"], withBoth);
  if (only && tested.length === 0) {
    const { adapter, reason } = only;
    test(`${name}: all scenarios`, (context) => context.skip(`${adapter} adapter only: ${reason}`));
  }
  const settings = (isSample ? kinds : kinds.slice(0, 1)).flatMap((engine) =>
    tested.map((adapter): Setting => ({ engine, adapter })),
  );
  describe.each(settings)(`${name}, on the $engine engine, $adapter adapter`, scenarios);
}

/** Skips a test, with the reason, on the engine that does not support it. */
export function cliOnly(context: TestContext, { engine }: Setting, reason: string): void {
  context.skip(engine !== "cli", `CLI only: ${reason}`);
}

/** Skips a test, with the reason, on the adapter that does not support it. */
export function onlyWith(context: TestContext, adapter: Adapter, kind: Setting, reason: string): void {
  context.skip(kind.adapter !== adapter, `${adapter} adapter only: ${reason}`);
}

/** A program, its service, and its stack. Removed when the test ends. */
export interface World {
  readonly adapter: Adapter;
  readonly service: ReferenceService;
  readonly stack: Stack;
  /** The folder of the program, with its dependencies. */
  readonly programFolder: string;
  /** Pulumi's own folder of the user. */
  readonly pulumiHome: string;
  /** Adds a page to the site, so that the next export is another one. */
  addPage(name: string, markdown: string): void;
  /** Replaces the program by these lines, see `writeProgram`. @param adapter other than the world's */
  program(lines: string, adapter?: Adapter): void;
  /** Runs an `up` that must succeed, with these lines or with the present program. */
  up(lines?: string): Promise<OperationResult>;
  /** Installs a release in place of the working tree, or the working tree again. */
  usePackage(tarball?: string): void;
  /** Opens the stack again, or another one of the same program, with these changed settings. */
  open(
    settings: Partial<Pick<StackSettings, "stack" | "passphrase" | "env" | "reuseProcesses">>,
  ): Promise<Stack>;
  /** From now on each poll of an export job gets this answer. Returns a function that ends that. */
  answerLooks(reply: InterceptorReply): () => void;
  /** From now on each request for a link gets this answer. Returns a function that ends that. */
  answerLinks(reply: InterceptorReply): () => void;
  /** From now on no export job ends. Returns a function that lets them end. */
  holdJobs(): () => void;
  /** Starts another service, with the same sites, for another account. */
  startService(adminApiKey: string): Promise<ReferenceService>;
  /** The only static export in the state, or the one of this name. */
  exported(name?: string, stack?: Stack): Promise<StateResource>;
  /** The only agent job in the state. */
  agentJob(): Promise<StateResource>;
  /** Requests to the API since the last call, such as "POST /v1/static-export/jobs", consecutive polls once. */
  requests(filter?: RequestFilter): string[];
  /** The same for concurrent resources: sorted, and polls of one job once. */
  requestsSideBySide(): string[];
  /** Jobs that are recorded beside the state, for a run that might be killed. */
  resumeRecords(): ResumeRecord[];
  /** All stored and shown texts: state files, backups, and the output of each operation. */
  everythingWritten(): Promise<string>;
}

/**
 * Creates a world in its own folder, with the program's dependencies laid out as npm does.
 *
 * @param context of the test: tests run side by side, and each removes its own world
 * @param on the engine's name alone stands for the dynamic adapter
 */
export async function buildWorld(
  context: Pick<TestContext, "onTestFinished">,
  on: EngineKind | Setting,
  options: {
    jobDurationMs?: number;
    linkLifetimeMs?: number;
    env?: Record<string, string | undefined>;
    config?: Record<string, string>;
    secretConfig?: Record<string, string>;
    /** Separate program and provider processes for each operation, as in a real run: for tests of the processes. */
    ownProcesses?: boolean;
  } = {},
): Promise<World> {
  const { engine, adapter } = typeof on === "string" ? { engine: on, adapter: "dynamic" as const } : on;
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
    const stack = await openStack(engine, {
      program: programFolder,
      project: "scenario",
      stack: "test",
      stateFolder,
      passphrase: "correct horse",
      reuseProcesses: options.ownProcesses !== true,
      ...(adapter === "native" && { plugins: PLUGINS }),
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
  const program: World["program"] = (lines, by = adapter) => writeProgram(programFolder, lines, by);
  return {
    adapter,
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
    program,
    up: async (lines) => {
      if (lines !== undefined) program(lines);
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

/** Fails with the user's output, unless the operation succeeded. */
export function succeeded<Result extends OperationResult>(result: Result): Result {
  if (!result.ok) throw new Error(`the operation failed: ${String(result.error)}\n${result.text}`);
  return result;
}

/** The steps of an operation for static exports and agent jobs, without the stack itself. */
export function stepsOf(result: OperationResult): string[] {
  return result.steps
    .filter(({ urn, op }) => /docs-hosting:(?:index:)?\w+::/.test(urn) && op !== "same" && op !== "refresh")
    .map(({ op, urn }) => `${op} ${nameOf(urn)}`);
}

/** Fails unless a preview has no changes and sends no request. */
export async function previewIsEmpty(world: World, stack: Stack = world.stack): Promise<void> {
  world.requests();
  expect(stepsOf(succeeded(await stack.preview()))).toEqual([]);
  expect(world.requests()).toEqual([]);
}

/** The last part of a URN: the resource's name in the program. */
export function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf(":") + 1);
}
