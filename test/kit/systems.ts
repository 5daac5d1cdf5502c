import { execFileSync, spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { findCommand } from "../programs/commands.ts";

type Finished = Pick<TestContext, "onTestFinished">;

/** The programs on an operator's machine. */
export const SYSTEMS = ["busybox", "dash and GNU"] as const;
/** With bash as sh, as on Fedora and macOS, too. */
export const ALL_SYSTEMS = [...SYSTEMS, "bash and GNU"] as const;
export type System = (typeof ALL_SYSTEMS)[number];

/**
 * For root as the user of the tests, the operator is a user without rights, for whom another user's folder is a read-only medium.
 * Any other user of the tests is the operator.
 */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** The number of the operator's user. */
export const OPERATOR_ID = NOBODY.uid ?? process.getuid?.() ?? 0;

/** A folder that is removed when the test ends. Everybody may write into it, but not into folders that are created there. */
export function scratchFolder(context: Finished): string {
  const folder = mkdtempSync(join(tmpdir(), "kit-"));
  chmodSync(folder, 0o777);
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The result of a command. */
export interface Ended {
  readonly code: number | null;
  /** Both outputs, in order. */
  readonly output: string;
  /** Its lines. */
  readonly lines: readonly string[];
}

/** An operator's system: a shell, its programs, and nothing else on PATH. */
export class Operator {
  readonly #shell: string;
  readonly #environment: Readonly<Record<string, string>>;

  /** @param programs additional ones, by name and file */
  constructor(context: Finished, system: System, programs: Readonly<Record<string, string>> = {}) {
    const folder = scratchFolder(context);
    if (system === "busybox") execFileSync("busybox", ["--install", "-s", folder]);
    else {
      for (const name of GNU_PROGRAMS) symlinkSync(commandFile(name), join(folder, name));
      symlinkSync(commandFile(system === "bash and GNU" ? "bash" : "dash"), join(folder, "sh"));
    }
    for (const [name, file] of Object.entries({ openssl: commandFile("openssl"), ...programs })) {
      rmSync(join(folder, name), { force: true });
      copyFileSync(file, join(folder, name)); // its folder may be accessible to root only
    }
    this.#shell = join(folder, "sh");
    this.#environment = { PATH: folder, HOME: scratchFolder(context) };
  }

  /** Runs a script of a kit. */
  run(script: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Ended> {
    return this.#start([script, ...args], options);
  }

  /** Runs a line. */
  type(line: string, options: RunOptions = {}): Promise<Ended> {
    return this.#start(["-c", line], options);
  }

  #start(args: string[], { cwd, env, signal }: RunOptions): Promise<Ended> {
    const child = spawn(this.#shell, args, {
      ...NOBODY,
      cwd: cwd ?? "/",
      env: { ...this.#environment, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // its own process group, which can be killed as a whole
    });
    signal?.addEventListener("abort", () => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (part: Buffer) => (output += part.toString()));
    }
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, output, lines: output.split("\n").filter(Boolean) }));
    });
  }
}

export interface RunOptions {
  /** Default: the root folder. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Kills it and its children. */
  readonly signal?: AbortSignal;
}

/** The programs that every Debian has, and no others: a script that needs another one fails. */
const GNU_PROGRAMS = [
  ...[
    "awk",
    "base64",
    "cat",
    "cp",
    "cut",
    "dirname",
    "find",
    "grep",
    "head",
    "id",
    "ln",
    "mkdir",
    "mktemp",
    "rm",
  ],
  ...["sed", "sha256sum", "sleep", "sort", "tar", "tee", "tr", "uniq", "wc"],
];

function commandFile(name: string): string {
  const file = findCommand(name);
  if (file === undefined) throw new Error(`The tests of kits need ${name} on PATH.`);
  return file;
}
