// The test engine's command `pulumi` reports locks as the CLI does: a killed run leaves one, which `cancel` removes.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test, type TestContext, vi } from "vitest";
import { availableEngines, type EngineKind } from "./index.ts";

const ROOT = join(import.meta.dirname, "../..");
const COMMANDS: Record<EngineKind, string[]> = {
  local: [process.execPath, join(import.meta.dirname, "command.ts")],
  cli: ["pulumi"],
};
const STACK = ["--stack", "team-a-01"];
const UP = ["up", ...STACK, "--yes", "--skip-preview", "--non-interactive", "--suppress-outputs"];

/** Runs without end, once, when the file `wait` exists. */
const PROGRAM = `
const { existsSync, renameSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");
exports.sites = new pulumi.Config().require("sites");
if (existsSync("wait")) {
  renameSync("wait", "waits");
  setInterval(() => undefined, 1000);
}`;

async function project(context: TestContext, kind: EngineKind) {
  mkdirSync(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/command-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: docs-fleet\nruntime: nodejs\n");
  writeFileSync(join(folder, "package.json"), '{ "name": "docs-fleet", "main": "index.js" }');
  writeFileSync(join(folder, "index.js"), PROGRAM);
  mkdirSync(join(folder, "state"));
  const start = (...args: string[]) => {
    const [program = "", ...rest] = [...COMMANDS[kind], ...args];
    const child = spawn(program, rest, {
      cwd: folder,
      detached: true, // its process group can be killed
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
        PULUMI_HOME: join(folder, "home"),
        PULUMI_CONFIG_PASSPHRASE: "scratch",
        PULUMI_SKIP_UPDATE_CHECK: "true",
      },
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    return { child, said: Promise.all([text(child.stdout), text(child.stderr)]), ended };
  };
  return {
    folder,
    start,
    type: async (...args: string[]) => {
      const { said, ended } = start(...args);
      const shown = (await said).join("");
      return { code: await ended, shown };
    },
  };
}

const { kinds, skipped } = availableEngines();
if (skipped !== undefined) console.log(`command: ${skipped}`);

describe.each(kinds)("the command pulumi (%s)", (kind) => {
  test("the lock of a killed run refuses others until `pulumi cancel`", async (context) => {
    const { folder, start, type } = await project(context, kind);
    expect(await type("stack", "select", "--create", ...STACK, "--non-interactive")).toMatchObject({
      code: 0,
    });
    expect(await type("cancel", "--yes", ...STACK)).toMatchObject({ code: 0 });
    expect(await type("config", "set", ...STACK, "sites", "a.json")).toMatchObject({ code: 0 });

    writeFileSync(join(folder, "wait"), "");
    const { child, ended } = start(...UP);
    await vi.waitUntil(() => existsSync(join(folder, "waits")), { timeout: 60_000, interval: 50 });
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;

    const refused = await type(...UP);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.shown).toContain("the stack is currently locked by 1 lock(s)");
    expect(await type("cancel", "--yes", ...STACK)).toMatchObject({ code: 0 });
    const done = await type(...UP);
    expect(done, done.shown).toMatchObject({ code: 0 });
    expect(done.shown).not.toContain("a.json"); // the outputs
    expect(await type("stack", "output", "sites")).toEqual({ code: 0, shown: "a.json\n" });
  });
});

test("a command or flag that no example needs is refused rather than ignored", async (context) => {
  const { type } = await project(context, "local");
  for (const args of [["destroy"], ["up", "--create"], ["up", "--target", "x"], ["stack", "rm"]]) {
    expect(await type(...args), args.join(" ")).toMatchObject({ code: 1 });
  }
});
