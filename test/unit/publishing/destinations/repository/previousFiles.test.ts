// Pages that readers have open name scripts of the version before: an image on a base has those files, too, in a layer of their own.
import { gunzipSync } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import { beforeEach, expect, test } from "vitest";
import type { Copy } from "../../../../../provider/publishing/destinations/destination.ts";
import { repositoryDestination } from "../../../../../provider/publishing/destinations/repository/repositoryDestination.ts";
import {
  type RegistryStub,
  startRegistryStub,
  storeBase,
  storeIndex,
} from "../../../../simulation/registryStub.ts";
import { copySite, operation } from "./repositoryCopies.ts";

const PREVIOUS = "usr/share/nginx/previous/";
const [V1, V2, V3] = ["1".repeat(64), "2".repeat(64), "3".repeat(64)] as const;
/** A site whose page names a script after its content. */
const siteOf = (digest: string, more: Record<string, string> = {}): Record<string, string> => ({
  "index.html": `<script src="/assets/app-${digest}.js"></script>`,
  [`assets/app-${digest}.js`]: `run("${digest}")`.padEnd(600, "/"),
  "assets/shared-00aa11bb.css": "body{}",
  "logo.svg": "<svg/>",
  ...more,
});
const ONE = siteOf("0a1b2c3d", { "assets/page-0a1b2c3d.html": "no page", "guide.html": "guide" });
const TWO = siteOf("9f8e7d6c");
const THREE = siteOf("5a5b5c5d");

let registry: RegistryStub;
let inputs: { repository: string; base: string };
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  storeIndex(registry, "1.30", [storeBase(registry, "amd64"), storeBase(registry, "arm64")]);
  inputs = { repository: `${registry.host}/docs/site`, base: `${registry.host}/nginx:1.30` };
});

const digestIn = ({ uri }: Copy): string => uri.split("@")[1] ?? "";
const read = (digest = ""): unknown =>
  JSON.parse(String(registry.manifests.get(digest)?.body ?? registry.blobs.get(digest)));
interface Index {
  manifests: { digest: string }[];
  annotations: Record<string, string>;
}
interface Manifest {
  config: { digest: string };
  layers: { digest: string }[];
}
const readIndex = (digest: string): Index => read(digest) as Index;
const readManifest = (digest = ""): Manifest => read(digest) as Manifest;
const siteLayerOf = (copy: Copy): string =>
  readManifest(readIndex(digestIn(copy)).manifests[0]?.digest).layers.at(-1)?.digest ?? "";

/** The layers above the base in each image of a copy: their entries. */
async function layersOf(copy: Copy): Promise<string[][]> {
  const images = readIndex(digestIn(copy)).manifests.map(({ digest }) => readManifest(digest));
  const all = images.map(({ layers }) => layers.slice(1).map(({ digest }) => digest));
  for (const each of all) expect(each).toEqual(all[0]);
  for (const { config, layers } of images) {
    const { rootfs } = read(config.digest) as { rootfs: { diff_ids: string[] } };
    expect(rootfs.diff_ids).toHaveLength(layers.length);
  }
  return Promise.all((all[0] ?? []).map((digest) => entriesOf(registry.blobs.get(digest))));
}

async function entriesOf(layer: Buffer | undefined): Promise<string[]> {
  const paths: string[] = [];
  const parser = new Parser({
    onReadEntry: (entry: ReadEntry) => {
      if (entry.type === "File") paths.push(entry.path);
      entry.resume();
    },
  });
  const ended = new Promise((resolve) => parser.on("end", resolve));
  parser.end(gunzipSync(layer ?? Buffer.alloc(0)));
  await ended;
  return paths;
}

const first = (): Promise<Copy> => copySite(inputs, { files: ONE, edition: V1 });

test("an image also has the files of the version before that are named after their content, below its site, and says so", async () => {
  const one = await first();
  expect(await layersOf(one)).toHaveLength(1);
  const context = await operation();
  const two = await copySite(inputs, { files: TWO, edition: V2, earlier: [one], context });
  const [previous, site, ...others] = await layersOf(two);
  expect(others).toEqual([]);
  expect(previous).toEqual([`${PREVIOUS}assets/app-0a1b2c3d.js`]);
  expect(site).toContain("usr/share/nginx/html/assets/app-9f8e7d6c.js");
  expect(site?.filter((path) => path.includes("previous"))).toEqual([]);
  expect(readIndex(digestIn(two)).annotations["docs-hosting.previous.sha256"]).toBe(V1);
  expect(context.reporter.lines.info).toEqual([
    `the image also has 1 files of ${one.uri} (600 B), for pages that readers have open`,
  ]);
});

test("the layer of the site is the same without them, and they are no content of it: neither read, nor compared, nor found", async () => {
  const one = await first();
  const two = await copySite(inputs, { files: TWO, edition: V2, earlier: [one] });
  const alone = await copySite(inputs, { files: TWO, edition: V2 });
  expect(siteLayerOf(two)).toBe(siteLayerOf(alone));
  const place = repositoryDestination(inputs);
  const content = await place.read(two, await operation());
  expect(content && "files" in content && [...content.files.keys()]).not.toContain("assets/app-0a1b2c3d.js");
  expect(content && "files" in content && [...content.files.keys()]).toContain("assets/app-9f8e7d6c.js");
  const found = await place.find(digestIn(two), await operation());
  expect([...(found.files?.keys() ?? [])]).not.toContain("assets/app-0a1b2c3d.js");
  expect(found.copy.parts).toEqual(two.parts);
});

test("the layer of the version before is downloaded only for such files: its list says whether there are any", async () => {
  const one = await first();
  const read = async (files: typeof ONE): Promise<boolean> => {
    registry.requests.length = 0;
    const next = await copySite(inputs, { files, edition: V2, earlier: [one] });
    expect(await layersOf(next)).toHaveLength(files === TWO ? 2 : 1);
    return registry.requests.some((each) => each.startsWith("GET ") && each.endsWith(siteLayerOf(one)));
  };
  expect(await read({ ...ONE, "guide.html": "another" })).toBe(false);
  expect(await read(TWO)).toBe(true);
});

test("only one version stays: the files of that before the one before are not passed on", async () => {
  const one = await first();
  const two = await copySite(inputs, { files: TWO, edition: V2, earlier: [one] });
  const three = await copySite(inputs, { files: THREE, edition: V3, earlier: [two, one] });
  expect((await layersOf(three))[0]).toEqual([`${PREVIOUS}assets/app-9f8e7d6c.js`]);
  // and going back keeps those that readers have open then
  const back = await copySite(inputs, { files: ONE, edition: V1, earlier: [three, two, one] });
  expect((await layersOf(back))[0]).toEqual([`${PREVIOUS}assets/app-5a5b5c5d.js`]);
});

test("the same two versions give the same image, whatever was before them, and the same content again stays the same image", async () => {
  const one = await first();
  const two = await copySite(inputs, { files: TWO, edition: V2, earlier: [one] });
  const zero = await copySite(inputs, { files: THREE, edition: V3 });
  const otherOne = await copySite(inputs, { files: ONE, edition: V1, earlier: [zero] });
  expect(otherOne.uri).not.toBe(one.uri);
  const again = await copySite(inputs, { files: TWO, edition: V2, earlier: [otherOne, zero] });
  expect(again).toEqual(two);
  // also if the one before has been removed, as with `keep: 0`
  await repositoryDestination(inputs).prune([one, otherOne], [two], await operation());
  expect(await copySite(inputs, { files: TWO, edition: V2, earlier: [two] })).toEqual(two);
  // a copy of a version of this package that kept none has none if it is made again
  const plain = await copySite(inputs, { files: TWO, edition: V2 });
  expect(await copySite(inputs, { files: TWO, edition: V2, earlier: [plain, zero] })).toEqual(plain);
});

test("a repeated copy whose layer the registry has collected gets it from the version before", async () => {
  const one = await first();
  const two = await copySite(inputs, { files: TWO, edition: V2, earlier: [one] });
  const { digest } = two.parts["previous"] as { digest: string };
  registry.blobs.delete(digest);
  expect(await copySite(inputs, { files: TWO, edition: V2, earlier: [two, one] })).toEqual(two);
  expect(registry.blobs.has(digest)).toBe(true);
});

test("an earlier copy that is gone, or that the registry does not give, is one line, and the copy is made", async () => {
  const one = await first();
  const alone = await copySite(inputs, { files: TWO, edition: V2 });
  const refused = await operation();
  registry.rule = (method, path) =>
    method === "GET" && path.includes("/blobs/") && path.endsWith(siteLayerOf(one)) ? 403 : undefined;
  const made = await copySite(inputs, { files: TWO, edition: V2, earlier: [one], context: refused });
  expect(made).toEqual(alone);
  expect(refused.reporter.lines.warn).toEqual([
    expect.stringMatching(
      /cannot be read, so the image has no files of the version before.*The copy is made\./,
    ),
  ]);
  registry.rule = () => undefined;
  registry.manifests.delete(digestIn(one));
  const gone = await operation();
  expect(await copySite(inputs, { files: TWO, edition: V2, earlier: [one], context: gone })).toEqual(alone);
  expect(gone.reporter.lines).toMatchObject({
    warn: [],
    info: [`${one.uri} is gone, so the image has no files of the version before`],
  });
});

test("they stay within their bytes, the smallest first; 0 means none; an image of the site alone has none", async () => {
  const one = await copySite(inputs, {
    files: { ...ONE, "assets/large-0a1b2c3e.js": "x".repeat(5000), "assets/a-0a1b2c3f.js": "x" },
    edition: V1,
  });
  const bounded = await operation();
  const two = await copySite(
    { ...inputs, maxPreviousBytes: 700 },
    { files: TWO, edition: V2, earlier: [one], context: bounded },
  );
  expect((await layersOf(two))[0]).toEqual([
    `${PREVIOUS}assets/app-0a1b2c3d.js`,
    `${PREVIOUS}assets/a-0a1b2c3f.js`,
  ]);
  expect(bounded.reporter.lines.info[0]).toContain(
    "; 1 more are left out, because of `destination.maxPreviousBytes`",
  );
  const none = await copySite(
    { ...inputs, maxPreviousBytes: 0 },
    { files: TWO, edition: V2, earlier: [two, one] },
  );
  expect(await layersOf(none)).toHaveLength(1);
  const { repository } = inputs;
  const alone = await copySite({ repository }, { files: ONE, edition: V1 });
  const next = await copySite({ repository }, { files: TWO, edition: V2, earlier: [alone] });
  expect(next.parts).not.toHaveProperty("previous");
});
