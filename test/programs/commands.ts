import { spawn, type SpawnOptions } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Endings of the file of a command. */
const ENDINGS = process.platform === "win32" ? [".exe", ".cmd"] : [""];

/** The path of a command on PATH, or undefined. */
export function findCommand(name: string, path = process.env["PATH"] ?? ""): string | undefined {
  return path
    .split(delimiter)
    .flatMap((folder) => ENDINGS.map((ending) => join(folder, name + ending)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * Runs a command to its end.
 *
 * @returns its standard output
 * @throws with its output when it fails
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env"> & { input?: string } = {},
): Promise<string> {
  const child = spawn(command, [...args], { ...options, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined); // a command need not read it
  child.stdin.end(options.input ?? "");
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const code = await new Promise<number | string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve(exitCode ?? signal ?? "no code"));
  });
  if (code !== 0) {
    const text = Buffer.concat([...output, ...errors]).toString();
    throw new Error(`${[command, ...args].join(" ")} ended with ${code}:\n${text}`);
  }
  return Buffer.concat(output).toString();
}
