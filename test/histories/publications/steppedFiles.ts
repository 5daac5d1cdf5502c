import { promises } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
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
        await operation.step();
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
