import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { fileBlob, hasBlob, type BlobSource } from "../../provider/images/registry/blobs.ts";
import { downloadBlob } from "../../provider/images/registry/download.ts";
import { ensureBlob } from "../../provider/images/registry/ensureBlob.ts";
import { getManifest } from "../../provider/images/registry/manifests.ts";
import { RegistrySession } from "../../provider/images/registry/session.ts";
import { repositoryDestination } from "../../provider/copies/destinations/repository/repositoryDestination.ts";
import { startFaultyProxy, type Passing, type Spoiling } from "./faultyProxy.ts";
import { crane, pushBase, scratchFolder } from "./images.ts";
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

test("when the answer to the last request is lost, nothing is sent again", async (context) => {
  const lost = new Set<string>();
  const { session, blob, proxy } = await largeUpload(context, ({ method }) => {
    if (method !== "PUT" || lost.has(method)) return undefined;
    lost.add(method);
    return { loseAnswer: true };
  });
  await ensureBlob(session, blob, { source: () => blob });
  expect(lost.size).toBe(1);
  expect(proxy.passed.filter(({ method }) => method === "PUT")).toHaveLength(1);
  expect(proxy.received()).toBe(LARGE);
});

test("an upload that the registry forgot is started again", async (context) => {
  let patches = 0;
  const { session, blob, proxy } = await largeUpload(context, ({ method }) => {
    if (method === "PATCH") patches++;
    const isForgotten = patches === 2 && (method === "PATCH" || method === "GET");
    return isForgotten
      ? { answer: { status: 404, body: '{"errors":[{"code":"BLOB_UPLOAD_UNKNOWN"}]}' } }
      : undefined;
  });
  await ensureBlob(session, blob, { source: () => blob });
  expect(proxy.passed.filter(({ method }) => method === "POST")).toHaveLength(2);
  expect(await hasBlob(session, blob.digest)).toBe(true);
});

test("a registry that never keeps its offset ends in an error, and the upload is cancelled", async (context) => {
  const { session, blob, proxy } = await largeUpload(
    context,
    ({ method }) =>
      method === "PATCH"
        ? { answer: { status: 416, body: '{"errors":[{"code":"RANGE_INVALID"}]}' } }
        : undefined,
    { speed: 1 },
  );
  await expect(ensureBlob(session, blob, { source: () => blob })).rejects.toThrow("RANGE_INVALID");
  expect(proxy.passed.at(-1)?.method).toBe("DELETE");
});

test("the addresses of the next chunk may be relative, with a query that is kept unchanged", async (context) => {
  const { session, blob, proxy } = await largeUpload(context, ({ method }) =>
    method === "POST" || method === "PATCH"
      ? {
          change: ({ headers }) => {
            const { pathname, search } = new URL(String(headers["location"]));
            return { headers: { location: `${pathname}${search}&odd=a%2fb+c` } };
          },
        }
      : undefined,
  );
  await ensureBlob(session, blob, { source: () => blob });
  const put = proxy.passed.find(({ method }) => method === "PUT")?.path ?? "";
  expect(put).toContain("&odd=a%2fb+c&digest=sha256%3A");
  expect(await hasBlob(session, blob.digest)).toBe(true);
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

test("Retry-After is waited for, and a registry that is down for a while is tried again", async (context) => {
  const { host } = await startRegistry(context);
  const answers = [
    { status: 429, headers: { "retry-after": "7" } },
    { status: 503, headers: { "retry-after": "11" }, body: "<html>maintenance</html>" },
    { status: 502 },
  ];
  const proxy = await startFaultyProxy(context, host, ({ path }) => {
    if (path === "/v2/") return undefined; // it shows whether the registry has TLS: any reply is enough
    const answer = answers.shift();
    return answer && { answer };
  });
  const run = await operation(context);
  await copySite({ repository: `${proxy.host}/a` }, run);
  expect(run.clock.waits).toContain(7_000);
  expect(run.clock.waits).toContain(11_000);
  expect(run.reporter.lines.progress.join()).not.toContain("<html>");
});

test("an upload that the registry refuses is an error with the registry's text, and nothing is visible", async (context) => {
  const { host } = await startRegistry(context);
  const proxy = await startFaultyProxy(context, host, ({ method, path }) =>
    method === "PUT" && path.includes("/blobs/")
      ? {
          answer: { status: 403, body: '{"errors":[{"code":"DENIED","message":"quota is used up\\u0007"}]}' },
        }
      : undefined,
  );
  await expect(
    copySite({ repository: `${proxy.host}/a`, tag: "t" }, await operation(context)),
  ).rejects.toThrow(/answered 403: DENIED: quota is used up$/);
  await expect(crane("manifest", `${host}/a:t`)).rejects.toThrow("UNKNOWN");
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

test("a download that is cut continues where it was", async (context) => {
  const { session, blob, proxy } = await largeUpload(context, () => undefined, { size: 20 * MB });
  await ensureBlob(session, blob, { source: () => blob });
  let cuts = 0;
  let sent = 0;
  const cutting = await startFaultyProxy(context, proxy.host, ({ method }) =>
    method === "GET" && cuts++ < 3
      ? {
          change: ({ body }) => {
            sent += 5 * MB;
            return { body: body.subarray(0, 5 * MB), cut: true };
          },
        }
      : undefined,
  );
  const run = await operation(context);
  const path = join(await run.scratch(), "blob");
  const reading = new RegistrySession({ host: cutting.host, path: "a" }, run, { actions: "pull" });
  await downloadBlob(reading, blob, path);
  expect(sent).toBe(15 * MB);
  expect(
    `sha256:${createHash("sha256")
      .update(await readFile(path))
      .digest("hex")}`,
  ).toBe(blob.digest);
});

test("a download continues from an earlier run's part; other content, or too much, is discarded", async (context) => {
  const { session, blob, proxy } = await largeUpload(context, () => undefined, { size: 3 * MB });
  await ensureBlob(session, blob, { source: () => blob });
  const whole: Buffer[] = [];
  for await (const chunk of blob.read(0, blob.size)) whole.push(Buffer.from(chunk));
  const bytes = Buffer.concat(whole);
  const wrong = Buffer.alloc(MB, "x");
  const cases: [left: Buffer, ranges: (string | undefined)[]][] = [
    [bytes.subarray(0, MB), [`bytes=${MB}-`]],
    [bytes, []],
    [wrong, [`bytes=${MB}-`, undefined]],
    [Buffer.concat([wrong, bytes.subarray(MB)]), [undefined]],
    [Buffer.concat([bytes, wrong]), [undefined]],
  ];
  for (const [left, ranges] of cases) {
    const run = await operation(context);
    const path = join(await run.scratch(), "blob");
    await writeFile(path, left);
    const reading = new RegistrySession({ host: proxy.host, path: "a" }, run, { actions: "pull" });
    let there = 0;
    await downloadBlob(reading, blob, path, (moved) => (there = moved));
    expect((await readFile(path)).equals(bytes)).toBe(true);
    const gets = run.requests.flatMap((request, index) =>
      request.includes("/blobs/") ? [run.headers[index]?.["range"]] : [],
    );
    expect(gets).toEqual(ranges);
    expect(there).toBe(ranges.length > 0 ? blob.size : 0);
  }
});

test("a redirect to a store is followed without the credential", async (context) => {
  const { host } = await startRegistry(context);
  await copySite({ repository: `${host}/a`, tag: "t" }, await operation(context));
  const store = await startFaultyProxy(context, host, () => undefined);
  const proxy = await startFaultyProxy(context, host, ({ method, path, authorization }) => {
    if (authorization === undefined) {
      return { answer: { status: 401, headers: { "www-authenticate": 'Basic realm="x"' } } };
    }
    return method === "GET"
      ? { answer: { status: 307, headers: { location: `http://${store.host}${path}` } } }
      : undefined;
  });
  const folder = await scratchFolder(context);
  const auths = { [proxy.host]: { auth: Buffer.from("me:geheim").toString("base64") } };
  await writeFile(join(folder, "config.json"), JSON.stringify({ auths }));
  const run = await operation(context, { DOCKER_CONFIG: folder });
  const session = new RegistrySession({ host: proxy.host, path: "a" }, run, { actions: "pull" });
  expect((await getManifest(session, "t"))?.digest).toMatch(/^sha256:/);
  expect(store.passed).toHaveLength(1);
  expect(store.passed[0]?.authorization).toBeUndefined();
  expect(proxy.passed.at(-1)?.authorization).toMatch(/^Basic /);
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
