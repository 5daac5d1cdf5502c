import { findCommand } from "../programs/commands.ts";

/** The helm command: the environment variable HELM, or helm on PATH. */
export const HELM = process.env["HELM"] ?? "helm";

/** Kubernetes' own validation, which `main.ts` builds. */
export const VALIDATION = process.env["VALIDATION"] ?? "validation";

/** Nothing is skipped silently: without one of the programs, a run fails at once and names it. */
export default function checkNeededPrograms(): void {
  const needed = [
    "nginx",
    "curl",
    "busybox",
    "dash",
    "openssl",
    "go",
    ...[HELM, VALIDATION].filter((name) => !name.includes("/")),
  ];
  const missing = needed.filter((program) => findCommand(program) === undefined);
  if (missing.length === 0) return;
  throw new Error(`The tests of the chart need programs that are not on PATH: ${missing.join(", ")}`);
}
