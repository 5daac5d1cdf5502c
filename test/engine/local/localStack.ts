// A stack on the engine of this folder.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { filesBelow } from "../filesBelow.ts";
import { type OperationKind, refuseMisplaced } from "../operationKind.ts";
import {
  type ImportedResource,
  killedMessage,
  type OperationOptions,
  type OperationResult,
  type Stack,
  type StackSettings,
  type StateResource,
} from "../stack.ts";
import { fullName, readConfig } from "../stackConfig.ts";
import { stackType } from "../urn.ts";
import type { Child } from "./childProcess.ts";
import { outputValues, runOperation } from "./operation.ts";
import { runInOwnProcess } from "./ownProcess.ts";
import { locateProgram } from "./programLocation.ts";
import { markSecret, plainMap, type PropertyMap, secretKeys } from "./propertyValues.ts";
import { isProviderType } from "./providerReference.ts";
import { StateFile, statePath, type StoredResource } from "./stateFile.ts";
import { locked } from "./stateLock.ts";

/** @throws «incorrect passphrase» */
export function openLocalStack(settings: StackSettings): Stack {
  const { project, stack, stateFolder } = settings;
  const location = locateProgram(settings.program);
  const config = readConfig(settings);
  const path = statePath(settings);
  let { passphrase } = settings;
  const open = () => new StateFile(path, passphrase);
  const providers = new Set<Pick<Child, "pid" | "isRunning">>();
  open();

  const run =
    (kind: OperationKind, imports?: ImportedResource[]) =>
    async (options: OperationOptions = {}): Promise<OperationResult> => {
      refuseMisplaced(kind, options);
      if (options.runProgram) throw new Error("not supported by the test engine: runProgram");
      const common = {
        project,
        stack,
        location,
        env: { PULUMI_HOME: join(stateFolder, "home"), ...settings.env }, // as the CLI's stacks have it
        reuseProcesses: settings.reuseProcesses ?? false,
        plugins: settings.plugins ?? {},
        ...(imports && { imports }),
        config,
        options,
        onProviderStart: (provider: Pick<Child, "pid" | "isRunning">) => providers.add(provider),
      };
      try {
        if (!options.kill) return await locked(path, () => runOperation(kind, { ...common, file: open() }));
        const { result, seen } = await runInOwnProcess(kind, path, passphrase, common);
        if (result) return result;
        const root = open()
          .read()
          .resources.find(({ type }) => type === stackType);
        return {
          ok: false,
          error: killedMessage,
          summary: {},
          steps: [],
          ...seen,
          outputs: outputValues(root?.outputs ?? {}, false),
        };
      } finally {
        providers.clear();
      }
    };

  return {
    kind: "local",
    preview: run("preview"),
    up: run("up"),
    refresh: run("refresh"),
    destroy: run("destroy"),
    import: (resources, options) => run("import", resources)(options),
    setConfig(name, value, { secret = false } = {}) {
      config.set(fullName(project, name), { value, secret });
      return Promise.resolve();
    },
    changePassphrase: (next) =>
      locked(path, () => {
        open().changePassphrase(next);
        passphrase = next;
        return Promise.resolve();
      }),
    exportState: () => {
      const { resources } = open().read();
      return Promise.resolve(resources.filter(({ type }) => !isProviderType(type)).map(exportResource));
    },
    importState: (resources) =>
      locked(path, () => {
        const file = open();
        const before = file.read();
        const providers = before.resources.filter(({ type }) => isProviderType(type));
        file.write({ ...before, resources: [...providers, ...resources.map(importResource)] });
        return Promise.resolve();
      }),
    taint: (urns) =>
      locked(path, () => {
        const file = open();
        const before = file.read();
        const unknown = urns.find((urn) => !before.resources.some((resource) => resource.urn === urn));
        if (unknown !== undefined) {
          throw new Error(`No such resource "${unknown}" exists in the current state`);
        }
        for (const resource of before.resources) {
          if (urns.includes(resource.urn) && !resource.pendingDeletion) resource.taint = true;
        }
        file.write(before);
        return Promise.resolve();
      }),
    stateFiles: () => filesBelow(stateFolder),
    providerPids: () => [...providers].filter((each) => each.isRunning()).map(({ pid }) => pid),
    remove: () => rm(path, { force: true }),
  };
}

function exportResource(stored: StoredResource): StateResource {
  const { id, parent, provider, inputs, outputs } = stored;
  return {
    urn: stored.urn,
    type: stored.type,
    custom: stored.custom,
    ...(id !== undefined && { id }),
    ...(parent !== undefined && { parent }),
    ...(provider !== undefined && { provider }),
    inputs: plainMap(inputs),
    outputs: plainMap(outputs),
    secretInputs: secretKeys(inputs),
    secretOutputs: secretKeys(outputs),
    dependencies: stored.dependencies,
    propertyDependencies: stored.propertyDependencies,
    additionalSecretOutputs: stored.additionalSecretOutputs,
    initErrors: stored.initErrors,
    protect: stored.protect,
    retainOnDelete: stored.retainOnDelete,
    external: stored.external,
    pendingDeletion: stored.pendingDeletion,
  };
}

const importResource = ({ secretInputs, secretOutputs, ...resource }: StateResource): StoredResource => ({
  ...resource,
  inputs: markSecret(resource.inputs as PropertyMap, secretInputs),
  outputs: markSecret(resource.outputs as PropertyMap, secretOutputs),
  ignoreChanges: [],
  replaceOnChanges: [],
});
