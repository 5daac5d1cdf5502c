// Files whose names have a meaning in a JavaScript object: they are ordinary names at every destination.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { list } from "tar";
import { expect, test } from "vitest";
import type { DraftingDestination } from "../../../../provider/publishing/destinations/destination.ts";
import { s3Destination } from "../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { LayerWriter } from "../../../../provider/publishing/images/siteImage/layer.ts";
import type { Bundle } from "../../../../provider/publishing/inspection/bundle.ts";
import { inspectBundle, unpackBundle } from "../../../../provider/publishing/inspection/bundle.ts";
import { tarGz } from "../../../chart/tarArchive.ts";
import { zip } from "../../../chart/zipArchive.ts";
import { startBucketStub, STUB_BUCKET, stubOperation } from "../../../simulation/bucketStub.ts";
import { draftingDestination } from "../../../simulation/draftingDestination.ts";

const LIMITS = { unpackedBytes: 1e6, files: 100 };

const name = fc.constantFrom(
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
  "length",
  "0",
);
const path = fc.oneof(
  name,
  name.map((each) => `folder/${each}`),
  fc.tuple(name, fc.constantFrom("html", "css", "js", "gz")).map((parts) => parts.join(".")),
  fc.tuple(fc.constantFrom("x", "html"), name).map((parts) => parts.join(".")),
);

test("__proto__, constructor and the like are published, found again and noticed as changed, at every destination", async (context) => {
  const root = mkdtempSync(join(tmpdir(), "names-"));
  context.onTestFinished(() => rmSync(root, { recursive: true }));
  const store = await startBucketStub(context);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (paths, isZip) => {
        const operation = await stubOperation(context);
        const { signal } = operation;
        const entries = ["index.html", ...paths].map((each) => ({ name: each, content: `of ${each}` }));
        const archive = isZip ? zip(entries) : tarGz(entries);
        const file = join(root, `bundle-${++run}`);
        writeFileSync(file, archive);
        const sha256 = createHash("sha256").update(archive).digest("hex");
        const format = isZip ? "zip" : "tar.gz";
        const bundle: Bundle = { path: file, format, sha256, size: archive.length, version: "1" };
        const seen = await inspectBundle(bundle, LIMITS, operation);
        expect(seen).toMatchObject({ files: entries.length, selfContained: true });

        const folder = join(root, `site-${run}`);
        const prefix = `site-${run}`;
        const places: [DraftingDestination, (changed: string) => void][] = [
          [
            draftingDestination({ folder, layout: "site" }),
            (changed) => writeFileSync(join(folder, sha256, changed), "x"),
          ],
          [
            s3Destination({ bucket: STUB_BUCKET, endpoint: store.endpoint, layout: "site", prefix }),
            (changed) => store.put(`${prefix}/${changed}`, "x"),
          ],
        ];
        for (const [place, change] of places) {
          const draft = await place.begin(bundle, operation);
          if (draft.sink) await unpackBundle(bundle, LIMITS, draft.sink, { signal, ...seen });
          const copy = await draft.publish();
          expect(await place.compare(copy, operation)).toBe("same");
          change(paths[0] ?? "");
          expect(await place.compare(copy, operation)).toBe("changed");
        }

        const layer = new LayerWriter(mkdtempSync(join(root, "layer-")), undefined, sha256);
        await unpackBundle(bundle, LIMITS, layer, { signal, ...seen });
        const inLayer: string[] = [];
        await list({
          file: (await layer.end(signal)).path,
          onReadEntry: (entry) => inLayer.push(entry.path),
        });
        expect(inLayer).toEqual(expect.arrayContaining(entries.map((entry) => `site/${entry.name}`)));
      },
    ),
    {
      numRuns: 10,
      examples: [false, true].map((isZip) => [["__proto__", "constructor", "toString"], isZip]),
    },
  );
});
