// PULUMI_DEBUG_PROVIDERS: engines of several stacks attach to one process of the native plugin, which somebody started by hand.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test, type TestContext, vi } from "vitest";
import { PATIENTLY } from "../../simulation/patience.ts";
import { PLUGINS } from "../adapters.ts";
import { docs } from "../programFolder.ts";
import { startsOf } from "../requests.ts";
import { buildWorld, CANARY_KEY, cliOnly, onEachEngine, previewIsEmpty, succeeded } from "../world.ts";

/** Starts the plugin as a developer does, without an engine. Ends with the test. */
async function startPlugin(
  context: TestContext,
  env: Record<string, string>,
): Promise<{ plugin: ChildProcess; port: number }> {
  const plugin = spawn(process.execPath, [PLUGINS["docs-hosting"]], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.onTestFinished(() => void plugin.kill());
  const lines = createInterface({ input: plugin.stdout });
  const [port] = (await once(lines, "line")) as [string];
  return { plugin, port: Number(port) };
}

const NATIVE = { adapter: "native", reason: "the dynamic provider has no process of its own" } as const;

onEachEngine({ name: "one plugin for two stacks", only: NATIVE }, (kind) => {
  test("the end of one stack's run leaves the other's export alone, and the plugin serves the next run", async (context) => {
    cliOnly(context, kind, "PULUMI_DEBUG_PROVIDERS is read by Pulumi's engine");
    const world = await buildWorld(context, kind);
    const other = await world.startService("svc_0ther-account");
    const { plugin, port } = await startPlugin(context, {
      DOCS_HOSTING_ADMIN_API_KEY: "",
      DOCS_HOSTING_BASE_URL: "",
    });
    const stackOf = async (stack: string, baseUrl: string, key: string) => {
      const env = {
        PULUMI_DEBUG_PROVIDERS: `docs-hosting:${port}`,
        DOCS_HOSTING_ADMIN_API_KEY: undefined,
        DOCS_HOSTING_BASE_URL: undefined,
      };
      const opened = await world.open({ stack, env });
      await opened.setConfig("docs-hosting:baseUrl", baseUrl);
      await opened.setConfig("docs-hosting:adminApiKey", key, { secret: true });
      return opened;
    };
    const stopped = await stackOf("stopped", world.service.url, CANARY_KEY);
    const going = await stackOf("going", other.url, "svc_0ther-account");
    world.program(docs());
    const letJobsEnd = [world.service, other].map((service) =>
      service.intercept(({ method }) => (method === "GET" ? { body: { status: "running" } } : undefined)),
    );
    const interrupt = new AbortController();
    const stopping = stopped.up({ signal: interrupt.signal });
    const finishing = going.up();
    for (const { requests } of [world.service, other]) {
      await vi.waitUntil(() => requests.some(({ method }) => method === "GET"), PATIENTLY);
    }
    interrupt.abort();
    expect((await stopping).ok).toBe(false);
    expect(plugin.exitCode).toBeNull();
    for (const end of letJobsEnd) end();
    succeeded(await finishing);
    expect((await world.exported("docs", going)).outputs).toMatchObject({ baseUrl: other.url });
    await previewIsEmpty(world, going);

    succeeded(await stopped.up());
    expect((await world.exported("docs", stopped)).outputs).toMatchObject({ baseUrl: world.service.url });
    for (const { requests } of [world.service, other]) expect(startsOf(requests)).toHaveLength(1);
    expect(plugin.exitCode).toBeNull();
  });
});
