// Imports of copies in a bucket: archives and a site.
import { readFileSync } from "node:fs";
import { describe, expect, test, type TestContext, vi } from "vitest";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import { CANARIES, startBucketStub, STUB_BUCKET } from "../../../simulation/bucketStub.ts";
import { expectSame, importTest, QUERY, V1 } from "./importedCopy.ts";

const { tested, fileOf, sha256Of, copied, imported } = importTest();

describe("a copy in a bucket", () => {
  const start = async (
    test: TestContext,
    more: object = {},
  ): Promise<{ made: BundleCopyState; store: Awaited<ReturnType<typeof startBucketStub>>; at: string }> => {
    for (const [name, value] of Object.entries(CANARIES)) vi.stubEnv(name, value);
    test.onTestFinished(() => void vi.unstubAllEnvs());
    const store = await startBucketStub(test);
    const destination = { bucket: STUB_BUCKET, prefix: "docs/site", endpoint: store.endpoint, ...more };
    const made = await copied(destination, { source: V1 });
    store.requests.length = 0;
    return { made, store, at: `${made.outputs.uri}${QUERY}&endpoint=${encodeURIComponent(store.endpoint)}` };
  };
  /** The objects that were written or removed. */
  const writes = ({ requests }: Awaited<ReturnType<typeof startBucketStub>>): string[] =>
    requests.filter(({ method }) => !["GET", "HEAD"].includes(method)).map(({ key }) => key);

  test("as an archive is downloaded and verified; nothing is written", async (test) => {
    const { made, store, at } = await start(test);
    const { program, state } = await imported(at);
    expect(program).toEqual({
      source: V1,
      destination: { bucket: STUB_BUCKET, prefix: "docs/site", endpoint: store.endpoint },
    });
    expectSame(state, made);
    expect([...tested.calls, ...writes(store)]).toEqual([]);
  });

  test("with a signed link gets a new one", async (test) => {
    const { made, at } = await start(test, { linkLife: "24h" });
    const { program, state } = await imported(`${at}&linkLife=24h`);
    expect(program["destination"]).toHaveProperty("linkLife", "24h");
    expectSame(state, made);
  });

  test("as a site is found by its record, and compared with the bundle", async (test) => {
    const { made, store, at } = await start(test, { layout: "site" });
    expect(made.outputs.uri).toBe(`s3://docs/docs/site/#sha256:${sha256Of("v1")}`);
    const { program, state } = await imported(at);
    expect(program["destination"]).toMatchObject({ prefix: "docs/site", layout: "site" });
    expectSame(state, made);
    expect(writes(store)).toEqual([]);
    store.put("docs/site/index.html", "other");
    await expect(imported(at)).rejects.toThrow("below s3://docs/docs/site are not those of this copy");
    store.objects.clear();
    await expect(imported(at)).rejects.toThrow(
      "there is no record of this copy, s3://docs/docs/site/.docs-h",
    );
  });

  test("without a source, of another digest, or missing is refused", async (test) => {
    const { made, store, at } = await start(test);
    const endpoint = `endpoint=${encodeURIComponent(store.endpoint)}`;
    const key = `docs/site/${sha256Of("v1")}.tar.gz`;
    await expect(imported(`${made.outputs.uri}?${endpoint}`)).rejects.toThrow(
      "does not record the domain and",
    );
    store.put(key, readFileSync(fileOf("v1")));
    await expect(imported(at)).rejects.toThrow("does not record its SHA-256, as copies of this package do");
    store.put(key, "other", { "x-amz-meta-sha256": sha256Of("v1") });
    await expect(imported(at)).rejects.toThrow("is not the archive that its name says");
    store.objects.clear();
    await expect(imported(at)).rejects.toThrow(`there is no object s3://docs/${key}`);
  });
});
