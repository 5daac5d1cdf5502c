// The life of images that also have files of the version before, for pages that readers have open.
import { beforeEach, expect, test } from "vitest";
import type { CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { type RegistryStub, startRegistryStub, storeBase } from "../../../simulation/registryStub.ts";
import { expectSame, importTest } from "./importedCopy.ts";

const { context, packed, fileOf, imported } = importTest();

let registry: RegistryStub;
let reporter: ReturnType<typeof recordingReporter>;
beforeEach(async (test) => {
  registry = await startRegistryStub(test);
  storeBase(registry, "1.30");
  reporter = recordingReporter();
  packed("one", { "app-0a1b2c3d.js": "one", "a.html": '<script src="https://x.example.net/a.js"></script>' });
  packed("two", { "app-9f8e7d6c.js": "two" });
});

function inputsOf(version: string, more: object = {}, destination: object = {}): CheckedCopyInputs {
  const { inputs, failures } = bundleCopy.check(
    {
      source: { file: fileOf(version), version },
      destination: {
        repository: `${registry.host}/docs/site`,
        base: `${registry.host}/nginx:1.30`,
        ...destination,
      },
      ...more,
    },
    context().configuration,
  );
  expect(failures).toEqual([]);
  return inputs;
}
const previousIn = ({ bookkeeping }: BundleCopyState): unknown =>
  bookkeeping.copies[0]?.copy.parts["previous"];
const update = (state: BundleCopyState, inputs: CheckedCopyInputs): Promise<BundleCopyState> =>
  bundleCopy.update({ ...context(), reporter }, state, inputs);

test("they are no files of the site: neither counted nor among its changes; an import finds them", async () => {
  const one = await bundleCopy.create(context(), inputsOf("one"));
  expect(previousIn(one)).toBeUndefined();
  const two = await update(one, inputsOf("two", { keep: 0 }));
  expect(previousIn(two)).toMatchObject({ of: one.outputs.sha256 });
  expect(two.outputs.files).toBe(2);
  expect(two.outputs.changes).toMatchObject({
    added: { paths: ["app-9f8e7d6c.js"] },
    removed: { paths: ["a.html", "app-0a1b2c3d.js"] },
  });
  const { state } = await imported(`${two.outputs.uri}?file=${fileOf("two")}&version=two`);
  const { changes, ...outputs } = two.outputs;
  expect(changes?.since).toBe(one.outputs.uri);
  const [newest] = two.bookkeeping.copies;
  const withoutChanges = newest && [{ ...newest, bundle: { ...newest.bundle, changes: undefined } }];
  expectSame(state, {
    outputs: { ...outputs, keep: state.outputs.keep },
    bookkeeping: { ...two.bookkeeping, copies: withoutChanges ?? [] },
  });
});

test("an image that was changed is made again with the same files, though the version before was removed", async () => {
  const one = await bundleCopy.create(context(), inputsOf("one"));
  const two = await update(one, inputsOf("two", { keep: 0 }));
  const digest = two.outputs.uri.split("@")[1] ?? "";
  const lost = registry.manifests.get(digest);
  for (const [name, manifest] of registry.manifests) if (manifest === lost) registry.manifests.delete(name);
  const drifted = { ...two, bookkeeping: { ...two.bookkeeping, drifted: "changed" as const } };
  const again = await update(drifted, inputsOf("two", { keep: 0 }));
  expect(again.outputs.uri).toBe(two.outputs.uri);
  expect(registry.manifests.has(digest)).toBe(true);
});

test("an image that must be self-contained has none of a version that is not, and a line says so", async () => {
  const one = await bundleCopy.create(context(), inputsOf("one"));
  expect(one.outputs.selfContained).toBe(false);
  const two = await update(one, inputsOf("two", { requireSelfContained: true }));
  expect(previousIn(two)).toBeUndefined();
  expect(reporter.lines.info).toContain(
    `${one.outputs.uri} is not self-contained, so the image has no files of the version before, for pages that readers have open`,
  );
});

test("with maxPreviousBytes 0, a next image has none, and the same content is made again without them", async () => {
  const one = await bundleCopy.create(context(), inputsOf("one"));
  const two = await update(one, inputsOf("two"));
  const without = inputsOf("two", {}, { maxPreviousBytes: 0 });
  const { decision } = bundleCopy.diff(without, two, { name: "m", nowMs: Date.now() });
  expect(decision.code).toBe("NEW_CONTENT");
  const again = await update(two, without);
  expect(previousIn(again)).toBeUndefined();
  expect(again.outputs.uri).not.toBe(two.outputs.uri);
});
