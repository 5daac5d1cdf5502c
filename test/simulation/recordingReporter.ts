import type { Reporter } from "../../provider/base/runtime/messages/reporter.ts";

/** Records every line that the user would have seen (`debug` is none). */
export function recordingReporter(): Reporter & { lines: Record<"progress" | "info" | "warn", string[]> } {
  const lines = { progress: [] as string[], info: [] as string[], warn: [] as string[] };
  return {
    lines,
    progress: (line) => lines.progress.push(line),
    debug: () => undefined,
    info: (line) => lines.info.push(line),
    warn: (line) => lines.warn.push(line),
  };
}
