// `pulumi` where the real one is not used: those of its commands that READMEs of examples name, and that the CronJobs of
// examples/fleet run, on the engine of this folder. The configuration is beside the program, everything else in the folder of
// PULUMI_BACKEND_URL, as with the real one. It accepts no other command and no other flag.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parse, stringify } from "yaml";
import { statePath } from "./local/stateFile.ts";
import { isLocked, unlock } from "./local/stateLock.ts";
import type { OutputValue } from "./stack.ts";

/** What earlier commands left. */
interface Workspace {
  stack?: string;
  /** Settings of each stack, by name; an existing stack has some. */
  outputs: Record<string, Record<string, OutputValue>>;
}

type StackFile = Record<string, string | { secure: string }>;

const NO_ANSWERS = ["yes", "non-interactive"];
const COMMANDS: Record<string, string[]> = {
  "stack init": [],
  "stack select": ["create", "stack", ...NO_ANSWERS],
  "stack ls": ["json"],
  "stack output": ["show-secrets", "json"],
  "config set": ["secret", "stack"],
  cancel: ["stack", ...NO_ANSWERS],
  preview: [],
  up: ["stack", "skip-preview", "suppress-outputs", "continue-on-error", "parallel", ...NO_ANSWERS],
};

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    "continue-on-error": { type: "boolean" },
    create: { type: "boolean" },
    "non-interactive": { type: "boolean" },
    json: { type: "boolean" },
    parallel: { type: "string" },
    secret: { type: "boolean" },
    "show-secrets": { type: "boolean" },
    "skip-preview": { type: "boolean" },
    stack: { type: "string" },
    "suppress-outputs": { type: "boolean" },
    yes: { type: "boolean" },
  },
});
const nameLength = /^(stack|config)$/.test(positionals[0] ?? "") ? 2 : 1;
const command = positionals.slice(0, nameLength).join(" ");
const [first = "", second = ""] = positionals.slice(nameLength);
const unknown = Object.keys(flags).filter((flag) => COMMANDS[command]?.includes(flag) !== true);
if (COMMANDS[command] === undefined || unknown.length > 0) {
  throw new Error(
    `not a command that an example needed until now: pulumi ${process.argv.slice(2).join(" ")}`,
  );
}

const stateFolder = fileURLToPath(process.env["PULUMI_BACKEND_URL"] ?? "");
const workspaceFile = join(stateFolder, "workspace.json");
const workspace: Workspace = existsSync(workspaceFile)
  ? (JSON.parse(readFileSync(workspaceFile, "utf8")) as Workspace)
  : { outputs: {} };
const { name: project } = parse(readFileSync("Pulumi.yaml", "utf8")) as { name: string };

switch (command) {
  case "stack init":
    select(first);
    break;
  case "stack select": {
    const name = first === "" ? stackName() : first;
    if (!flags.create && workspace.outputs[name] === undefined) {
      throw new Error(`no stack named '${name}' found`);
    }
    select(name);
    break;
  }
  case "config set":
    setConfig(first, second);
    break;
  case "stack ls":
    console.log(JSON.stringify(Object.keys(workspace.outputs).map((name) => ({ name }))));
    break;
  case "stack output": {
    const outputs = workspace.outputs[stackName()] ?? {};
    const shown = ({ value, secret }: OutputValue): unknown =>
      secret && !flags["show-secrets"] ? "[secret]" : value;
    if (first === "") {
      const all = Object.entries(outputs).map(([name, output]) => [name, shown(output)]);
      console.log(JSON.stringify(Object.fromEntries(all)));
      break;
    }
    const output = outputs[first];
    if (output === undefined) throw new Error(`current stack does not have output property '${first}'`);
    console.log(shown(output));
    break;
  }
  case "cancel":
    unlock(lockedState());
    console.log(`The currently running update for '${stackName()}' has been canceled!`);
    break;
  case "up":
    if (isLocked(lockedState())) {
      // of any process: also that of a killed run
      console.log(
        "error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or delete the lock file with `pulumi cancel`.",
      );
      process.exitCode = 1;
      break;
    }
    await run("up");
    break;
  case "preview":
    await run("preview");
}

function stackName(): string {
  const name = flags.stack ?? workspace.stack;
  if (name === undefined) throw new Error("no stack selected");
  return name;
}

function select(name: string): void {
  workspace.stack = name;
  workspace.outputs[name] ??= {};
  save();
}

/** Whole or not at all: this process may be killed. */
function save(): void {
  mkdirSync(stateFolder, { recursive: true });
  writeFileSync(`${workspaceFile}.new`, JSON.stringify(workspace));
  renameSync(`${workspaceFile}.new`, workspaceFile);
}

function lockedState(): string {
  return statePath({ project, stack: stackName(), stateFolder });
}

function readStackFile(): StackFile {
  const file = `Pulumi.${stackName()}.yaml`;
  return existsSync(file) ? (parse(readFileSync(file, "utf8")) as { config: StackFile }).config : {};
}

function setConfig(name: string, value: string): void {
  const config = { ...readStackFile(), [name]: flags.secret ? { secure: value } : value };
  writeFileSync(`Pulumi.${stackName()}.yaml`, stringify({ config }));
}

async function run(kind: "preview" | "up"): Promise<void> {
  await import("./reaper.ts");
  const { openLocalStack } = await import("./local/localStack.ts"); // loading it takes time
  const config: Record<string, string> = {};
  const secretConfig: Record<string, string> = {};
  for (const [name, value] of Object.entries(readStackFile())) {
    if (typeof value === "string") config[name] = value;
    else secretConfig[name] = value.secure;
  }
  const home = process.env["PULUMI_HOME"];
  const stack = openLocalStack({
    program: process.cwd(),
    project,
    stack: stackName(),
    stateFolder,
    passphrase: process.env["PULUMI_CONFIG_PASSPHRASE"] ?? "",
    config,
    secretConfig,
    ...(home !== undefined && { env: { PULUMI_HOME: home } }),
  });
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop.abort());
  const { ok, outputs } = await stack[kind]({
    signal: stop.signal,
    onText: (text) => {
      if (!isLeftOut(text)) process.stdout.write(text);
    },
    ...(kind === "up" && {
      continueOnError: flags["continue-on-error"] ?? false,
      ...(flags.parallel !== undefined && { parallel: Number(flags.parallel) }),
    }),
  });
  workspace.outputs[stackName()] = outputs;
  save();
  if (!ok) process.exitCode = 1;
}

/** The engine returns the outputs in one text. */
function isLeftOut(text: string): boolean {
  return flags["suppress-outputs"] === true && text.startsWith("Outputs:");
}
