import { promises } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

type Call = (...given: unknown[]) => Promise<unknown>;

/**
 * Lets calls of the file system fail, until the test ends or the result is called.
 *
 * @param codeFor the code of the failure of a path; `undefined` for the system's own answer
 */
export function failFiles(name: "lstat" | "open", codeFor: (path: string) => string | undefined): () => void {
  const files = promises as unknown as Record<string, Call>;
  const { [name]: before } = files;
  const set = (call: Call | undefined): void => {
    if (call) files[name] = call;
    syncBuiltinESMExports();
  };
  const restore = (): void => set(before);
  onTestFinished(restore);
  set((...given) => {
    const code = codeFor(String(given[0]));
    if (code === undefined) return before?.(...given) ?? Promise.reject(new Error(name));
    return Promise.reject(Object.assign(new Error(code), { code }));
  });
  return restore;
}
