// Finds the provider processes that a CLI started, by a mark in their environment. Linux only.
import { readdirSync, readFileSync } from "node:fs";

export const markName = "TEST_ENGINE_MARK";

export function findProviderPids(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("cmd/dynamic-provider") &&
          readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${markName}=${mark}`) &&
          isNode(pid)
        );
      } catch {
        return false; // it has ended, or belongs to somebody else
      }
    })
    .map(Number);
}

/** Not the shell script around it. */
const isNode = (pid: string) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() !== "sh";
