// A publication looks once more at what it has published.
import { createHash } from "node:crypto";
import { mkdtempSync, promises, readdirSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { Layout } from "../../../../../provider/publishing/destinations/destination.ts";
import type { Bundle } from "../../../../../provider/publishing/inspection/bundle.ts";
import { stubOperation } from "../../../../simulation/bucketStub.ts";
import { draftingDestination } from "../../../../simulation/draftingDestination.ts";
import { OWNER } from "../../../../simulation/owners.ts";

/** Somebody removes what has just got this path. */
function removeOnceThere(path: string): void {
  const { rename } = promises;
  promises.rename = async (from, to) => {
    await rename(from, to);
    if (to === path) rmSync(path, { recursive: true });
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    promises.rename = rename;
    syncBuiltinESMExports();
  });
}

test.each<Layout>(["archive", "site"])(
  "a copy (%s) that somebody removes as soon as it is there is no success",
  async (layout) => {
    const root = mkdtempSync(join(tmpdir(), "final-look-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const folder = join(root, "www");
    const path = join(root, "bundle.tar.gz");
    writeFileSync(path, "an archive");
    const sha256 = createHash("sha256").update("an archive").digest("hex");
    const bundle: Bundle = { path, format: "tar.gz", sha256, size: 10, version: "v1" };
    const operation = { ...(await stubOperation({ onTestFinished })), owner: OWNER };
    const draft = await draftingDestination({ folder, layout }).begin(bundle, operation);
    await draft.sink?.file({ path: "index.html", size: 4 }, Readable.from([Buffer.from("page")]));
    removeOnceThere(join(folder, layout === "site" ? sha256 : `${sha256}.tar.gz`));
    await expect(draft.publish()).rejects.toThrow(/was removed by somebody else while it was published/);
    await draft.abandon?.();
    expect(readdirSync(folder).filter((name) => name.endsWith(".draft"))).toEqual([]);
  },
);
