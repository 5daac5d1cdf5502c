// The other side of reusedProcess.ts. Each run has its own environment, folder and arguments, and evaluates modules again: the
// program's, its packages', and those of @pulumi/pulumi except generated ones. Kept are the modules that these load from the
// project's node_modules, above all gRPC. A run ends as a process does, when nothing is left to wait for.
import Module, { createRequire, flushCompileCache } from "node:module";
import { join, sep } from "node:path";
import { type Done, endMark, type Order } from "./reusedProcess.ts";

interface Server {
  bindAsync: (...args: unknown[]) => unknown;
  forceShutdown: () => void;
}

const [packageFolder = ""] = process.argv.slice(2);
const modulesFolder = join(packageFolder, "../..") + sep;
const require = createRequire(join(packageFolder, "_"));
/** A run has ended after this number of rounds without work. The runtime itself needs three: it signs off in the second. */
const lastRound = 4;

const globals = globalThis as Record<string, unknown>;
require(packageFolder);
const grpc = require("@grpc/grpc-js") as { Server: { prototype: Server } };
for (const each of ["engine", "provider"]) require(join(packageFolder, `proto/${each}_grpc_pb`));
const servers = trackServers(grpc.Server.prototype);
delete globals["globalStore"]; // the runtime's state, which is read from the environment
const globalsBefore = new Set(Object.keys(globalThis));
let rounds = 0;

process.on("message", (order: Order) => {
  if (order === "finish") return shutDownServers();
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, order.env);
  process.chdir(order.folder);
  process.argv = [process.execPath, order.file, ...order.args];
  process.exitCode = undefined;
  rounds = 0;
  process.channel?.unref();
  require(order.file);
});
process.once("disconnect", () => process.exit());
process.on("beforeExit", () => {
  if (++rounds < lastRound) setImmediate(() => undefined);
  else end();
});
const listenersBefore = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
forgetModules();

function trackServers(prototype: Server): Set<Server> {
  const started = new Set<Server>();
  const { bindAsync } = prototype;
  prototype.bindAsync = function (...args) {
    started.add(this);
    return bindAsync.apply(this, args);
  };
  return started;
}

function shutDownServers(): void {
  for (const server of servers) server.forceShutdown();
  servers.clear();
}

function end(): void {
  const code = Number(process.exitCode ?? 0);
  process.emit("exit", code);
  const done: Done = { code: Number(process.exitCode ?? code) };
  process.argv = []; // without an engine, whose end a provider would notice
  forget();
  process.channel?.ref();
  for (const stream of [process.stdout, process.stderr]) stream.write(`${endMark}\n`);
  process.send?.(done);
  flushCompileCache();
}

function forget(): void {
  shutDownServers();
  for (const name of process.eventNames()) {
    for (const listener of process.rawListeners(name)) {
      if (!listenersBefore.get(name)?.includes(listener)) {
        process.removeListener(name, listener as () => void);
      }
    }
  }
  for (const name of Object.keys(globalThis)) {
    if (!globalsBefore.has(name)) Reflect.deleteProperty(globals, name);
  }
  forgetModules();
}

function forgetModules(): void {
  for (const file of Object.keys(require.cache)) {
    if (!isKept(file)) Reflect.deleteProperty(require.cache, file);
  }
  const { _pathCache } = Module as unknown as { _pathCache: Record<string, string> };
  for (const request of Object.keys(_pathCache)) Reflect.deleteProperty(_pathCache, request);
}

/** The inspector's session is one a process. */
function isKept(file: string): boolean {
  const [, own] = file.split(packageFolder + sep);
  if (own !== undefined) return /^(proto|node_modules|runtime\/closure\/v8Hooks)\b/.test(own);
  return file.startsWith(modulesFolder);
}
