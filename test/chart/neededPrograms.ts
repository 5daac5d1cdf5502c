import { findCommand } from "../programs/commands.ts";

/** The helm command: the environment variable HELM, or helm on PATH. */
export const HELM = process.env["HELM"] ?? "helm";

/** Nothing is skipped silently: without one of the programs, a run fails at once and names it. */
export default function checkNeededPrograms(): void {
  const needed = ["nginx", "curl", "busybox", "dash", "openssl", "go", ...(HELM === "helm" ? [HELM] : [])];
  const missing = needed.filter((program) => findCommand(program) === undefined);
  if (missing.length === 0) return;
  throw new Error(`The tests of the chart need programs that are not on PATH: ${missing.join(", ")}`);
}
