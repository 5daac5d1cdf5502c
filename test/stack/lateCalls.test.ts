// Calls that reach the provider process after Ctrl-C: they were already under way. The tests call the real process as engines do;
// with an engine, the moment of a call cannot be chosen.
import { join } from "node:path";
import { describe, expect, test, type TestContext, vi } from "vitest";
import type { ReferenceService } from "../../examples/reference-service/index.ts";
import { handlerText } from "../../sdk/handler.ts";
import { PluginProvider } from "../engine/local/pluginProvider.ts";
import { resolveFromProgram } from "../engine/local/programLocation.ts";
import type { PropertyMap } from "../engine/local/propertyValues.ts";
import type { StoredResource } from "../engine/local/stateFile.ts";
import { PATIENTLY } from "../simulation/patience.ts";
import { buildWorld, CANARY_KEY } from "./world.ts";

const TYPE = "pulumi-nodejs:dynamic/docs-hosting:StaticExport";
const urnOf = (name: string): string => `urn:pulumi:test::late::${TYPE}::${name}`;

const MAKING = { preview: false, timeout: 0 };

interface Running {
  service: ReferenceService;
  provider: PluginProvider;
  /** The inputs of an export, as `check` returns them: the call that loads our provider. */
  readonly check: (name: string) => Promise<PropertyMap>;
}

async function startProvider(context: TestContext): Promise<Running> {
  const world = await buildWorld(context, "local");
  world.holdJobs();
  const provider = await PluginProvider.start(
    resolveFromProgram(world.programFolder, "@pulumi/pulumi/cmd/dynamic-provider/index.js"),
    "127.0.0.1:1", // no engine: lines for its rows are lost
    {
      folder: world.programFolder,
      env: {
        ...process.env,
        DOCS_HOSTING_BASE_URL: world.service.url,
        DOCS_HOSTING_ADMIN_API_KEY: CANARY_KEY,
        PULUMI_HOME: join(world.programFolder, "home"),
      },
      onLine: () => undefined,
    },
    () => undefined,
  );
  context.onTestFinished(() => provider.close());
  await provider.configure("pulumi-nodejs", { urn: urnOf("default"), id: "default" }, {});
  return {
    service: world.service,
    provider,
    async check(name) {
      const __provider = handlerText("StaticExport");
      const given = { domain: "docs.example.com", __provider, __urn: urnOf(name) };
      return (await provider.check(urnOf(name), {}, given)).inputs;
    },
  };
}

describe("late calls, as on the local engine", () => {
  test.concurrent.for([
    ["before any other took its time", false],
    ["while another was waited for", true],
  ] as const)(
    "C15 a call that arrives after Cancel, which came %s, ends at once: nothing is started, no request is sent",
    async ([, busy], context) => {
      const { service, provider, check } = await startProvider(context);
      const inputs = await check("docs");
      const others: Promise<unknown>[] = [];
      if (busy) {
        const waiting = provider.create(urnOf("other"), await check("other"), MAKING);
        others.push(expect(waiting).rejects.toThrow("the run was cancelled. Nothing is lost: job "));
        await vi.waitUntil(() => service.requests.some(({ method }) => method === "GET"), PATIENTLY);
      }
      await provider.cancel();
      await Promise.all(others);
      const seen = service.requests.length;

      await expect(provider.create(urnOf("docs"), inputs, MAKING)).rejects.toThrow(
        "docs.example.com: stopped: the run was cancelled. No job was started.",
      );
      const outputs = { ...inputs, jobId: "job-1", status: "completed", __bookkeeping: { given: [] } };
      const stored = {
        urn: urnOf("docs"),
        id: "docs.example.com",
        inputs,
        outputs,
      } as unknown as StoredResource;
      await expect(provider.update(stored, stored.urn, { ...inputs, version: "v2" }, MAKING)).rejects.toThrow(
        "stopped: the run was cancelled",
      );
      await expect(provider.read(stored)).rejects.toThrow("stopped: the run was cancelled");
      expect(service.requests.length - seen).toBe(0);
    },
  );
});
