import { expect, test } from "vitest";
import { ByteReader, partlyReadable, skipRest } from "../../../../provider/publishing/archives/byteReader.ts";

/** A reader of chunks, and whether its source was released. */
function reader(...chunks: string[]): { bytes: ByteReader; source: { isReleased: boolean } } {
  const source = { isReleased: false };
  // eslint-disable-next-line @typescript-eslint/require-await -- as a file is read
  const read = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of chunks) yield new TextEncoder().encode(chunk);
    } finally {
      source.isReleased = true;
    }
  };
  return { bytes: new ByteReader(read()), source };
}

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

test("pieces of any length are read, across the ends of chunks", async () => {
  const { bytes } = reader("abc", "", "de", "fghij");
  expect(text(await bytes.exactly(2))).toBe("ab");
  expect(text(await bytes.exactly(4))).toBe("cdef");
  expect(text(await bytes.exactly(0))).toBe("");
  expect(text(await bytes.some(2))).toBe("gh");
  expect(text(await bytes.some(99))).toBe("ij");
  expect(await bytes.some(1)).toBeUndefined();
});

test("a chunk's own bytes are read, not those around it in memory", async () => {
  const chunk = new Uint8Array(Buffer.from("--abc--").buffer.slice(0)).subarray(0, 7);
  chunk.set(Buffer.from("--abc--"));
  // eslint-disable-next-line @typescript-eslint/require-await -- as a file is read
  const read = async function* (): AsyncGenerator<Uint8Array> {
    yield chunk.subarray(2, 5);
  };
  expect(text(await new ByteReader(read()).some(99))).toBe("abc");
});

test.each([
  ["in a chunk", ["abc"], 4],
  ["after several", ["a", "b", "c"], 4],
  ["before the first", [], 1],
])("a source that ends too early %s is refused", async (_where, chunks, length) => {
  const refused = expect.objectContaining({
    name: "BundleRefusedError",
    message: "the bundle is refused: it is broken: it ends too early",
  }) as Error;
  await expect(reader(...chunks).bytes.exactly(length)).rejects.toThrow(refused);
  await expect(skipRest(reader(...chunks).bytes.pieces(length))).rejects.toThrow(refused);
});

test("the rest of a content can be skipped, though its reader stopped early", async () => {
  const { bytes } = reader("ab", "cd", "ef");
  const pieces = bytes.pieces(5);
  for await (const piece of partlyReadable(pieces)) {
    expect(text(piece)).toBe("ab");
    break;
  }
  await skipRest(pieces);
  expect(text(await bytes.some(99))).toBe("f");
});

test("a source is released when it is closed", async () => {
  const { bytes, source } = reader("ab", "cd");
  await bytes.exactly(1);
  expect(source.isReleased).toBe(false);
  await bytes.close();
  expect(source.isReleased).toBe(true);
});
