// The blobs of a kit that is being written; images.test.ts fetches them.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../../../provider/base/runtime/values/digest.ts";
import { BlobStore } from "../../../../provider/kits/contents/blobStore.ts";
import { openRegistryClient } from "../../../simulation/registryClient.ts";
import { startRegistryStub } from "../../../simulation/registryStub.ts";

const { signal } = new AbortController();
const hex = (digest: string): string => digest.slice("sha256:".length);
const [one, two] = [Buffer.from("one"), Buffer.from("other")];
const SINCE = { version: "v1", sha256: "", has: (): string => "v0" };

let folder: string;
let kit: string;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "blobs-"));
  [folder, kit] = [join(root, "blobs"), join(root, "kit")];
  for (const each of [folder, kit]) mkdirSync(each);
  onTestFinished(() => rmSync(root, { recursive: true }));
});

test("each blob goes into the kit once; what a killed run left for other images goes nowhere", async () => {
  writeFileSync(join(folder, "ab".repeat(32)), "of another image");
  writeFileSync(join(folder, `${"cd".repeat(32)}.arriving`), "of another im");
  const store = new BlobStore({ folder, earlier: [], signal });
  for (const bytes of [one, two, one]) await store.put(bytes);
  const all = [one, two].map((bytes) => ({ digest: digestOf(bytes), size: bytes.length }));
  all.sort((a, b) => (a.digest < b.digest ? -1 : 1));
  expect(store.blobs).toEqual(all.map((blob) => ({ ...blob, inEarlierKit: undefined })));
  await store.moveTo(kit);
  expect(readdirSync(kit).sort()).toEqual(all.map(({ digest }) => hex(digest)));
  expect(readFileSync(join(kit, hex(digestOf(two))), "utf8")).toBe("other");
  expect(readdirSync(folder)).toEqual([]);
});

test("a layer of an earlier kit is left out, but a manifest is not, even one that the earlier kit has", async (context) => {
  const registry = await startRegistryStub(context);
  const store = new BlobStore({ folder, earlier: [], since: SINCE, signal });
  const arrived: number[] = [];
  const blob = { digest: digestOf(two), size: two.length };
  await store.fetch(openRegistryClient(registry, "pull"), blob, (bytes) => arrived.push(bytes));
  await store.put(one);
  expect(registry.requests).toEqual([]);
  expect(arrived).toEqual([two.length]);
  expect(store.blobs.find(({ digest }) => digest === blob.digest)).toEqual({ ...blob, inEarlierKit: "v0" });
  await store.moveTo(kit);
  expect(readdirSync(kit)).toEqual([hex(digestOf(one))]);
});

test("a layer that is there with its bytes is not requested", async (context) => {
  const registry = await startRegistryStub(context);
  const client = openRegistryClient(registry, "pull");
  const digest = digestOf(one);
  writeFileSync(join(folder, hex(digest)), one);
  const store = new BlobStore({ folder, earlier: [], signal });
  for (let i = 0; i < 2; i++) await store.fetch(client, { digest, size: one.length }, () => undefined);
  expect(registry.requests).toEqual([]);
  expect(store.blobs).toEqual([{ digest, size: one.length, inEarlierKit: undefined }]);
});
