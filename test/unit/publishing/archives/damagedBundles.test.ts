// Damaged bundles: A05 of the faults, and any other damage.
import { appendFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BundleRefusedError } from "../../../../provider/base/runtime/messages/errors.ts";
import { unpackBundle } from "../../../../provider/publishing/inspection/bundle.ts";
import { SITE, tar, tarGz } from "../../../chart/tarArchive.ts";
import { zip } from "../../../chart/zipArchive.ts";
import { bundleOnDisk, inspected, LIMITS, refusalOf, unpacked, unpackedAgain } from "./bundleOnDisk.ts";

const FILES = [
  ...SITE,
  { name: "random", content: Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * i) % 251)) },
];
const ARCHIVES: [format: string, archive: Buffer][] = [
  ["tar.gz", tarGz(FILES)],
  ["zip", zip(FILES.map(({ name, content = "" }) => ({ name, content })))],
];

describe.each(ARCHIVES)("a %s", (_format, archive) => {
  test("A05 that is cut at any byte is refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 4, max: archive.length - 1 }), async (length) => {
        expect(await refusalOf(archive.subarray(0, length))).toContain("is broken");
      }),
      { numRuns: 40 },
    );
  });

  test("A05 with a changed bit is refused", async () => {
    const whole = bundleOnDisk(archive);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 32, max: archive.length * 8 - 1 }), async (bit) => {
        const damaged = flipped(archive, bit);
        const bundle = bundleOnDisk(damaged);
        await refusalOf({ ...bundle, sha256: whole.sha256 });
      }),
      { numRuns: 20 },
    );
  });

  test("A05 with a changed bit has the same files, if any, even when its digest is right", async () => {
    const files = await unpacked(archive);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 32, max: archive.length * 8 - 1 }), async (bit) => {
        const bundle = bundleOnDisk(flipped(archive, bit));
        const got = await unpacked(bundle).catch((error: unknown) => error);
        if (!(got instanceof BundleRefusedError)) expect(got).toEqual(files);
      }),
      { numRuns: 120 },
    );
  });

  test("A05 with anything after its end is refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 40 }), async (garbage) => {
        await refusalOf(Buffer.concat([archive, garbage]));
      }),
      { numRuns: 25 },
    );
    for (const garbage of [
      Buffer.alloc(1),
      Buffer.alloc(10_000),
      Buffer.from([0x1f]),
      Buffer.from([0x1f, 0x8b]),
    ]) {
      await refusalOf(Buffer.concat([archive, garbage]));
    }
  });

  test("that does not match the digest is refused after it was read", async () => {
    const bundle = bundleOnDisk(archive);
    const message = await refusalOf({ ...bundle, sha256: "0".repeat(64) });
    expect(message).toContain("does not have the expected digest");
  });

  test("that changes between inspection and unpacking is refused", async () => {
    const bundle = bundleOnDisk(archive);
    await inspected(bundle);
    appendFileSync(bundle.path, "x");
    await expect(unpackedAgain(bundle, { root: "", leftOut: [] })).rejects.toThrow(BundleRefusedError);
  });

  test("is left between two entries when it is stopped, with the reason", async () => {
    const stop = new AbortController();
    const reason = new Error("stopped");
    const seen: string[] = [];
    const sink = {
      file: async ({ path }: { path: string }, content: AsyncIterable<Uint8Array>): Promise<void> => {
        for await (const piece of content) expect(piece.length).toBeGreaterThan(0);
        seen.push(path);
        stop.abort(reason);
      },
    };
    const unpacking = unpackBundle(bundleOnDisk(archive), LIMITS, sink, {
      signal: stop.signal,
      root: "",
      leftOut: [],
    });
    await expect(unpacking).rejects.toBe(reason);
    expect(seen).toEqual(["index.html"]);
  });

  test("is left within a large entry when it is stopped", async () => {
    const content = Buffer.alloc(40_000_000, "abcdefghij");
    const large =
      archive[0] === 0x50 ? zip([{ name: "index.html", content }]) : tarGz([{ name: "index.html", content }]);
    const stop = new AbortController();
    const reason = new Error("stopped");
    let bytes = 0;
    const sink = {
      file: async (_file: unknown, pieces: AsyncIterable<Uint8Array>): Promise<void> => {
        for await (const piece of pieces) {
          bytes += piece.length;
          stop.abort(reason);
        }
      },
    };
    const unpacking = unpackBundle(bundleOnDisk(large), LIMITS, sink, {
      signal: stop.signal,
      root: "",
      leftOut: [],
    });
    await expect(unpacking).rejects.toBe(reason);
    expect(bytes).toBeLessThan(2_000_000);
  });
});

function flipped(archive: Buffer, bit: number): Buffer {
  const damaged = Buffer.from(archive);
  const at = bit >> 3;
  damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (bit & 7)), at);
  return damaged;
}

test("A05 a tar.gz with a wrong checksum is refused", async () => {
  const archive = tarGz(SITE);
  archive.writeUInt32LE(1, archive.length - 8);
  expect(await refusalOf(archive)).toContain("its compressed data is invalid (Z_DATA_ERROR)");
});

test("A05 garbage is noticed that begins at the start of a chunk of the file", async () => {
  const pieceBytes = 256 * 1_024;
  const end = gzipSync(tar([], Buffer.alloc(1_024)));
  // the name in a gzip's header has any length
  const begin = gzipSync(tar(SITE, Buffer.alloc(0)));
  begin.writeUInt8(8, 3);
  const name = Buffer.concat([
    Buffer.alloc(pieceBytes - begin.length - end.length - 1, "x"),
    Buffer.alloc(1),
  ]);
  const archive = Buffer.concat([begin.subarray(0, 10), name, begin.subarray(10), end]);
  expect(archive.length).toBe(pieceBytes);
  expect(Object.keys(await unpacked(archive))).toContain("index.html");
  for (const garbage of ["\0", "x", "\u001f\u008b", "\0".repeat(pieceBytes)]) {
    await refusalOf(Buffer.concat([archive, Buffer.from(garbage, "latin1")]));
  }
});

test.each([
  ["in the middle of a file", 520],
  ["behind a file", 700],
  ["between two entries", 1_024],
  ["in the middle of a header", 1_100],
])("A05 a tar that is cut %s is refused, though its compression is whole", async (_where, length) => {
  expect(await refusalOf(gzipSync(tar(SITE).subarray(0, length)))).toContain("it ends too early");
});

test("A05 a tar without its whole end mark is refused", async () => {
  for (const end of [0, 1, 511, 512, 1_023]) {
    expect(await refusalOf(gzipSync(tar(SITE, Buffer.alloc(end))))).toContain("it ends too early");
  }
});

test("A05 a header with a wrong sum is refused", async () => {
  const archive = tar(SITE);
  archive.write("other.html", 0);
  expect(await refusalOf(gzipSync(archive))).toContain("the checksum of a header is wrong");
});

test("a bundle whose site was in another folder when it was inspected is refused", async () => {
  const bundle = bundleOnDisk(tarGz(SITE));
  for (const root of ["folder", "guide"]) {
    await expect(unpackedAgain(bundle, { root, leftOut: [] })).rejects.toThrow(
      "does not have the expected digest: its file was changed meanwhile",
    );
  }
});

test("a sink that does not read a file to its end is reported as a bug", async () => {
  const bundle = bundleOnDisk(tarGz(SITE));
  const { signal } = new AbortController();
  const unpacking = unpackBundle(
    bundle,
    LIMITS,
    { file: async () => Promise.resolve() },
    { signal, root: "", leftOut: [] },
  );
  await expect(unpacking).rejects.toThrow("a destination did not read index.html to its end");
});

test("a bundle's error is reported, even if a sink throws another one", async () => {
  const bundle = bundleOnDisk(gzipSync(tar(SITE).subarray(0, 520)));
  const sink = {
    file: async (_file: unknown, content: AsyncIterable<Uint8Array>): Promise<void> => {
      try {
        for await (const piece of content) expect(piece.length).toBeGreaterThan(0);
      } catch {
        throw new Error("upload failed");
      }
    },
  };
  const { signal } = new AbortController();
  await expect(unpackBundle(bundle, LIMITS, sink, { signal, root: "", leftOut: [] })).rejects.toThrow(
    "it ends too early",
  );
});

test("an error of the sink is passed on", async () => {
  const bundle = bundleOnDisk(tarGz(SITE));
  const { signal } = new AbortController();
  const full = new Error("disk full");
  const unpacking = unpackBundle(
    bundle,
    LIMITS,
    { file: () => Promise.reject(full) },
    { signal, root: "", leftOut: [] },
  );
  await expect(unpacking).rejects.toBe(full);
});
