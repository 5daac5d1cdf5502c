// The table of SECURITY.md: what prints the link and the key, by the option of the CLI or the variable.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { docs } from "../programFolder.ts";
import { buildWorld, CANARY_KEY, cliOnly, onEachEngine } from "../world.ts";

/** Each row of the table that a run of the CLI shows, and what to add to `pulumi up`. */
const ROWS = [
  { row: "no option", args: [] },
  { row: "--save-plan", command: "preview", args: ["--save-plan", "FILE"] },
  { row: "--diff", args: ["--diff"] },
  { row: "onEvent", args: ["--event-log", "FILE"], env: { PULUMI_DEBUG_COMMANDS: "true" } },
  { row: "--json", args: ["--json"] },
  { row: "afterCreate", args: [], hook: true },
  { row: "--debug", args: ["--debug"] },
  { row: "-v=9", args: ["-v=9", "--logtostderr"] },
  { row: "--tracing", args: ["--tracing", "file:FILE"] },
  { row: "PULUMI_DEBUG_GRPC", args: [], env: { PULUMI_DEBUG_GRPC: "FILE" } },
  { row: "--otel-traces", args: ["--otel-traces", "file://FILE"] },
] as const satisfies readonly Row[];

/** A row, and how `pulumi up` is run for it. `FILE` stands for a file, which counts as printed. */
interface Row {
  row: string;
  args: readonly string[];
  env?: Record<string, string>;
  /** @default "up" */
  command?: "preview";
  /** Whether the program has a hook that prints what it gets. @default false */
  hook?: true;
}

/** An export whose hook prints the new outputs. */
const HOOKED = `const hook = new pulumi.ResourceHook("print", (args) => console.log(JSON.stringify(args)));
new StaticExport("docs", { domain: "docs.example.com", version: "hooked" }, { hooks: { afterCreate: [hook], afterUpdate: [hook] } });`;

const TABLE = readFileSync(join(import.meta.dirname, "../../../SECURITY.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"));

/** Whether the table says that link and key are printed. */
function documented(row: string): { link: boolean; key: boolean } {
  const line = TABLE.find((each) => each.split("|")[1]?.includes(row));
  const [link, key] =
    line
      ?.split("|")
      .slice(2)
      .map((cell) => cell.trim().startsWith("yes")) ?? [];
  if (link === undefined || key === undefined) throw new Error(`SECURITY.md has no row «${row}»`);
  return { link, key };
}

const DYNAMIC = { adapter: "dynamic", reason: "the table is that of the classes" } as const;

onEachEngine({ name: "what prints the link and the key", only: DYNAMIC }, (kind) => {
  test("each option prints what SECURITY.md says, and the state has neither in plain text", async (context) => {
    cliOnly(context, kind, "the options are those of the CLI");
    const world = await buildWorld(context, kind, {
      env: { DOCS_HOSTING_ADMIN_API_KEY: undefined },
      secretConfig: { "docs-hosting:adminApiKey": CANARY_KEY },
    });
    const state = dirname(world.pulumiHome);
    await world.up(docs(`version: "first"`));
    for (const [index, { row, args, ...more }] of ROWS.entries() as ArrayIterator<[number, Row]>) {
      world.program(more.hook === true ? HOOKED : docs(`version: "v${index}"`));
      const file = join(world.programFolder, `written-${index}`);
      const named = (text: string): string => text.replace("FILE", file);
      const env = Object.entries(more.env ?? {}).map(([name, value]) => [name, named(value)]);
      const applied = more.command === undefined ? ["up", "--yes", "--skip-preview"] : [more.command];
      const { stdout, stderr } = await promisify(execFile)(
        "pulumi",
        [...applied, "--non-interactive", "--stack", "test", ...args.map(named)],
        {
          cwd: join(state, "scenario.test"),
          maxBuffer: 2 ** 28,
          env: {
            ...process.env,
            PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
            PULUMI_HOME: world.pulumiHome,
            PULUMI_BACKEND_URL: `file://${join(state, "backend")}`,
            PULUMI_CONFIG_PASSPHRASE: "correct horse",
            PULUMI_SKIP_UPDATE_CHECK: "true",
            DOCS_HOSTING_BASE_URL: world.service.url,
            ...(Object.fromEntries(env) as Record<string, string>),
          },
        },
      );
      const written = stdout + stderr + (existsSync(file) ? readFileSync(file, "latin1") : "");
      const link = String((await world.exported()).outputs["bundleUrl"]);
      const signature = new URL(link).searchParams.get("signature") ?? link;
      const printed = { link: written.includes(signature), key: written.includes(CANARY_KEY) };
      expect({ row, ...printed }).toEqual({ row, ...documented(row) });
      const files = (await world.stack.stateFiles()).filter((each) => !each.includes("written-"));
      for (const text of files.map((each) => readFileSync(each, "latin1"))) {
        expect(text.includes(signature) || text.includes(CANARY_KEY)).toBe(false);
      }
    }
    const { outputs } = await world.up(
      `exports.link = new StaticExport("docs", { domain: "docs.example.com", version: "outputs" }).bundleUrl;`,
    );
    const { bundleUrl } = (await world.exported()).outputs;
    expect(outputs["link"]).toMatchObject({ value: bundleUrl, secret: true });
    expect(documented("`outputs` of Automation API")).toEqual({ link: true, key: false });
  }, 600_000);
});
