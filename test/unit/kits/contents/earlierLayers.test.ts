// Layers that a kit need not fetch: earlier kits and failed runs have them.
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEarlierKit } from "../../../../provider/kits/contents/earlierKit.ts";
import { RECORDS_FOLDER as MARKS_FOLDER } from "../../../../provider/publishing/ownership/placeMark.ts";
import {
  asked,
  blobFile,
  blobs,
  fetched,
  folder,
  hex,
  kitOf,
  kits,
  layer,
  withRegistry,
} from "./kitImages.ts";

withRegistry();

test("layers of a local earlier kit are copied, not fetched; a damaged one is fetched", async () => {
  const first = await kitOf();
  asked.length = 0;
  await kitOf({ version: "v2", earlier: [first.path] });
  expect(fetched()).toEqual([]);
  writeFileSync(join(first.path, "images/blobs/sha256", hex(layer("shared layer"))), "other bytes!");
  asked.length = 0;
  const third = await kitOf({ version: "v3", earlier: [first.path] });
  expect(fetched()).toEqual(["shared layer"]);
  expect(readFileSync(join(third.path, "images/blobs/sha256", hex(layer("shared layer"))), "utf8")).toBe(
    "shared layer",
  );
});

test("layers in the kit of the given manifest are neither fetched nor in this one; manifests and configurations are", async () => {
  const first = await kitOf();
  const since = readEarlierKit(join(first.path, "manifest.json"));
  asked.length = 0;
  const { manifest, files } = await kitOf({ version: "v2", since });
  expect(fetched()).toEqual([]);
  const out = manifest.blobs.filter((blob) => blob.in === "v1").map(({ digest }) => digest);
  expect(out.sort()).toEqual([layer("shared layer"), layer("layer of amd64")].sort());
  expect(files).toEqual(manifest.blobs.filter((blob) => blob.in === "this").map(({ digest }) => hex(digest)));
  expect(files).toHaveLength(5);
});

test("layers of a failed run are not fetched again; a partial one is resumed", async () => {
  const whole = blobs.get(layer("layer of amd64"));
  blobs.delete(layer("layer of amd64"));
  await expect(kitOf()).rejects.toThrow();
  const draft = readdirSync(kits).find((name) => name.endsWith(".draft")) ?? "";
  const left = readdirSync(join(kits, draft, "blobs"));
  expect(left).toContain(hex(layer("shared layer")));
  if (whole) blobs.set(layer("layer of amd64"), whole);
  // as if it had been cut off within its bytes; other bytes are not resumed
  for (const [beginning, requests] of [
    ["layer of ", 1],
    ["not of it", 2],
    ["layer of AMD64", 1],
    ["layer of amd64", 0],
  ] as const) {
    writeFileSync(join(kits, draft, "blobs", `${hex(layer("layer of amd64"))}.arriving`), beginning);
    cpSync(join(kits, draft), join(folder, "draft"), { recursive: true });
    asked.length = 0;
    const { path, files } = await kitOf();
    expect(asked.filter((each) => each.endsWith(layer("layer of amd64")))).toHaveLength(requests);
    expect(asked).not.toContain(`blobs/${layer("shared layer")}`);
    expect(files).toHaveLength(7);
    const written = readFileSync(join(path, "images/blobs/sha256", hex(layer("layer of amd64"))), "utf8");
    expect(written).toBe("layer of amd64");
    expect(readdirSync(kits).filter((name) => name !== MARKS_FOLDER)).toHaveLength(1);
    renameSync(join(folder, "draft"), join(kits, draft));
  }
});

test("a layer that does not match its digest is an error, and in no kit", async () => {
  blobs.set(layer("layer of amd64"), Buffer.from("layer of AMD64"));
  await expect(kitOf()).rejects.toThrow("the registry gave something else for");
  expect(readdirSync(kits).filter((name) => !name.startsWith("."))).toEqual([]);
});

test("a blob whose bytes are others on the disk than were written is an error, and in no kit", async () => {
  const damage = (line: string): void => {
    if (!line.startsWith("computing")) return;
    const draft = readdirSync(kits).find((name) => name.endsWith(".draft")) ?? "";
    writeFileSync(blobFile(join(kits, draft, "kit"), layer("shared layer")), "shared LAYER");
  };
  await expect(kitOf({ progress: damage })).rejects.toMatchObject({
    message: `images/blobs/sha256/${hex(layer("shared layer"))} of the kit has other bytes than were written`,
    remedy: "Check the disk, and run `pulumi up` again.",
  });
  expect(readdirSync(kits).filter((name) => !name.startsWith("."))).toEqual([]);
  const { path } = await kitOf();
  expect(readFileSync(blobFile(path, layer("shared layer")), "utf8")).toBe("shared layer");
});

test("layers are copied from the first earlier kit that has them whole; a link in its place is not followed", async () => {
  const first = await kitOf();
  const other = join(folder, "other");
  cpSync(first.path, other, { recursive: true });
  const [shared, own] = [layer("shared layer"), layer("layer of amd64")];
  writeFileSync(blobFile(first.path, shared), "short");
  rmSync(blobFile(other, own));
  asked.length = 0;
  await kitOf({ version: "v2", earlier: [first.path, other] });
  expect(fetched()).toEqual([]);
  const elsewhere = join(folder, "elsewhere");
  renameSync(blobFile(other, shared), elsewhere);
  symlinkSync(elsewhere, blobFile(other, shared));
  await kitOf({ version: "v3", earlier: [first.path, other] });
  expect(fetched()).toEqual(["shared layer"]);
});
