import { createHash, randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { fileBlob, hasBlob, type BlobSource } from "../../provider/images/registry/blobs.ts";
import { ensureBlob } from "../../provider/images/registry/ensureBlob.ts";
import { RegistrySession } from "../../provider/images/registry/session.ts";
import { repositoryDestination } from "../../provider/copies/destinations/repository/repositoryDestination.ts";
import { startFaultyProxy, type Passing, type Spoiling } from "./faultyProxy.ts";
import { crane, pushBase } from "./images.ts";
import { startRegistry } from "./registry.ts";
import { copySite, operation, type Operation } from "./siteCopies.ts";

const MB = 1_000_000;
/** Chunks are of 32 MiB: this is three of them. */
const LARGE = 80 * MB;
/** The most that may be in flight when a connection is cut: it is sent again. */
const ON_THE_WAY = 4 * MB;

test("an upload that is cut ten times continues at the registry's offset, and sends little twice", async (context) => {
  let cuts = 0;
  const { session, blob, proxy, run } = await largeUpload(context, ({ method }) =>
    method === "PATCH" && cuts++ < 10 ? { cutAfter: 6 * MB } : undefined,
  );
  expect(await ensureBlob(session, blob, { source: () => blob })).toBe("sent");
  expect(cuts).toBeGreaterThan(10);
  expect(proxy.received()).toBeLessThan(LARGE + 10 * ON_THE_WAY);
  expect(await hasBlob(session, blob.digest)).toBe(true);
  expect(run.reporter.lines.progress.join()).toContain("trying again in");
});

test("Ctrl-C during an upload ends it at once, also at the registry", async (context) => {
  const abort = new AbortController();
  let patches = 0;
  let stoppedMs = 0;
  const { session, blob, folder, run } = await largeUpload(
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
  await expect(ensureBlob(session, blob, { source: () => blob, moved })).rejects.toThrow("Ctrl-C");
  expect(run.clock.monotonic() - stoppedMs).toBeLessThan(2_000);
  const files = await readdir(join(folder, "docker/registry/v2/repositories/a/_uploads"), {
    recursive: true,
  });
  // distribution leaves an empty folder; the sent data is removed
  expect(files.filter((file) => file.endsWith("/data"))).toEqual([]);
});

test("a manifest, a blob or an answer with another digest is never accepted", async (context) => {
  const { host } = await startRegistry(context);
  const digest = await pushBase(context, `${host}/nginx:1`);
  const spoilt = async (test: RegExp, header = false): Promise<string> => {
    const proxy = await startFaultyProxy(context, host, ({ method, path }) =>
      (header ? method === "PUT" : method === "GET") && test.test(path)
        ? {
            change: ({ body }) =>
              header
                ? { headers: { "docker-content-digest": `sha256:${"0".repeat(64)}` } }
                : { body: Buffer.from(body.map((byte, at) => (at === body.length - 2 ? byte ^ 1 : byte))) },
          }
        : undefined,
    );
    return proxy.host;
  };
  const isRefused = /something else for|its digest is|gave more/;
  const target = await startRegistry(context);
  for (const base of [
    `${await spoilt(/manifests\/1$/)}/nginx:1`,
    `${await spoilt(/manifests\/sha256/)}/nginx@${digest}`,
    `${await spoilt(/manifests\/sha256/)}/nginx:1`,
    `${await spoilt(/blobs\//)}/nginx:1`,
  ]) {
    await expect(
      copySite({ repository: `${target.host}/a`, base, tag: "t" }, await operation(context)),
      base,
    ).rejects.toThrow(isRefused);
  }
  await expect(crane("ls", `${target.host}/a`)).rejects.toThrow("NAME_UNKNOWN");
  for (const place of [/blobs\/uploads/, /manifests\//]) {
    const repository = `${await spoilt(place, true)}/b`;
    await expect(copySite({ repository }, await operation(context))).rejects.toThrow(isRefused);
  }
});

test("a blob of which only a layer is corrupt is fetched, and not sent on", async (context) => {
  const { host } = await startRegistry(context);
  await pushBase(context, `${host}/nginx:1`);
  const { layers } = JSON.parse(await crane("manifest", "--platform", "linux/amd64", `${host}/nginx:1`)) as {
    layers: { digest: string; size: number }[];
  };
  const layer = layers[0] ?? { digest: "", size: 0 };
  const proxy = await startFaultyProxy(context, host, ({ path }) =>
    path.endsWith(layer.digest) ? { change: ({ body }) => ({ body: Buffer.alloc(body.length) }) } : undefined,
  );
  const target = await startRegistry(context);
  const run = await operation(context);
  await expect(
    copySite({ repository: `${target.host}/a`, base: `${proxy.host}/nginx:1` }, run),
  ).rejects.toThrow(`the registry gave something else for ${proxy.host}/nginx@${layer.digest}`);
  expect(run.requests.filter((request) => /^(PUT|PATCH) /.test(request))).toEqual([]);
});

test("a removal that fails is an error only while the copy still exists", async (context) => {
  const { host } = await startRegistry(context);
  const refuse = new Set<string>();
  const proxy = await startFaultyProxy(context, host, ({ method }) =>
    method === "DELETE" && refuse.has("DELETE")
      ? { answer: { status: 403, body: '{"errors":[{"code":"DENIED"}]}' } }
      : undefined,
  );
  const options = { repository: `${proxy.host}/a` };
  const copy = await copySite(options, await operation(context));
  const destination = repositoryDestination(options);
  refuse.add("DELETE");
  await expect(destination.remove([copy], [], await operation(context))).rejects.toThrow("DENIED");
  refuse.clear();
  await destination.remove([copy], [], await operation(context));
  expect(await destination.compare(copy, await operation(context))).toBe("gone");
});

/** A large random blob, and a session with a registry behind a proxy with faults. */
async function largeUpload(
  context: TestContext,
  spoil: (request: Passing) => Spoiling | undefined,
  { size = LARGE, ...options }: { size?: number; signal?: AbortSignal; speed?: number } = {},
): Promise<{
  session: RegistrySession;
  blob: BlobSource;
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
  const session = new RegistrySession({ host: proxy.host, path: "a" }, run, { actions: "pull,push" });
  return { session, blob: fileBlob(path, { digest, size }), proxy, run, folder };
}
