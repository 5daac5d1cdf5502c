// One operation from start to end: the server, the two processes, their work, and the clean-up.
import { setTimeout as delay } from "node:timers/promises";
import { compileCacheEnv } from "../compileCache.ts";
import { onAbort } from "../onAbort.ts";
import type { OperationKind } from "../operationKind.ts";
import type { ImportedResource, OperationOptions, OperationResult, OutputValue } from "../stack.ts";
import type { StackConfig } from "../stackConfig.ts";
import { stackType } from "../urn.ts";
import { Callbacks } from "./callbacks.ts";
import type { Child } from "./childProcess.ts";
import { deleteTheRest } from "./deletion.ts";
import type { Deployment } from "./deployment.ts";
import { createGate } from "./gate.ts";
import { Hooks } from "./hooks.ts";
import { importNamed } from "./importing.ts";
import { invokeFunction } from "./invoking.ts";
import { Ledger } from "./ledger.ts";
import { startMonitorServer } from "./monitorServer.ts";
import { describePendingOperations } from "./pendingOperations.ts";
import { describeExit, startProgram } from "./program.ts";
import type { ProgramLocation } from "./programLocation.ts";
import { isSecret, plain, type PropertyMap, secret } from "./propertyValues.ts";
import { Providers } from "./providers.ts";
import { readResource } from "./reading.ts";
import { refreshAll } from "./refreshing.ts";
import { registerResource, reportRefusal } from "./registration.ts";
import { Report } from "./report.ts";
import { createSlots } from "./slots.ts";
import { stackReferences } from "./stackReferences.ts";
import type { StateFile } from "./stateFile.ts";
import { StopRequest } from "./stopRequest.ts";
import { outputsText } from "./terminalText.ts";

export interface OperationSetup {
  project: string;
  stack: string;
  location: ProgramLocation;
  env: Record<string, string | undefined>;
  reuseProcesses: boolean;
  plugins: Record<string, string>;
  config: StackConfig;
  /** Of `import`. */
  imports?: ImportedResource[];
  file: StateFile;
  options: OperationOptions;
  onProviderStart: (provider: Pick<Child, "pid" | "isRunning">) => void;
}

/** The real CLI's is four per core: a fixed number makes runs comparable. */
const defaultParallel = 16;
/** A program that was notified of the engine's end exits by itself, unless something else keeps it alive. */
const programGraceMs = 2000;
/** The time between two presses of Ctrl-C, in milliseconds: long enough for the provider to have handled the first. */
const betweenPressesMs = 200;

export async function runOperation(kind: OperationKind, setup: OperationSetup): Promise<OperationResult> {
  const { options, file, location } = setup;
  const dryRun = kind === "preview";
  const parallel = options.parallel ?? defaultParallel;
  const report = new Report(kind, setup.stack, options);
  const before = file.read();
  const ledger = new Ledger(before, dryRun ? undefined : file);
  const pending = before.pendingOperations ?? [];
  if (pending.length > 0 && (kind === "up" || kind === "destroy")) {
    report.log({ severity: "warning", message: describePendingOperations(pending) });
  }
  const stop = new StopRequest();
  let stackOutputs: PropertyMap | undefined;
  let program: Child | undefined;

  const env = childEnvironment(setup);
  // variables that Node reads at its start need a start
  const reuse = setup.reuseProcesses && !Object.keys(setup.env).some((name) => name.startsWith("NODE_"));
  const onLine = (message: string) => report.log({ message });
  const providers = new Providers({
    folder: location.folder,
    env,
    reuse,
    onLine,
    project: setup.project,
    stack: setup.stack,
    plugins: setup.plugins,
    config: setup.config,
    engineAddress: () => server.address,
    onStart: setup.onProviderStart,
    stored: (urn) => ledger.current(urn) ?? ledger.previous(urn),
    stackReferences: stackReferences(file, setup.project),
  });
  const callbacks = new Callbacks();
  const deployment: Deployment = {
    kind,
    project: setup.project,
    stack: setup.stack,
    options,
    dryRun,
    report,
    ledger,
    stop,
    planning: createSlots(1),
    work: createSlots(parallel),
    providers,
    hooks: new Hooks(callbacks, dryRun),
    unfinishedComponents: new Map(),
    hasFailedHook: false,
    failed: new Set(),
    declared: new Map(),
    aliased: new Map(),
    skippedCreates: new Set(),
    targetedDependents: new Set(),
    replaced: new Set(),
    deleted: new Set(),
  };
  const server = await startMonitorServer({
    log: (line) => report.log(line),
    registerResource: (request) => registerResource(deployment, request),
    readResource: (request) => readResource(deployment, request),
    async registerOutputs(urn, outputs) {
      const resource = deployment.declared.get(urn);
      if (!resource) throw new Error(`cannot complete a resource '${urn}' whose registration isn't pending`);
      if (resource.type === stackType) {
        stackOutputs = outputs; // kept until the result of everything is known
        return;
      }
      resource.outputs = outputs;
      ledger.save();
      await deployment.unfinishedComponents.get(urn)?.(outputs);
      deployment.unfinishedComponents.delete(urn);
    },
    invoke: (request) => invokeFunction(deployment, request),
    registerHook: (request) => deployment.hooks.register(request),
    registerErrorHook: (request) => deployment.hooks.registerOnError(request),
    declaredAll() {
      allDeclared.open();
      return mayEnd.opened;
    },
  });
  const allDeclared = createGate();
  const mayEnd = createGate();
  stop.onRequest(mayEnd.open);
  const cancel = () => {
    stop.request("canceled");
    void providers.cancel();
  };
  const terminate = () => {
    const first = options.signal?.aborted
      ? Promise.resolve()
      : providers.cancel().then(() => delay(betweenPressesMs));
    ledger.close();
    report.silence();
    stop.request("canceled");
    void first.then(() => providers.stop()); // sends Cancel once more, as the real engine does
    void program?.stop();
  };
  const forget = [onAbort(options.signal, cancel), onAbort(options.terminate, terminate)];

  const runProgram = async () => {
    program = startProgram({
      engineAddress: server.address,
      project: setup.project,
      stack: setup.stack,
      folder: location.folder,
      entry: location.entry,
      env: { ...env, PULUMI_NODEJS_TYPESCRIPT: String(location.typescript) },
      parallel,
      dryRun,
      reuse: reuse && !location.typescript,
      onLine,
    });
    let timer: NodeJS.Timeout | undefined;
    stop.onRequest(() => {
      const giveUp = () => (timer = setTimeout(() => void program?.stop(), programGraceMs));
      void deployment.work.idle().then(() => program?.isRunning() && giveUp());
    });
    const ended = (async (running: Child) => {
      await running.exited;
      clearTimeout(timer);
      await running.stop(); // its last lines
    })(program);
    await Promise.race([ended, allDeclared.opened]);
    await deployment.planning.idle();
    await deployment.work.idle();
    return async () => {
      mayEnd.open();
      await ended;
    };
  };
  const refuseFailedProgram = async () => {
    if (!program || program.isRunning()) return;
    const { failed, message } = await describeExit(program);
    if (!failed || stop.isRequested) return;
    if (message) report.error(message);
    stop.request("refused");
  };

  let endProgram: (() => Promise<void>) | undefined;
  try {
    const runsProgram = kind === "up" || kind === "preview";
    const config = providerConfig(setup.config);
    await providers.configure(ledger.providerConfig ?? config);
    if (kind === "refresh" || (options.refresh && !stop.isRequested)) await refreshAll(deployment);
    if (runsProgram && !stop.isRequested) {
      await providers.configure(config, { before: ledger.providerConfig });
      providers.warmUp();
      ledger.configureProvider(config);
      endProgram = await runProgram();
      await refuseFailedProgram();
    }
    if (kind === "import") {
      await providers.configure(config, { before: undefined });
      ledger.configureProvider(config);
      await importNamed(deployment, setup.imports ?? []);
    } else if (kind !== "refresh" && !stop.isRequested) {
      refuseUnknownTargets(deployment);
      await deleteTheRest(deployment);
    }
  } catch (error) {
    reportRefusal(deployment, error);
  } finally {
    await endProgram?.();
    await refuseFailedProgram();
    for (const each of forget) each();
    callbacks.close();
    await providers.close();
    server.close();
  }

  if (pending.length > 0) ledger.save(); // updates and deletions are known again
  // the real engine calls a terminated run «failed»
  const failure =
    ledger.isClosed || (!stop.isRequested && (deployment.failed.size > 0 || deployment.hasFailedHook))
      ? "failed"
      : stop.reason;
  const root = ledger.all().find((resource) => resource.type === stackType);
  if (root && stackOutputs) {
    // after a failure an output that is missing does not count as a removed one
    root.outputs = failure === undefined ? stackOutputs : { ...root.outputs, ...stackOutputs };
    ledger.save();
  }
  const outputs = root?.outputs ?? {};
  return report.finish(failure, outputValues(outputs, dryRun), outputsText(outputs));
}

/** Of a preview's secrets, the real CLI only reports that they are secret. */
export const outputValues = (outputs: PropertyMap, blankSecrets: boolean): Record<string, OutputValue> =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => {
      const secret = isSecret(value);
      return [name, { value: secret && blankSecrets ? "[secret]" : plain(value), secret }];
    }),
  );

function providerConfig(config: StackConfig): PropertyMap {
  return Object.fromEntries(
    [...config].map(([name, entry]) => [name, entry.secret ? secret(entry.value) : entry.value]),
  );
}

function childEnvironment({ project, config, env }: OperationSetup): NodeJS.ProcessEnv {
  const secretNames = [...config].filter(([, { secret }]) => secret).map(([name]) => name);
  return {
    ...compileCacheEnv,
    ...process.env,
    TRACEPARENT: undefined, // of the user who runs the tests
    ...env,
    PULUMI_NODEJS_PROJECT: project,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries([...config].map(([name, { value }]) => [name, value]))),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretNames),
  };
}

function refuseUnknownTargets({ options, ledger, declared }: Deployment): void {
  const named = [...(options.targets ?? []), ...(options.replaces ?? [])];
  const unknown = named.filter((urn) => !declared.has(urn) && !ledger.existedBefore(urn));
  if (unknown.length === 0) return;
  const hint = "Did you forget to escape $ in your shell?";
  throw new Error(
    unknown.map((urn) => `Target '${urn}' could not be found in the stack. ${hint}`).join("\n"),
  );
}
