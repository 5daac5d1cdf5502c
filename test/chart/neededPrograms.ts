import { execFileSync } from "node:child_process";

/** The helm command: the environment variable HELM, or helm on PATH. */
export const HELM = process.env["HELM"] ?? "helm";

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  [HELM]: ["version"],
  nginx: ["-v"],
  curl: ["--version"],
  busybox: ["true"],
  dash: ["-c", "true"],
  openssl: ["version"],
};

/** Nothing is skipped silently: a run without one of the programs fails at once, and says which it is. */
export default function checkNeededPrograms(): void {
  const missing = Object.entries(NEEDED).filter(([program, args]) => !runs(program, args));
  if (missing.length === 0) return;
  const names = missing.map(([program]) => (program === HELM ? `${program} (or set HELM)` : program));
  throw new Error(`The tests of the chart need programs that do not run here: ${names.join(", ")}`);
}

function runs(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
