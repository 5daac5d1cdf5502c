// The plugin's server in this process, with a life cycle that the test gives, and an engine that calls it over gRPC.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { publications } from "../../../../provider/adapters/session/publications.ts";
import { Session, thisProcess } from "../../../../provider/adapters/session/session.ts";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import type { Tracing } from "../../../../provider/base/runtime/tracing/tracer.ts";
import type { LifeCycle, StoredState } from "../../../../provider/resource/lifeCycle.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { PluginClient } from "./pluginClient.ts";
import { TYPE } from "./requests.ts";

export const STATE = { outputs: { name: "n", bundleUrl: "https://store/x?sig=1" }, bookkeeping: { seen: 1 } };
export const UP_TO_DATE = {
  changed: [] as string[],
  replaces: [] as string[],
  hidden: false,
  decision: { code: "UP_TO_DATE" as const, text: "nothing to do" },
};

type Life = LifeCycle<object, StoredState>;

/** What a test sees and changes. */
export interface ServedLife {
  client: PluginClient;
  lines: ReturnType<typeof recordingReporter>["lines"];
  debugLines: string[];
  environment: Record<string, string>;
  /** Addresses of the engine that the plugin was given. */
  addresses: string[];
  /** The parent of each operation's span. */
  traced: (string | undefined)[];
  /** A test replaces functions of it. */
  life: { [Name in keyof Life]: Life[Name] };
}

/** Serves a new life cycle for each test of the file. */
export function serveLife(): ServedLife {
  const served = {} as ServedLife;
  let home: string;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "plugin-"));
    const environment: Record<string, string> = { PULUMI_HOME: home };
    const reporter = recordingReporter();
    const debugLines: string[] = [];
    const addresses: string[] = [];
    const traced: (string | undefined)[] = [];
    const tracing: Tracing = {
      listen: () => undefined,
      operation: (operation, run) => {
        traced.push(operation.traceParent);
        return run({ span: (_name, _attributes, work) => work(), note: () => undefined });
      },
    };
    const constant = { outputs: { bundleUrl: { isSecret: true } }, noBookkeeping: {} } as const;
    const life: ServedLife["life"] = {
      ...constant,
      idOf: () => "the-id",
      check: (inputs) => ({ inputs, failures: [] }),
      diff: () => UP_TO_DATE,
      predict: (inputs) => ({ ...inputs, bundleUrl: UNKNOWN }),
      foresee: () => Promise.resolve(),
      create: () => Promise.resolve(STATE),
      read: (_context, state) => Promise.resolve({ inputs: { name: "n" }, state }),
      gone: () => ({ code: "JOB_GONE", text: "it is gone" }),
      lookUp: () => Promise.resolve({ inputs: {}, state: STATE }),
      import: () => Promise.resolve({ inputs: { name: "imported" }, state: STATE }),
      update: () => Promise.resolve(STATE),
      remove: () => Promise.resolve(),
    };
    const names = Object.keys(life).filter((name) => typeof life[name as keyof Life] === "function");
    const through = Object.fromEntries(
      names.map((name) => [
        name,
        (...given: never[]) => (life[name as "gone"] as (...all: never[]) => unknown)(...given),
      ]),
    );
    const client = await PluginClient.start({
      resources: { [TYPE]: { ...constant, ...through } as unknown as Life },
      environment: (name) => environment[name],
      newEngine: () => {
        let cancel = (): void => undefined;
        const host = {
          ...thisProcess,
          environment: (name: string) => environment[name],
          reporter: () => ({
            ...reporter,
            debug: (line: string) => debugLines.push(line),
            close: () => undefined,
          }),
          watchForCancel: (callback: () => void) => (cancel = callback),
          watchEngine: () => undefined,
          tracing,
        };
        return {
          session: new Session(host, publications(thisProcess)),
          connect: (address) => addresses.push(address),
          cancel: () => cancel(),
        };
      },
    });
    Object.assign(served, {
      client,
      lines: reporter.lines,
      debugLines,
      environment,
      addresses,
      traced,
      life,
    });
  });
  afterEach(() => {
    served.client.close();
    rmSync(home, { recursive: true, force: true });
  });
  return served;
}
