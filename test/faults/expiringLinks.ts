import { afterEach, beforeEach } from "vitest";
import type { StaticExportState } from "../../provider/staticExport/state.ts";
import { SimulatedExport } from "../simulation/simulatedExport.ts";

export const BUNDLE = "POST /jobs/job-1/bundle";

export const LINK = "https://store.example.test/b.tgz?X-Signature=c4n4ry";

export const HOUR_MS = 3_600_000;

export const DAY_MS = 24 * HOUR_MS;

export let site: SimulatedExport;

/** Each test has an export of its own. */
export function withExport(): void {
  beforeEach(() => {
    site = new SimulatedExport(); // at 2026-01-01T00:00:00Z
    site.service.durationMs = 0;
  });
  afterEach(() => {
    site.expectNoSecretShown();
  });
}

/** An export whose link ends then, as the service says. */
export function exported(expiresAt: unknown, bundleUrl = LINK): Promise<StaticExportState> {
  site.answer("bundle", () => ({ body: { bundleUrl, expiresAt } }));
  return site.create();
}

export const warnings = (): string[] => site.reporter.lines.warn;
