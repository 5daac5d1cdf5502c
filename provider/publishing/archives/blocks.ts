/** Content in blocks of one size, of which the last may be shorter. */
export async function* inBlocks(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    for (let rest = piece; rest.length > 0;) {
      const part = rest.subarray(0, size - length);
      pieces.push(part);
      length += part.length;
      rest = rest.subarray(part.length);
      if (length < size) continue;
      yield Buffer.concat(pieces);
      [pieces, length] = [[], 0];
    }
  }
  if (length > 0) yield Buffer.concat(pieces);
}
