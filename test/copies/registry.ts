import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { type Server, startServer } from "./server.ts";

/** A registry on this machine: distribution 3. */
export interface Registry {
  /** Host and port. */
  readonly host: string;
  /** Lines of its log, an object of JSON each. */
  readonly lines: Server["lines"];
  /** The folder of its data. */
  readonly folder: string;
  /** Ends it before the test ends. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts one, until the test ends.
 *
 * @param settings of its configuration, by the names of its environment variables without `REGISTRY_`
 */
export async function startRegistry(
  context: Pick<TestContext, "onTestFinished">,
  settings: Readonly<Record<string, string>> = {},
): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), "registry-"));
  const env = {
    HTTP_ADDR: "127.0.0.1:0",
    HTTP_SECRET: "of the tests",
    STORAGE: "filesystem",
    STORAGE_FILESYSTEM_ROOTDIRECTORY: folder,
    STORAGE_DELETE_ENABLED: "true",
    LOG_FORMATTER: "json",
    LOG_ACCESSLOG_DISABLED: "true",
    ...settings,
  };
  const server = await startServer(
    process.env["REGISTRY"] ?? "registry",
    ["serve", join(import.meta.dirname, "registry.yml")],
    {
      OTEL_TRACES_EXPORTER: "none",
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [`REGISTRY_${name}`, value])),
    },
    /listening on (127\.0\.0\.1:\d+)/,
  );
  context.onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { host: server.ready[1] ?? "", lines: server.lines, folder, stop: () => server.stop() };
}
