// `pulumi` where the real one is not asked: those of its commands that READMEs of examples tell to type, on the test engine.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { openStack, type OutputValue } from "../engine/index.ts";

/** What the commands before this one left behind. */
interface Workspace {
  stack?: string;
  config: Record<string, string>;
  secretConfig: Record<string, string>;
  outputs: Record<string, OutputValue>;
}

const stateFolder = fileURLToPath(process.env["PULUMI_BACKEND_URL"] ?? "");
const file = join(stateFolder, "workspace.json");
const workspace: Workspace = existsSync(file)
  ? (JSON.parse(readFileSync(file, "utf8")) as Workspace)
  : { config: {}, secretConfig: {}, outputs: {} };

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { secret: { type: "boolean" }, "show-secrets": { type: "boolean" } },
});
const command = positionals.join(" ");
const [first = "", second = ""] = positionals.slice(2);

if (command.startsWith("stack init ")) {
  workspace.stack = first;
} else if (command.startsWith("config set ")) {
  (flags.secret ? workspace.secretConfig : workspace.config)[first] = second;
} else if (command.startsWith("stack output ")) {
  const { value, secret } = workspace.outputs[first] ?? { value: undefined, secret: false };
  console.log(secret && !flags["show-secrets"] ? "[secret]" : value);
} else if (command === "preview" || command === "up") {
  const { name } = parse(readFileSync("Pulumi.yaml", "utf8")) as { name: string };
  if (workspace.stack === undefined) throw new Error("no stack selected");
  const stack = await openStack("local", {
    program: process.cwd(),
    project: name,
    stack: workspace.stack,
    stateFolder,
    passphrase: process.env["PULUMI_CONFIG_PASSPHRASE"] ?? "",
    config: workspace.config,
    secretConfig: workspace.secretConfig,
  });
  const { ok, outputs } = await stack[command]({ onText: (text) => process.stdout.write(text) });
  workspace.outputs = outputs;
  if (!ok) process.exitCode = 1;
} else {
  throw new Error(`not a command that an example needed until now: pulumi ${command}`);
}
writeFileSync(file, JSON.stringify(workspace));
