import { createHash, randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { hasBlob, type RangeReader, rangesOfFile } from "../../provider/publishing/images/registry/blobs.ts";
import { RegistryClient } from "../../provider/publishing/images/registry/client.ts";
import { ensureBlob } from "../../provider/publishing/images/registry/ensureBlob.ts";
import { type Passing, type Spoiling, startFaultyProxy } from "./faultyProxy.ts";
import { startRegistry } from "./registry.ts";
import { type Operation, operation } from "./siteCopies.ts";

const MB = 1_000_000;
/** Chunks are of 32 MiB: this is three of them. */
const LARGE = 80 * MB;
/** The most that may be in flight when a connection is cut: it is sent again. */
const ON_THE_WAY = 4 * MB;

test("an upload that is cut ten times continues at the registry's offset, and sends little twice", async (context) => {
  let cuts = 0;
  const { client, blob, proxy, run } = await largeUpload(context, ({ method }) =>
    method === "PATCH" && cuts++ < 10 ? { cutAfter: 6 * MB } : undefined,
  );
  expect(await ensureBlob(client, blob, { source: () => blob.read })).toBe(true);
  expect(cuts).toBeGreaterThan(10);
  expect(proxy.received()).toBeLessThan(LARGE + 10 * ON_THE_WAY);
  expect(await hasBlob(client, blob.digest)).toBe(true);
  expect(run.reporter.lines.progress.join()).toContain("trying again in");
});

test("Ctrl-C during an upload ends it at once, also at the registry", async (context) => {
  const abort = new AbortController();
  let patches = 0;
  let stoppedMs = 0;
  const { client, blob, folder, run } = await largeUpload(
    context,
    ({ method }) => {
      patches += method === "PATCH" ? 1 : 0;
      return undefined;
    },
    { signal: abort.signal, speed: 0.25 }, // the machine may be busy,
  );
  const moved = (bytes: number): void => {
    if (patches < 2 || bytes < 36 * MB || abort.signal.aborted) return;
    stoppedMs = run.clock.monotonic();
    abort.abort(new Error("Ctrl-C"));
  };
  await expect(ensureBlob(client, blob, { source: () => blob.read, moved })).rejects.toThrow("Ctrl-C");
  expect(run.clock.monotonic() - stoppedMs).toBeLessThan(2_000);
  const files = await readdir(join(folder, "docker/registry/v2/repositories/a/_uploads"), {
    recursive: true,
  });
  // distribution leaves an empty folder; the sent data is removed
  expect(files.filter((file) => file.endsWith("/data"))).toEqual([]);
});

/** A large random blob, and a client of a registry behind a proxy with faults. */
async function largeUpload(
  context: TestContext,
  spoil: (request: Passing) => Spoiling | undefined,
  { size = LARGE, ...options }: { size?: number; signal?: AbortSignal; speed?: number } = {},
): Promise<{
  client: RegistryClient;
  blob: { digest: string; size: number; read: RangeReader };
  proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
  run: Operation;
  folder: string;
}> {
  const { host, folder } = await startRegistry(context);
  const proxy = await startFaultyProxy(context, host, spoil);
  const run = await operation(context, {}, options);
  const path = join(await run.scratch(), "large");
  const bytes = randomBytes(size);
  await writeFile(path, bytes);
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const client = new RegistryClient({ host: proxy.host, path: "a" }, run, { actions: "pull,push" });
  return { client, blob: { digest, size, read: rangesOfFile(path) }, proxy, run, folder };
}
