import { promises } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import type { FaultKind } from "./faults.ts";
import { Operation } from "./operation.ts";

/** The calls that read or change a place. */
const CALLS = [
  "cp",
  "link",
  "lstat",
  "mkdir",
  "open",
  "readdir",
  "readFile",
  "readlink",
  "rename",
  "rm",
  "rmdir",
  "stat",
  "symlink",
  "unlink",
  "writeFile",
] as const;

/** The calls that need space on the disk. */
const WRITES: ReadonlySet<string> = new Set(["cp", "link", "mkdir", "rename", "symlink", "writeFile"]);

/** How a call fails; `undefined` if it cannot fail so. */
function failureOf(
  fault: FaultKind,
  name: string,
  given: readonly unknown[],
): { readonly error: Error; readonly isDone: boolean } | undefined {
  const failure = (code: string, isDone = false) => {
    const message = `${code}: a fault, ${name} '${String(given[0])}'`;
    return { error: Object.assign(new Error(message), { code }), isDone };
  };
  if (fault === "refused") return failure("EACCES");
  if (fault === "not arrived") return failure("EIO");
  if (fault === "no answer") return name === "open" ? undefined : failure("EIO", true);
  const needsSpace = WRITES.has(name) || (name === "open" && String(given[1]).includes("w"));
  return fault === "busy" && needsSpace ? failure("ENOSPC") : undefined;
}

type Call = (...given: unknown[]) => Promise<unknown>;

/** Makes each call of the file system in an {@link Operation} one of its steps. @returns the end of that */
export function stepFiles(isStepped: (path: string) => boolean): () => void {
  const files = promises as unknown as Record<string, Call>;
  const before = new Map(CALLS.map((name) => [name, files[name]]));
  for (const [name, call] of before) {
    files[name] = async (...given) => {
      const operation = Operation.current;
      const paths = given.slice(0, 2).filter((each) => typeof each === "string" && isStepped(each));
      if (operation && paths.length > 0) {
        const made = {
          mkdir: given[0],
          open: given[0],
          writeFile: given[0],
          symlink: given[1],
          rename: given[1],
        }[name as "mkdir"];
        const [draft] = /^.*\/\.docs-hosting(?:-[^/]*|\/\.[^/]*)\.draft/.exec(String(made)) ?? [];
        if (draft !== undefined) operation.drafts.add(draft);
        const fault = await operation.step();
        const failure = fault && failureOf(fault, name, given);
        if (fault === "link" && !paths.some((path) => /\.draft\//.test(String(path)))) {
          operation.putLink?.(String(paths.at(-1)));
        }
        operation.hadFault ||= failure !== undefined || fault === "link";
        if (failure?.isDone === true) await call?.(...given);
        if (failure) throw failure.error;
      }
      const result = await call?.(...given);
      if (name === "open") operation?.handles.add(result as FileHandle);
      return result;
    };
  }
  syncBuiltinESMExports();
  return () => {
    for (const [name, call] of before) if (call) files[name] = call;
    syncBuiltinESMExports();
  };
}
