// The tarball that npm would publish, for the tests of one file.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, inject } from "vitest";
import { type ReferenceService, startReferenceService } from "../../examples/reference-service/index.ts";

const ROOT = join(import.meta.dirname, "../..");
const KEY = "svc_package-test";

export interface PackedPackage {
  /** Outside of the repository, and removed at the end. */
  folder: string;
  tarball: string;
  /** For what several files of tests install: see `install`. */
  shared: string;
  /** Has the site docs.example.com, and the finished agent job a1 of project p1. */
  service: ReferenceService;
  /** The environment by which a program finds the service. */
  env: Record<string, string>;
}

/** Exists when the tests begin. */
export function packedPackage(): PackedPackage {
  const packed = {} as PackedPackage;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "package-test-"));
    const site = join(folder, "site");
    mkdirSync(site);
    writeFileSync(join(site, "index.md"), "# Welcome\n");
    const service = await startReferenceService({ sites: { "docs.example.com": site }, adminApiKey: KEY });
    service.agentJobs.set("p1", { id: "a1", status: "completed", model: "model-7" });
    const env = { DOCS_HOSTING_BASE_URL: service.url, DOCS_HOSTING_ADMIN_API_KEY: KEY };
    const { folder: shared, tarball } = inject("shared");
    Object.assign(packed, { folder, service, env, tarball, shared });
  });
  afterAll(async () => {
    await packed.service.close();
    await rm(packed.folder, { recursive: true, force: true });
  });
  return packed;
}

/** The packages of a usual program in TypeScript. */
export function programDependencies(tarball: string): Record<string, string> {
  return {
    "pulumi-docs-hosting": `file:${tarball}`,
    ...versionsOf("@pulumi/pulumi", "@types/node", "typescript"),
  };
}

/** Versions of the packages that are installed beside ours: those of the repository. */
export function versionsOf(...names: string[]): Record<string, string> {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return Object.fromEntries(names.map((name) => [name, devDependencies[name] ?? ""]));
}
