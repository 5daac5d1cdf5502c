import type { TestContext } from "vitest";

/** Skips a test on Windows, with the reason. */
export function notOnWindows(context: Pick<TestContext, "skip">, reason: string): void {
  context.skip(process.platform === "win32", `not on Windows: ${reason}`);
}

/** Windows has no file modes: it reports 0o666 or 0o444 for each file. */
export const MODES = "it has no file modes";
/** Programs that tests run beside the code. */
export const POSIX_PROGRAMS = "the test runs programs of POSIX systems";
/** A signal of Node.js ends a process on Windows at once: the process does not see it. */
export const SIGNALS = "a process does not see signals";
