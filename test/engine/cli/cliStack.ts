// A stack on the real `pulumi`, driven by Automation API, with its state in a folder of files.
import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import * as automation from "@pulumi/pulumi/automation/index.js";
import { compileCacheEnv } from "../compileCache.ts";
import { filesBelow } from "../filesBelow.ts";
import { locateProgram } from "../local/programLocation.ts";
import { onAbort } from "../onAbort.ts";
import { type OperationKind, refuseMisplaced } from "../operationKind.ts";
import {
  type ImportedResource,
  type ImportResult,
  killedMessage,
  type OperationOptions,
  type OperationResult,
  type OutputValue,
  type Stack,
  type StackSettings,
} from "../stack.ts";
import { fullName, readConfig } from "../stackConfig.ts";
import { changePassphrase } from "./changePassphrase.ts";
import { createEventLog } from "./engineEvents.ts";
import { findProviderPids, interruptAgain, killAll, markName } from "./runProcesses.ts";
import { isProvider, readResource, type StateDocument, writeResources } from "./stateDocument.ts";

/** @throws «incorrect passphrase» */
export async function openCliStack(settings: StackSettings): Promise<Stack> {
  const { project, stack: name, stateFolder } = settings;
  const folder = join(stateFolder, `${project}.${name}`);
  const mark = randomUUID();
  const workspace = await createWorkspace(settings, folder, mark);
  const stack = await automation.Stack.createOrSelect(name, workspace);
  // an existing stack: check its passphrase, and drop its earlier configuration
  await stack.exportStack();
  await workspace.saveStackSettings(name, { ...(await workspace.stackSettings(name)), config: {} });
  const config = Object.fromEntries(readConfig(settings));
  if (Object.keys(config).length > 0) await stack.setAllConfig(config);

  const run =
    (kind: OperationKind) =>
    (options: OperationOptions = {}) =>
      runOperation(stack, mark, kind, options);
  const exportDocument = async () => {
    const exported = await stack.exportStack();
    return { exported, document: exported.deployment as StateDocument };
  };

  return {
    kind: "cli",
    preview: run("preview"),
    up: run("up"),
    refresh: run("refresh"),
    destroy: run("destroy"),
    import: (resources) => importResources(stack, resources),
    setConfig: (key, value, { secret = false } = {}) =>
      stack.setConfig(fullName(project, key), { value, secret }),
    async changePassphrase(passphrase) {
      await changePassphrase(workspace, name, passphrase);
      workspace.envVars["PULUMI_CONFIG_PASSPHRASE"] = passphrase;
    },
    async exportState() {
      const { document } = await exportDocument();
      return (document.resources ?? []).filter((resource) => !isProvider(resource)).map(readResource);
    },
    async importState(resources) {
      const { exported, document } = await exportDocument();
      const written = writeResources(resources, document.resources ?? [], { project, stack: name });
      const deployment = { ...document, resources: written };
      await stack.importStack({ ...exported, deployment });
    },
    async taint(urns) {
      const { exported, document } = await exportDocument();
      const resources = (document.resources ?? []).map((resource) =>
        urns.includes(resource.urn) ? { ...resource, taint: true } : resource,
      );
      await stack.importStack({ ...exported, deployment: { ...document, resources } });
    },
    stateFiles: () => filesBelow(stateFolder),
    providerPids: () => findProviderPids(mark),
    async remove() {
      await workspace.removeStack(name, { force: true });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Automation API reports an import only in its text output. */
async function importResources(
  stack: automation.Stack,
  resources: ImportedResource[],
): Promise<ImportResult> {
  const nothing = { summary: {}, steps: [], logs: [], outputs: {} };
  try {
    const { stdout, generatedCode } = await stack.import({ resources, protect: false });
    return { ok: true, ...nothing, text: stdout, program: generatedCode };
  } catch (failure) {
    const { message } = failure as Error;
    return { ok: false, error: message, ...nothing, text: message };
  }
}

/** A folder for each, with the files that the CLI needs. */
async function writePlugins(folder: string, plugins: Record<string, string>) {
  return Promise.all(
    Object.entries(plugins).map(async ([name, file]) => {
      const path = join(folder, "plugins", name);
      await mkdir(path, { recursive: true });
      const launcher = `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`;
      await writeFile(join(path, `pulumi-resource-${name}`), launcher, { mode: 0o755 });
      return { name, path };
    }),
  );
}

async function createWorkspace(settings: StackSettings, folder: string, mark: string) {
  const backend = join(settings.stateFolder, "backend");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(backend, { recursive: true, mode: 0o700 });
  const { folder: programFolder, entry, typescript } = locateProgram(settings.program);
  return automation.LocalWorkspace.create({
    workDir: folder,
    pulumiHome: join(settings.stateFolder, "home"),
    projectSettings: {
      name: settings.project,
      main: entry === "." ? programFolder : join(programFolder, entry),
      runtime: { name: "nodejs", options: { typescript } },
      backend: { url: `file://${backend}` },
      ...(settings.plugins && { plugins: { providers: await writePlugins(folder, settings.plugins) } }),
    },
    envVars: {
      ...compileCacheEnv,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_BACKEND_URL: `file://${backend}`,
      PULUMI_CONFIG_PASSPHRASE: settings.passphrase,
      // the Node that runs the tests, not another one on PATH
      PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
      [markName]: mark,
      // `undefined` unsets: a child process doesn't get such a variable
      ...(settings.env as Record<string, string>),
    },
  });
}

async function runOperation(
  stack: automation.Stack,
  mark: string,
  kind: OperationKind,
  options: OperationOptions,
): Promise<OperationResult> {
  refuseMisplaced(kind, options);
  const { parallel, targets, targetDependents, excludes, replaces } = options;
  const { continueOnError, refresh, signal, runProgram = false } = options;
  const log = createEventLog((line) => options.onLog?.(line));
  let text = "";
  const show = (chunk: string) => {
    text += chunk;
    options.onText?.(chunk);
  };
  const shared = {
    ...(parallel !== undefined && { parallel }),
    ...(targets && { target: targets }),
    ...(targetDependents !== undefined && { targetDependents }),
    ...(excludes && { exclude: excludes }),
    ...(signal && { signal }),
    onOutput: show,
    onError: show,
    onEvent: (event: automation.EngineEvent) => log.onEvent(event),
  };
  const applying = { ...shared, refresh: refresh ?? false, continueOnError: continueOnError ?? false };
  let killing: Promise<void> | undefined;
  const forget = [
    onAbort(options.terminate, () => void interruptAgain(mark, signal, () => text)),
    onAbort(options.kill, () => (killing = killAll(mark))),
  ];
  try {
    const replacing = replaces && { replace: replaces };
    if (kind === "preview") await stack.preview({ ...shared, ...replacing, refresh: refresh ?? false });
    if (kind === "up") await stack.up({ ...applying, ...replacing });
    if (kind === "refresh") await stack.refresh({ ...shared, runProgram });
    if (kind === "destroy") await stack.destroy({ ...applying, runProgram });
  } catch (failure) {
    if (killing) {
      await killing;
      await stack.cancel(); // the lock
      return { ok: false, error: killedMessage, ...(await describe(stack, kind, log)), text };
    }
    const errors = log.logs.filter(({ severity }) => severity === "error").map(({ message }) => message);
    const error = errors.length > 0 ? errors.join("\n") : (failure as Error).message;
    return { ok: false, error, ...(await describe(stack, kind, log)), text };
  } finally {
    for (const each of forget) each();
  }
  return { ok: true, ...(await describe(stack, kind, log)), text };
}

async function describe(
  stack: automation.Stack,
  kind: OperationKind,
  log: ReturnType<typeof createEventLog>,
) {
  const { steps, logs, summary } = log;
  const outputs = kind === "preview" ? log.outputs : await readOutputs(stack);
  return { steps, logs, summary, outputs };
}

async function readOutputs(stack: automation.Stack): Promise<Record<string, OutputValue>> {
  const outputs = await stack.outputs();
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { value, secret }]) => [name, { value: value as unknown, secret }]),
  );
}
