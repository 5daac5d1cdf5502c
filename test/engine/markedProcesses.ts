// Finds processes by a mark in their initial environment, which is inherited. Linux only.
import { readdirSync, readFileSync } from "node:fs";

export interface MarkedProcess {
  pid: number;
  name: string;
  command: string;
}

/** @param mark such as "NAME=value", or the beginning of it */
export function findMarked(mark: string): MarkedProcess[] {
  const found: MarkedProcess[] = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");
    try {
      if (!`\0${read("environ")}`.includes(`\0${mark}`)) continue;
      found.push({ pid: Number(pid), name: read("comm").trim(), command: read("cmdline") });
    } catch {
      // it has ended, or belongs to another user
    }
  }
  return found;
}
