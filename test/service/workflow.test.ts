// The life cycle over real sockets: against the reference service, or against the one that TEST_SERVICE_URL names, with
// TEST_SERVICE_KEY and TEST_SERVICE_DOMAIN. Never by the product's own variables: those hold a developer's real key.
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import nodeFetch from "node-fetch";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startReferenceService } from "../../examples/reference-service/index.ts";
import { systemClock } from "../../provider/base/runtime/time/clock.ts";
import type { Context } from "../../provider/resource/context.ts";
import type { CheckedExportInputs } from "../../provider/staticExport/inputs.ts";
import { staticExport } from "../../provider/staticExport/lifeCycle.ts";
import { recordingReporter } from "../simulation/recordingReporter.ts";
import { testContext } from "../simulation/testContext.ts";

let service: { baseUrl: string; key: string; domain: string; close: () => Promise<void> };

beforeAll(async () => {
  const given = process.env["TEST_SERVICE_URL"];
  if (given !== undefined) {
    service = {
      baseUrl: given,
      key: process.env["TEST_SERVICE_KEY"] ?? "",
      domain: process.env["TEST_SERVICE_DOMAIN"] ?? "",
      close: () => Promise.resolve(),
    };
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "workflow-"));
  mkdirSync(join(folder, "site"));
  writeFileSync(join(folder, "site/index.md"), "# Welcome\n");
  const reference = await startReferenceService({
    sites: { "docs.example.com": join(folder, "site") },
    adminApiKey: "svc_workflow",
    jobDurationMs: 1_500,
  });
  service = {
    baseUrl: reference.url,
    key: "svc_workflow",
    domain: "docs.example.com",
    close: async () => {
      await reference.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

afterAll(() => service.close());

function context(key = service.key): Context & { reporter: ReturnType<typeof recordingReporter> } {
  const reporter = recordingReporter();
  const configuration = {
    environment: (name: string) => (name === "KEY" ? key : undefined),
    stackConfig: () => undefined,
  };
  return { ...testContext({ fetch: nodeFetch, clock: systemClock, configuration }), reporter };
}

const inputs = (): CheckedExportInputs => ({
  domain: service.domain,
  baseUrl: service.baseUrl,
  apiKeyEnv: "KEY",
});

test("a site is exported, downloaded, adopted again by its job, and found by a refresh", async () => {
  const first = context();
  const created = await staticExport.create(first, inputs());
  expect(created.outputs.status).toBe("completed");
  expect(first.reporter.lines.progress.length).toBeGreaterThan(1);
  const archive = await fetch(created.outputs.bundleUrl ?? "");
  expect(archive.status).toBe(200);
  expect((await archive.arrayBuffer()).byteLength).toBeGreaterThan(0);

  const adopted = await staticExport.create(context(), { ...inputs(), jobId: created.outputs.jobId });
  expect(adopted.outputs.jobId).toBe(created.outputs.jobId);
  expect(adopted.outputs.bundleUrl).not.toBe(created.outputs.bundleUrl);
  expect((await staticExport.read(context(), created))?.state.outputs.status).toBe("completed");
});

test("a rejected key, an unknown site and an unknown job are distinguished", async () => {
  await expect(staticExport.create(context("svc_wrong"), inputs())).rejects.toThrow("rejected the API key");
  const unknownSite = { ...inputs(), domain: "unknown.example.invalid" };
  await expect(staticExport.create(context(), unknownSite)).rejects.toThrow(
    /unknown\.example\.invalid: .* answered 4/,
  );
  await expect(staticExport.create(context(), { ...inputs(), jobId: "no-such-job" })).rejects.toThrow(
    "answered 404",
  );
});
