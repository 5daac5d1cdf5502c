/** Size of all that a tar archive is made of, in bytes. */
export const BLOCK_BYTES = 512;

/** Where the fields of a header are, and how long they are, in bytes. */
export const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  user: [108, 8],
  group: [116, 8],
  size: [124, 12],
  time: [136, 12],
  sum: [148, 8],
  type: [156, 1],
  magic: [257, 6],
  version: [263, 2],
  prefix: [345, 155],
} as const satisfies Readonly<Record<string, readonly [offset: number, length: number]>>;

/** The magic of POSIX. Others have other things in the place of the prefix. */
export const USTAR = "ustar\0";

/** The largest size that a header's own field has room for, in octal digits. */
export const LARGEST_SIZE = 8 ** 11 - 1;

/** A header's sum, which counts its own field as spaces. */
export function sumOf(header: Buffer): number {
  const [offset, length] = FIELDS.sum;
  let sum = length * 0x20;
  for (let at = 0; at < BLOCK_BYTES; at++) if (at < offset || at >= offset + length) sum += header[at] ?? 0;
  return sum;
}

/** How many bytes follow a content, so that the next header begins with a block. */
export function paddingOf(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}
