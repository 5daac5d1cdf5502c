import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ReferenceService, startReferenceService } from "../../examples/reference-service/index.ts";
import { type EngineKind, openStack, type Stack } from "../engine/index.ts";
import type { Adapter } from "../stack/adapters.ts";
import { programFolderIn, writeProgram } from "../stack/programFolder.ts";

const WORK = join(import.meta.dirname, "../../.work");
const KEY = "svc_bench";

/** The export endpoints as a client needs them. */
export interface BenchService {
  baseUrl: string;
  key: string;
  domain: string;
}

/** The reference service with one-page sites for some domains, and a folder for the exporting process. */
export interface BenchSites {
  service: ReferenceService;
  folder: string;
  /** The first of these sites, or another one. */
  clientOf: (domain?: string) => BenchService;
}

export const domainsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `docs-${index}.example.com`);

/** Both are removed after the work. */
export async function withBenchSites<T>(
  domains: readonly string[],
  jobDurationMs: number,
  work: (sites: BenchSites) => Promise<T>,
): Promise<T> {
  mkdirSync(WORK, { recursive: true });
  const folder = await mkdtemp(join(WORK, "bench-"));
  const site = join(folder, "site");
  mkdirSync(site);
  writeFileSync(join(site, "index.md"), "# Welcome\n\nThe only page.\n");
  const service = await startReferenceService({
    sites: Object.fromEntries(domains.map((domain) => [domain, site])),
    adminApiKey: KEY,
    jobDurationMs,
  });
  try {
    return await work({
      service,
      folder,
      clientOf: (domain = domains[0] ?? "") => ({ baseUrl: service.url, key: KEY, domain }),
    });
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A stack of this program, a new one unless the name is known, with the service in its environment. */
export function openBenchStack(
  kind: EngineKind,
  { service, folder }: BenchSites,
  name: string,
  program: string,
  { adapter, plugins }: { adapter?: Adapter; plugins?: Record<string, string> } = {},
): Promise<Stack> {
  const isNew = !existsSync(join(folder, name));
  const programFolder = isNew ? programFolderIn(join(folder, name)) : join(folder, name, "program");
  writeProgram(programFolder, program, adapter);
  return openStack(kind, {
    program: programFolder,
    project: "bench",
    stack: name,
    stateFolder: join(folder, name, "state"),
    passphrase: "bench",
    ...(plugins && { plugins }),
    env: { DOCS_HOSTING_BASE_URL: service.url, DOCS_HOSTING_ADMIN_API_KEY: KEY },
  });
}
