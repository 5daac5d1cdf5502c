// Packs the package once for all files of tests, into a folder that all share.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { pack } from "./pack.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Outside of the repository: the tarball that npm would publish, and what was installed from it. */
    shared: { folder: string; tarball: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "package-tests-"));
  project.provide("shared", { folder, tarball: await pack(folder) });
  return () => rm(folder, { recursive: true, force: true });
}
