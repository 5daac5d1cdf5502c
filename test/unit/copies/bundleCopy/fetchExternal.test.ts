// Copies with files of other hosts, in folders.
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import nodeFetch from "node-fetch";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import { CANARIES, startBucketStub, STUB_BUCKET } from "../../../simulation/bucketStub.ts";
import { startRegistryStub } from "../../../simulation/registryStub.ts";
import { AT, check, folder, FONT, hosts, serveHosts, withHosts, world } from "./otherHosts.ts";

withHosts();

const current = (path = ""): string => join(folder, "copies/current", path);

const stored = (): string[] =>
  existsSync(current("assets"))
    ? (readdirSync(current("assets"), { recursive: true }) as string[])
        .filter((path) => /\.[0-9a-f]{16}\./.test(path))
        .sort()
    : [];

test("a copy has what its pages load, the outputs say what that is, and no query", async () => {
  const { context, reporter } = world();
  const { outputs } = await bundleCopy.create(
    context,
    check({ fetchExternal: true, requireSelfContained: true }).inputs,
  );
  expect(stored().map((path) => path.replace(/\.[0-9a-f]{16}\./, ".*."))).toEqual([
    "external/cdn.example.com/a.*.css",
    "external/cdn.example.com/f.*.woff2",
    "external/cdn.example.com/x.*.png",
  ]);
  expect(outputs).toMatchObject({ selfContained: true, externalLoads: [] });
  expect(outputs.fetchedAssets?.map(({ address, bytes }) => [address, bytes])).toEqual([
    [`${AT}a.css`, 75],
    [`${AT}f.woff2`, 6],
    [`${AT}x.png`, 3],
  ]);
  expect(JSON.stringify(outputs)).not.toContain("s3cret");
  expect(JSON.stringify(reporter)).not.toContain("s3cret");
});

test("a file that is another one at each request is requested once, and all pages have the same", async () => {
  let asked = 0;
  const image = `${AT}i.png`;
  Object.defineProperty(hosts, image, {
    get: () => ({ headers: { "content-type": "image/png" }, text: `PNG ${asked++}` }),
  });
  const page = `<img src="${image}">`;
  const files = { "index.html": page, "b.html": page, "c.css": `b { background: url(${image}) }` };
  const { context, requests } = world();
  await bundleCopy.create(context, check({ fetchExternal: true }, files).inputs);
  expect(requests).toHaveLength(1);
  expect(stored()).toHaveLength(1);
  const [path = ""] = stored();
  expect(readFileSync(current(`assets/${path}`), "utf8")).toBe("PNG 0");
  for (const each of Object.keys(files)) expect(readFileSync(current(each), "utf8")).toContain(path);
});

test("a body without an end is left at the limit, and its connection is closed", async () => {
  const closed = Promise.withResolvers<unknown>();
  const server = createServer((_request, reply) => {
    reply.writeHead(200, { "content-type": "image/png" });
    const write = (): void => {
      while (!reply.destroyed && reply.write(Buffer.alloc(65_536)));
    };
    reply.on("drain", write).on("close", () => closed.resolve(undefined));
    write();
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { context } = world({ fetch: nodeFetch });
  const fetchExternal = { limits: { assetBytes: 1_000_000 } };
  const files = { "index.html": `<img src="http://127.0.0.1:${port}/x.png">` };
  const { outputs } = await bundleCopy.create(context, check({ fetchExternal }, files).inputs);
  expect(outputs.externalLoads).toMatchObject([{ reason: "it has more than 1.0 MB" }]);
  await closed.promise;
});

test("the next update asks no host; a changed font comes with the next version", async () => {
  const { inputs } = check({ fetchExternal: true });
  const state = await bundleCopy.create(world().context, inputs);
  const nowMs = Date.now();
  expect(bundleCopy.diff(inputs, state, { name: "docs", nowMs })).toMatchObject({
    changed: [],
    decision: { code: "UP_TO_DATE" },
  });
  const again = world();
  hosts[`${AT}f.woff2`] = { ...(FONT as object), text: "wOF2 2" };
  const same = await bundleCopy.update(again.context, state, inputs);
  expect(again.requests).toEqual([]);
  expect(same.outputs.uri).toBe(state.outputs.uri);
  const next = { ...inputs, source: { ...inputs.source, version: "v2" } };
  const changed = await bundleCopy.update(world().context, state, next);
  expect(changed.outputs.uri).not.toBe(state.outputs.uri);
  expect(stored().some((path) => readFileSync(join(current("assets"), path), "utf8") === "wOF2 2")).toBe(
    true,
  );
});

test("what cannot be fetched is named with its reason, and refuses the bundle that must be self-contained", async () => {
  hosts[`${AT}f.woff2`] = { status: 404, text: "gone" };
  const { outputs } = await bundleCopy.create(world().context, check({ fetchExternal: true }).inputs);
  expect(outputs).toMatchObject({
    selfContained: false,
    externalLoads: [{ address: `${AT}f.woff2`, reason: "the host answers with status 404" }],
  });
  const { inputs } = check({
    fetchExternal: true,
    requireSelfContained: true,
    destination: { folder: join(folder, "other"), layout: "site" },
  });
  await expect(bundleCopy.create(world().context, inputs)).rejects.toThrow(
    `such as ${AT}f.woff2 on assets/external/cdn.example.com/a.`,
  );
  expect(existsSync(join(folder, "other/current"))).toBe(false);
});

test("with a search, pages have both, and the same content gives the same copy", async () => {
  const made = async (name: string): Promise<BundleCopyState> =>
    bundleCopy.create(
      world().context,
      check({
        fetchExternal: true,
        offlineSearch: true,
        destination: { folder: join(folder, name), layout: "site" },
      }).inputs,
    );
  const one = await made("one");
  const other = await made("two");
  expect(one.outputs.searchPages).toBe(1);
  const names = (state: BundleCopyState): string => state.outputs.uri.replace(/^.*\//, "");
  expect(names(one)).toBe(names(other));
  const page = readFileSync(join(folder, "one/current/index.html"), "utf8");
  expect(page).toContain('href="assets/external/cdn.example.com/a.');
  expect(page).toContain("docs-hosting-search/load.js");
});

describe("the same content again", () => {
  const remade = async (
    change: (state: BundleCopyState) => void,
    given: object = {},
  ): Promise<{ before: BundleCopyState; after: BundleCopyState; requests: string[] }> => {
    const { inputs } = check({ fetchExternal: true });
    const before = await bundleCopy.create(world().context, inputs);
    hosts[`${AT}f.woff2`] = { ...(FONT as object), text: "wOF2 2" };
    change(before);
    const next = world();
    const read = await bundleCopy.read(next.context, before);
    const stored = read?.state ?? before;
    const after = await bundleCopy.update(
      next.context,
      stored,
      check({ fetchExternal: true, ...given }).inputs,
    );
    return { before, after, requests: next.requests.map(({ url }) => url) };
  };

  test("a page that somebody changed is published again with the files of the copy, without a request", async () => {
    const { before, after, requests } = await remade(({ outputs }) =>
      writeFileSync(join(outputs.uri, "index.html"), "changed"),
    );
    expect(requests).toEqual([]);
    expect(after.outputs.uri).toBe(before.outputs.uri);
    expect(readFileSync(current("index.html"), "utf8")).toContain("assets/external/cdn.example.com/a.");
  });

  test("a host that is gone is not missed until the content changes", async () => {
    const { inputs } = check({ fetchExternal: true });
    const state = await bundleCopy.create(world().context, inputs);
    const before = stored();
    serveHosts({});
    const gone = world();
    expect((await bundleCopy.update(gone.context, state, inputs)).outputs.uri).toBe(state.outputs.uri);
    expect((await bundleCopy.read(gone.context, state))?.state.outputs.uri).toBe(state.outputs.uri);
    writeFileSync(current("index.html"), "changed by somebody");
    const drifted = await bundleCopy.read(gone.context, state);
    await bundleCopy.update(gone.context, drifted?.state ?? state, inputs);
    expect(gone.requests).toEqual([]);
    expect(stored()).toEqual(before);
    const next = { ...inputs, source: { ...inputs.source, version: "v2" } };
    const { outputs } = await bundleCopy.update(gone.context, state, next);
    expect(outputs.externalLoads).toMatchObject([{ reason: "the host answers with status 404" }]);
  });

  test("a search that is added changes no file of other hosts", async () => {
    const { before, after, requests } = await remade(() => undefined, { offlineSearch: true });
    expect(requests).toEqual([]);
    expect(after.outputs.fetchedAssets).toEqual(before.outputs.fetchedAssets);
    expect(after.outputs.uri).not.toBe(before.outputs.uri);
    expect(after.outputs.changes?.changed.paths).toEqual(["index.html"]);
  });

  test("other options fetch again", async () => {
    const { requests } = await remade(() => undefined, { fetchExternal: { exclude: ["x.org"] } });
    expect(requests).toHaveLength(3);
  });

  test("a stored file that somebody changed is not used: everything is fetched, and the copy has what the host has now", async () => {
    const { before, after, requests } = await remade(({ outputs }) => {
      const [font = ""] =
        outputs.fetchedAssets?.filter(({ path }) => path.includes("/f.")).map(({ path }) => path) ?? [];
      writeFileSync(join(outputs.uri, font), "changed");
    });
    expect(requests).toHaveLength(3);
    expect(after.outputs.uri).not.toBe(before.outputs.uri);
    expect(after.outputs.fetchedAssets).not.toEqual(before.outputs.fetchedAssets);
  });
});

test("two resources with the same hosts have the same files, each at its own place", async () => {
  const made = (name: string): Promise<BundleCopyState> =>
    bundleCopy.create(
      world({ urn: `urn:${name}` }).context,
      check({ fetchExternal: true, destination: { folder: join(folder, name), layout: "site" } }).inputs,
    );
  const [one, two] = await Promise.all([made("one"), made("two")]);
  expect(two.outputs.fetchedAssets).toEqual(one.outputs.fetchedAssets);
});

test.for(["bucket", "repository", "signed repository"] as const)(
  "at a %s, too, the same content is made of the files of the copy; the documents of a signed image name them",
  async (kind, test) => {
    for (const [name, value] of Object.entries(CANARIES)) vi.stubEnv(name, value);
    test.onTestFinished(() => void vi.unstubAllEnvs());
    const registry = await startRegistryStub(test);
    const bucket = { bucket: STUB_BUCKET, endpoint: (await startBucketStub(test)).endpoint, layout: "site" };
    const destination =
      kind === "bucket" ? bucket : { repository: `${registry.host}/docs/site`, plainHttp: true };
    const isSigned = kind === "signed repository";
    const key = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const asked: string[] = [];
    const open = (): PublicationContext => {
      const own = world({
        configuration: {
          environment: (name) =>
            name === "PULUMI_HOME" ? join(folder, "home") : name === "KEY" ? key : process.env[name],
          stackConfig: () => undefined,
        },
      }).context;
      const fetch: PublicationContext["fetch"] = (url, init) => {
        if (!url.startsWith(AT)) return nodeFetch(url, init);
        asked.push(url);
        return own.fetch(url, init);
      };
      return { ...own, fetch };
    };
    const inputs = (more: object = {}): CheckedCopyInputs =>
      check({ destination, fetchExternal: true, ...(isSigned && { signingKeyEnv: "KEY" }), ...more }).inputs;
    const before = await bundleCopy.create(open(), inputs());
    expect(asked).toHaveLength(3);
    serveHosts({});
    const after = await bundleCopy.update(open(), before, inputs({ offlineSearch: true }));
    expect(asked).toHaveLength(3);
    expect(after.outputs.fetchedAssets).toEqual(before.outputs.fetchedAssets);
    expect(after.outputs).toMatchObject({ selfContained: true, searchPages: 1 });
    if (!isSigned) return;
    const documents = [...registry.blobs.values()].map((blob) => blob.toString());
    const payloads = documents.filter((each) => each.includes("dsse") || each.includes("payloadType"));
    const named = payloads.map((each) =>
      Buffer.from((JSON.parse(each) as { payload: string }).payload, "base64").toString(),
    );
    expect(named.filter((each) => each.includes(`"${AT}f.woff2"`)).length).toBeGreaterThanOrEqual(4);
    expect(named.join("")).not.toContain("s3cret");
  },
);

test("a run that ends at any request leaves nothing behind, and the next one makes the same copy", async () => {
  const whole = await bundleCopy.create(
    world().context,
    check({ fetchExternal: true, destination: { folder: join(folder, "whole"), layout: "site" } }).inputs,
  );
  const digits = whole.outputs.uri.slice(-64);
  for (const last of [0, 1, 2]) {
    const name = `stopped-${last}`;
    const { inputs } = check({
      fetchExternal: true,
      destination: { folder: join(folder, name), layout: "site" },
    });
    const stop = new AbortController();
    const open = world({ signal: stop.signal });
    let asked = 0;
    const fetch: PublicationContext["fetch"] = (url, init) => {
      if (asked++ === last) stop.abort(new Error("stopped"));
      return open.context.fetch(url, init);
    };
    await expect(bundleCopy.create({ ...open.context, fetch }, inputs)).rejects.toThrow("stopped");
    const left = existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : [];
    expect(left.filter((each) => !each.startsWith("."))).toEqual([]);
    const { outputs } = await bundleCopy.create(world().context, inputs);
    expect(outputs.uri.slice(-64)).toBe(digits);
  }
});
