import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { list, type ReadEntry } from "tar";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { GzipFile } from "../../../../provider/publishing/archives/writeGzip.ts";
import { tarEnd, tarHeader, tarPadding } from "../../../../provider/publishing/archives/writeTar.ts";
import { seededRandom } from "../../../simulation/seededRandom.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "packing-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

test("compressed bytes are at the end of their file, without a trace of this machine's system", async () => {
  const path = join(folder, "file.gz");
  const content = Buffer.from("docs ".repeat(200_000));
  const pack = async (): Promise<{ digest: string; size: number }> => {
    const file = new GzipFile(path, 6);
    for (let at = 0; at < content.length; at += 100_000) await file.write(content.subarray(at, at + 100_000));
    return file.end();
  };
  const first = await pack();
  const bytes = readFileSync(path);
  expect(first).toEqual({
    digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
    size: bytes.length,
  });
  expect(gunzipSync(bytes)).toEqual(content);
  expect(bytes[9]).toBe(255);
  expect(await pack()).toEqual(first);
  expect(readFileSync(path)).toEqual(Buffer.concat([bytes, bytes]));
});

test("a file without content is one of gzip", async () => {
  const path = join(folder, "file.gz");
  const { size } = await new GzipFile(path, 6).end();
  const bytes = readFileSync(path);
  expect([size, bytes[9], gunzipSync(bytes).length]).toEqual([bytes.length, 255, 0]);
});

test("output that hardly shrinks is written while more input comes, byte for byte in order", async () => {
  const path = join(folder, "file.gz");
  const random = seededRandom(1);
  const content = Buffer.from(Uint8Array.from({ length: 1_500_000 }, () => Math.floor(random() * 256)));
  const file = new GzipFile(path, 1);
  const onDisk: number[] = [];
  for (let at = 0; at < content.length; at += 50_000) {
    await file.write(content.subarray(at, at + 50_000));
    onDisk.push(existsSync(path) ? statSync(path).size : 0);
  }
  expect(onDisk[0]).toBe(0); // not for each small chunk
  expect(Math.max(...onDisk)).toBeGreaterThan(1_000_000);
  expect(new Set(onDisk).size).toBeLessThan(8);
  const { size } = await file.end();
  expect(size).toBe(statSync(path).size);
  const bytes = readFileSync(path);
  expect(gunzipSync(bytes)).toEqual(content);
  expect(bytes[9]).toBe(255);
});

test("output that shrinks much is written at the end, with the requested level", async () => {
  const sizes = [];
  for (const level of [1, 9]) {
    const path = join(folder, `${level}.gz`);
    const file = new GzipFile(path, level);
    for (let piece = 0; piece < 40; piece++) await file.write(Buffer.from(`${piece} docs `.repeat(5_000)));
    expect(existsSync(path)).toBe(false);
    sizes.push((await file.end()).size);
  }
  expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
});

test("a file that cannot be written is an error, without an unhandled rejection", async () => {
  const file = new GzipFile(join(folder, "missing/file.gz"), 1);
  await file.write(Buffer.from("docs"));
  await expect(file.end()).rejects.toThrow("ENOENT");
});

test("an archive ends with two zero blocks, and its headers are those of POSIX, with the superuser as owner", () => {
  expect(tarEnd()).toEqual(Buffer.alloc(1_024));
  const header = tarHeader({ path: "a", size: 5, time: 8 }).toString("latin1");
  expect(header.slice(100, 148)).toBe(
    "0000644\0" + "0000000\0".repeat(2) + "00000000005\0" + "00000000010\0",
  );
  expect(header.slice(257, 265)).toBe("ustar\0" + "00");
  expect(header.slice(148, 156)).toMatch(/^0[0-7]{5}\0 $/);
});

test("names of any length are read back, also where a header ends and where a length gets another digit", () => {
  const names = [...lengths(80, 110), ...lengths(970, 1_010)].map((length) => "n".repeat(length));
  const file = join(folder, "x.tar");
  writeFileSync(file, Buffer.concat([...names.map((path) => tarHeader({ path, size: 0 })), tarEnd()]));
  const seen: string[] = [];
  list({ file, sync: true, onReadEntry: ({ path }) => seen.push(path) });
  expect(seen).toEqual(names);
  expect(names.filter((path) => tarHeader({ path, size: 0 }).length === 512).at(-1)).toHaveLength(100);
});

const lengths = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test("headers of an archive are read back: kind, size, mode, time and names of any length", () => {
  const long = `${"folder/".repeat(20)}ü.html`;
  const entries = [
    { path: "kit/", size: 0 },
    { path: "kit/load.sh", size: 3, isExecutable: true, time: 1_000 },
    { path: long, size: 3 },
  ];
  const parts = entries.flatMap((entry) => [
    tarHeader(entry),
    Buffer.from("abc").subarray(0, entry.size),
    tarPadding(entry.size),
  ]);
  const file = join(folder, "x.tar");
  writeFileSync(file, Buffer.concat([...parts, tarEnd()]));
  const seen: unknown[] = [];
  const onReadEntry = ({ path, type, size, mode, mtime }: ReadEntry): void => {
    seen.push([path, type, size, mode?.toString(8), mtime?.getTime()]);
  };
  list({ file, sync: true, onReadEntry });
  expect(seen).toEqual([
    ["kit/", "Directory", 0, "755", 0],
    ["kit/load.sh", "File", 3, "755", 1_000_000],
    [long, "File", 3, "644", 0],
  ]);
});

test("a header has the kind and size of an entry; a size that is too large for it is in a record before it", () => {
  const size = (header: Buffer): string => header.toString("latin1", 124, 136);
  expect(tarHeader({ path: "kit/", size: 0 }).toString("latin1", 156, 157)).toBe("5");
  const largest = tarHeader({ path: "a", size: 8 ** 11 - 1 });
  expect(largest).toHaveLength(512);
  expect(largest.toString("latin1", 156, 157)).toBe("0");
  expect(size(largest)).toBe("77777777777\0");
  const larger = tarHeader({ path: "a", size: 8 ** 11 });
  expect(larger).toHaveLength(3 * 512);
  expect(larger.toString("latin1", 156, 157)).toBe("x");
  expect(larger.toString("latin1", 512, 512 + 19)).toBe("19 size=8589934592\n");
  expect(size(larger.subarray(1_024))).toBe("00000000000\0");
  const both = tarHeader({ path: "é", size: 8 ** 11 });
  expect(both.toString("utf8", 512, 512 + 30)).toBe("11 path=é\n19 size=8589934592\n");
});
